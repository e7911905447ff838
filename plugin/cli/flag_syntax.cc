#include "plugin/cli/flag_syntax.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "kube/base/suggestions.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;
using Error = std::optional<std::string>;

const Flag* FindByName(std::span<const Flag> flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &Flag::name);
  return found == flags.end() ? nullptr : &*found;
}

const Flag* FindByShorthand(std::span<const Flag> flags, char shorthand) {
  const auto found = std::ranges::find(flags, shorthand, &Flag::shorthand);
  return found == flags.end() ? nullptr : &*found;
}

bool IsFlag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

// pflag's NoOptDefVal: the value of a flag that stands alone; empty where it takes the next word.
std::string ValueOfBare(const Flag& flag) {
  return flag.kind == FlagKind::kBool ? "true" : flag.value_of_bare;
}

// fmt's %q of a byte, which Go takes for a code point: a quoted character.
std::string QuoteCharacter(char c) {
  if (c == '\'') return "'\\''";
  if (c == '"') return "'\"'";
  std::string character;
  kube::base::utf8::Append(character, static_cast<unsigned char>(c));
  std::string quoted = GoQuote(character);
  quoted.front() = quoted.back() = '\'';
  return quoted;
}

// The spellings of strconv.ParseBool.
std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view t : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == t) return true;
  }
  for (const std::string_view f : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == f) return false;
  }
  return std::nullopt;
}

Error CanonicalBool(std::string& value) {
  const std::optional<bool> parsed = ParseBool(value);
  if (!parsed) return "strconv.ParseBool: parsing " + GoQuote(value) + ": invalid syntax";
  value = *parsed ? "true" : "false";
  return std::nullopt;
}

template <typename Integer>
Error CanonicalInt(std::string& value) {
  std::string_view digits = value;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  Integer number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end == digits.data() + digits.size();
  if (!digits.empty() && whole && error == std::errc()) {
    value = std::to_string(number);
    return std::nullopt;
  }
  const bool too_large = whole && error == std::errc::result_out_of_range;
  return "strconv.ParseInt: parsing " + GoQuote(value) +
         (too_large ? ": value out of range" : ": invalid syntax");
}

// encoding/csv counts columns in bytes, from 1.
std::string CsvError(std::size_t offset, std::string_view why) {
  return "parse error on line 1, column " + std::to_string(offset + 1) + ": " + std::string(why);
}

// Reads one field of a CSV record from `offset` on, and moves it behind the field.
Error ReadQuotedField(std::string_view text, std::size_t& offset, std::string& field) {
  for (++offset; offset < text.size(); ++offset) {
    if (text[offset] != '"') {
      field += text[offset];
    } else if (offset + 1 < text.size() && text[offset + 1] == '"') {
      field += text[offset++];
    } else if (++offset == text.size() || text[offset] == ',') {
      return std::nullopt;
    } else {
      return CsvError(offset - 1, "extraneous or missing \" in quoted-field");
    }
  }
  return CsvError(offset, "extraneous or missing \" in quoted-field");
}

Error ReadBareField(std::string_view text, std::size_t& offset, std::string& field) {
  for (; offset < text.size() && text[offset] != ','; ++offset) {
    if (text[offset] == '"') return CsvError(offset, "bare \" in non-quoted-field");
    field += text[offset];
  }
  return std::nullopt;
}

// pflag's StringSlice reads its value as one CSV record; an empty value has no elements.
Error SplitStrings(std::string_view text, std::vector<std::string>& elements) {
  if (text.empty()) return std::nullopt;
  for (std::size_t offset = 0;; ++offset) {
    std::string field;
    const bool quoted = offset < text.size() && text[offset] == '"';
    const Error error = quoted ? ReadQuotedField(text, offset, field)  //
                               : ReadBareField(text, offset, field);
    if (error) return error;
    elements.push_back(std::move(field));
    if (offset == text.size()) return std::nullopt;
  }
}

// What is shorter is the beginning of many.
std::string WhatWasMeant(std::string_view name, std::span<const Flag> flags) {
  constexpr std::size_t kShortest = 3, kMost = 3;
  if (name.size() < kShortest) return "";
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  std::vector<std::string> meant;
  for (const std::string_view known : kube::base::Suggest(name, names)) {
    meant.push_back("--" + std::string(known));
  }
  return kube::base::DidYouMean(meant, kMost);
}

class Parser {
 public:
  Parser(std::span<const std::string> words, std::span<const Flag> flags)
      : words_(words), flags_(flags) {}

  Error Parse() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--") break;
      Error error;
      if (!IsFlag(word)) {
        result_.arguments.push_back(word);
      } else if (word[1] == '-') {
        error = ParseLong(word);
      } else {
        error = ParseShorthands(std::string_view(word).substr(1));
      }
      if (error) return error;
    }
    const auto rest = words_.subspan(next_);
    result_.arguments.insert(result_.arguments.end(), rest.begin(), rest.end());
    return std::nullopt;
  }

  FlagsAndArguments TakeResult() { return std::move(result_); }

 private:
  Error ParseLong(std::string_view word) {
    const std::string_view body = word.substr(2);
    if (body[0] == '-' || body[0] == '=') return "bad flag syntax: " + std::string(word);
    const std::size_t equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    const Flag* flag = FindByName(flags_, name);
    if (!flag) return "unknown flag: --" + std::string(name) + WhatWasMeant(name, flags_);
    if (equals != std::string_view::npos) return Set(*flag, std::string(body.substr(equals + 1)));
    if (std::string bare = ValueOfBare(*flag); !bare.empty()) return Set(*flag, std::move(bare));
    if (next_ == words_.size()) return "flag needs an argument: " + std::string(word);
    return Set(*flag, words_[next_++]);
  }

  Error ParseShorthands(std::string_view shorthands) {
    for (bool consumed = false; !consumed && !shorthands.empty(); shorthands.remove_prefix(1)) {
      if (Error error = ParseShorthand(shorthands, consumed)) return error;
    }
    return std::nullopt;
  }

  // `shorthands` is what is left of the group; `consumed` says that its rest was a value.
  Error ParseShorthand(std::string_view shorthands, bool& consumed) {
    const std::string group(shorthands);
    const Flag* flag = FindByShorthand(flags_, group[0]);
    if (!flag) return "unknown shorthand flag: " + QuoteCharacter(group[0]) + " in -" + group;
    // "-o=" is the value "=": pflag wants something behind the sign.
    if (group.size() > 2 && group[1] == '=') {
      consumed = true;
      return Set(*flag, group.substr(2));
    }
    if (std::string bare = ValueOfBare(*flag); !bare.empty()) return Set(*flag, std::move(bare));
    consumed = true;
    if (group.size() > 1) return Set(*flag, group.substr(1));
    if (next_ < words_.size()) return Set(*flag, words_[next_++]);
    return "flag needs an argument: " + QuoteCharacter(group[0]) + " in -" + group;
  }

  Error Set(const Flag& flag, std::string value) {
    const std::string given = value;
    result_.given.insert(flag.name);
    if (const Error error = Store(flag, std::move(value))) {
      std::string name = "--" + flag.name;
      if (flag.shorthand) name = std::string("-") + flag.shorthand + ", " + name;
      return "invalid argument " + GoQuote(given) + " for " + GoQuote(name) + " flag: " + *error;
    }
    return std::nullopt;
  }

  Error Store(const Flag& flag, std::string value) {
    if (flag.kind == FlagKind::kStrings) return StoreStrings(flag.name, value);
    if (flag.kind == FlagKind::kArray) {
      result_.flags.push_back({flag.name, std::move(value)});
      return std::nullopt;
    }
    Error error;
    if (flag.kind == FlagKind::kBool) error = CanonicalBool(value);
    if (flag.kind == FlagKind::kInt) error = CanonicalInt<std::int32_t>(value);
    if (flag.kind == FlagKind::kInt64) error = CanonicalInt<std::int64_t>(value);
    if (!error) Replace(flag.name, std::move(value));
    return error;
  }

  Error StoreStrings(const std::string& name, std::string_view value) {
    std::vector<std::string> elements;
    if (Error error = SplitStrings(value, elements)) return error;
    for (std::string& element : elements) result_.flags.push_back({name, std::move(element)});
    return std::nullopt;
  }

  void Replace(const std::string& name, std::string value) {
    const auto found = std::ranges::find(result_.flags, name, &FlagValue::name);
    if (found == result_.flags.end()) {
      result_.flags.push_back({name, std::move(value)});
    } else {
      found->value = std::move(value);
    }
  }

  std::span<const std::string> words_;
  std::span<const Flag> flags_;
  std::size_t next_ = 0;
  FlagsAndArguments result_;
};

// The flag in `word` that has its value in the next word.
const Flag* FlagThatTakesNextWord(std::string_view word, std::span<const Flag> flags) {
  if (word.starts_with("--")) {
    const Flag* flag = FindByName(flags, word.substr(2));
    return flag && ValueOfBare(*flag).empty() ? flag : nullptr;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const Flag* flag = FindByShorthand(flags, word[i]);
    if (!flag) return nullptr;
    if (ValueOfBare(*flag).empty()) return i + 1 == word.size() ? flag : nullptr;
  }
  return nullptr;
}

}  // namespace

kube::base::Result<FlagsAndArguments, std::string> ParseFlags(std::span<const std::string> words,
                                                              std::span<const Flag> flags) {
  Parser parser(words, flags);
  if (Error error = parser.Parse()) return kube::base::Unexpected(std::move(*error));
  return parser.TakeResult();
}

std::size_t FindFirstArgument(std::span<const std::string> words, std::span<const Flag> flags) {
  std::size_t i = 0;
  while (i < words.size() && IsFlag(words[i])) {
    if (words[i] == "--") return i + 1 < words.size() ? i + 1 : words.size();
    i += FlagThatTakesNextWord(words[i], flags) ? 2 : 1;
  }
  return std::min(i, words.size());
}

OpenEnd EndOf(std::span<const std::string> words, std::span<const Flag> flags) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return {nullptr, true};
    if (!IsFlag(words[i])) continue;
    const Flag* flag = FlagThatTakesNextWord(words[i], flags);
    if (flag && i + 1 == words.size()) return {flag, false};
    if (flag) ++i;
  }
  return {};
}

}  // namespace plugin::cli
