#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_printable.h"
#include "kube/json/json.h"
#include "plugin/report/json_path_template.h"

namespace plugin::report::json_path {
namespace {

using kube::base::IsDigit;

using Problem = std::optional<std::string>;

// Filters in filters, and unions in unions: nobody needs more, and each level is a call.
constexpr int kMaxNesting = 100;

// Letters beyond ASCII are not told from other characters there.
bool IsWordCharacter(char c) {
  return IsDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

bool IsTerminator(char c) {
  return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

// fmt's %#U of the character at the start of `text`.
std::string DescribeCharacter(std::string_view text) {
  const char32_t rune = kube::base::DecodeRune(text).value;
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(rune));
  std::string described = code;
  if (!kube::go::IsGoPrintable(rune)) return described;
  described += " '";
  kube::base::utf8::Append(described, rune);
  return described + "'";
}

// What a backslash and one letter stand for in a string of Go; 0 for any other.
char PlainEscape(char c, char quote) {
  constexpr std::string_view kLetters = "abfnrtv\\";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
  if (c == quote) return quote;
  const std::size_t place = kLetters.find(c);
  return place == std::string_view::npos ? '\0' : kMeanings[place];
}

// Takes the digits of \x41, \u0041, \U00000041 or \101, `text` being behind the backslash.
std::optional<char32_t> TakeCode(std::string_view& text) {
  const char kind = text[0];
  const std::size_t size = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 3;
  const bool is_octal = kind >= '0' && kind <= '7';
  if (!is_octal) text.remove_prefix(1);
  if (text.size() < size) return std::nullopt;
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + size, code,  //
                                            is_octal ? 8 : 16);
  if (error != std::errc() || end != text.data() + size) return std::nullopt;
  text.remove_prefix(size);
  if (is_octal && code > 0xFF) return std::nullopt;
  return code;
}

// Appends what the escape at the start of `text` means, and removes it; false where it is none.
bool TakeEscape(std::string_view& text, char quote, std::string& plain) {
  text.remove_prefix(1);
  if (text.empty()) return false;
  if (const char c = PlainEscape(text[0], quote)) {
    plain += c;
    text.remove_prefix(1);
    return true;
  }
  const char kind = text[0];
  if (std::string_view("xuU01234567").find(kind) == std::string_view::npos) return false;
  const auto code = TakeCode(text);
  if (!code) return false;
  if (kind != 'u' && kind != 'U') {
    plain += static_cast<char>(*code);
    return true;
  }
  if (*code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)) return false;
  kube::base::utf8::Append(plain, *code);
  return true;
}

// UnquoteExtend: a string of Go, which may also stand in single quotes. `text` is in quotes.
std::optional<std::string> Unquote(std::string_view text) {
  const char quote = text.front();
  std::string plain;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    if (text[0] == quote) return std::nullopt;
    if (text[0] == '\\') {
      if (!TakeEscape(text, quote, plain)) return std::nullopt;
    } else {
      plain += text[0];
      text.remove_prefix(1);
    }
  }
  return plain;
}

std::optional<long> ParseIndex(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer);
      read.ec == std::errc() && read.ptr == end) {
    return std::to_string(integer);
  }
  double real = 0;
  const auto read = std::from_chars(text.data(), end, real);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  std::string printed = kube::json::FormatFloatG(real);
  // 2.0 is printed as 2, but stays a float64 in comparisons.
  if (printed.find_first_of(".e") == std::string::npos) printed += ".0";
  return printed;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The pieces of "first:end:step"; absent where it is nothing of the kind.
std::optional<std::vector<std::string_view>> SplitSlice(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view piece = text.substr(0, colon);
    const std::string_view digits = piece.substr(piece.starts_with('-') ? 1 : 0);
    if (!std::ranges::all_of(digits, IsDigit) || pieces.size() == 3) return std::nullopt;
    pieces.push_back(piece);
    if (colon == std::string_view::npos) return pieces;
    text.remove_prefix(colon + 1);
  }
}

class Parser {
 public:
  Parser(std::string_view text, int nesting) : text_(text), nesting_(nesting) {}

  kube::base::Result<Actions, std::string> Parse() {
    while (at_ < text_.size()) {
      const std::size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_) actions_.push_back({{Text{std::string(text_.substr(at_, brace - at_))}}});
      at_ = brace;
      if (at_ == text_.size()) break;
      ++at_;
      actions_.emplace_back();
      if (Problem problem = ParseAction()) return kube::base::Unexpected(*std::move(problem));
    }
    return std::move(actions_);
  }

 private:
  Problem ParseAction() {
    while (true) {
      if (AtEnd() || text_[at_] == '\n' || text_[at_] == '\r') return "unclosed action";
      if (text_[at_] == '}') break;
      if (Problem problem = ParseNode()) return problem;
    }
    ++at_;
    return std::nullopt;
  }

  Problem ParseNode() {
    const char c = text_[at_];
    if (Rest().starts_with("[?(")) return ParseFilter();
    if (Rest().starts_with("..")) return ParseDescent();
    if (c == '[') return ParseBrackets();
    if (c == '"' || c == '\'') return ParseQuoted();
    if (c == '.') return ParseField();
    if (c == '+' || c == '-' || IsDigit(c)) return ParseNumberNode();
    if (IsWordCharacter(c)) return ParseWord();
    // The current object needs no name.
    if (c != ' ' && c != '@' && c != '$') {
      return "unrecognized character in action: " + DescribeCharacter(Rest());
    }
    ++at_;
    return std::nullopt;
  }

  Problem ParseDescent() {
    Nodes& nodes = actions_.back();
    if (!nodes.empty() && std::holds_alternative<Descent>(nodes.back().value)) {
      return "invalid multiple recursive descent";
    }
    at_ += 2;
    nodes.push_back({Descent{}});
    if (AtEnd() || !IsWordCharacter(text_[at_])) return std::nullopt;
    AddField(TakeName());
    return std::nullopt;
  }

  Problem ParseField() {
    ++at_;
    AddField(TakeName());
    return std::nullopt;
  }

  // A backslash takes the character behind it into the name, whatever it is.
  std::string_view TakeName() {
    const std::size_t start = at_;
    while (!AtEnd() && !IsTerminator(text_[at_])) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    return text_.substr(start, at_ - start);
  }

  void AddField(std::string_view name) {
    if (name == "*") return Add(Wildcard{});
    std::string plain(name);
    std::erase(plain, '\\');
    Add(Field{std::move(plain)});
  }

  Problem ParseWord() {
    const std::size_t start = at_;
    while (!AtEnd() && !IsTerminator(text_[at_])) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (word == "true" || word == "false") {
      Add(Bool{word == "true"});
    } else {
      Add(Identifier{word});
    }
    return std::nullopt;
  }

  Problem ParseNumberNode() {
    const std::size_t start = at_++;
    while (!AtEnd() && (text_[at_] == '.' || IsDigit(text_[at_]))) ++at_;
    const std::string_view written = text_.substr(start, at_ - start);
    const auto number = ParseNumber(written);
    if (!number) return "cannot parse number " + std::string(written);
    Add(Number{*number});
    return std::nullopt;
  }

  Problem ParseQuoted() {
    const std::size_t start = at_;
    do {
      at_ = text_.find_first_of(std::string{text_[start], '\n'}, at_ + 1);
      if (at_ == std::string_view::npos || text_[at_] == '\n') return "unterminated quoted string";
    } while (text_[at_ - 1] == '\\');
    const std::string_view quoted = text_.substr(start, ++at_ - start);
    auto plain = Unquote(quoted);
    if (!plain) return "unquote string " + std::string(quoted) + " error invalid syntax";
    Add(Text{*std::move(plain)});
    return std::nullopt;
  }

  Problem ParseBrackets() {
    const std::size_t start = at_ + 1;
    const std::size_t end = text_.find_first_of("]\n", start);
    if (end == std::string_view::npos || text_[end] == '\n') return "unterminated array";
    at_ = end + 1;
    const std::string_view inside = text_.substr(start, end - start);
    if (inside.find(',') != std::string_view::npos) return ParseUnion(inside);
    const bool is_quoted = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'';
    if (is_quoted && std::ranges::count(inside, '\'') == 2) {
      return AddAll("." + std::string(inside.substr(1, inside.size() - 2)), actions_.back());
    }
    return ParseSlice(inside == "*" ? ":" : inside);
  }

  Problem ParseUnion(std::string_view inside) {
    Union result;
    while (true) {
      const std::size_t comma = inside.find(',');
      const std::string part = "[" + std::string(Trim(inside.substr(0, comma))) + "]";
      if (Problem problem = AddAll(part, result.parts.emplace_back())) return problem;
      if (comma == std::string_view::npos) break;
      inside.remove_prefix(comma + 1);
    }
    Add(std::move(result));
    return std::nullopt;
  }

  Problem ParseSlice(std::string_view inside) {
    const auto pieces = SplitSlice(inside);
    if (!pieces) return "invalid array index " + std::string(inside);
    Slice slice;
    for (std::size_t i = 0; i < pieces->size(); ++i) {
      const std::string_view piece = (*pieces)[i];
      if (piece.empty()) continue;
      const auto value = ParseIndex(piece);
      if (!value) return "array index " + std::string(piece) + " is not a number";
      slice.bounds[i] = {.is_known = true, .value = *value};
    }
    if (pieces->size() == 1) {
      slice.bounds[1] = {.is_known = true, .is_derived = true, .value = slice.bounds[0].value + 1};
    }
    Add(std::move(slice));
    return std::nullopt;
  }

  Problem ParseFilter() {
    at_ += 3;
    const std::size_t start = at_;
    const auto end = FindFilterEnd();
    if (!end) return "unterminated filter";
    at_ = *end + 1;
    if (AtEnd() || text_[at_] != ']') return "unclosed array expect ]";
    ++at_;
    return AddFilter(text_.substr(start, *end - start));
  }

  // The place of the parenthesis that closes it; one in quotes does not, in the first of them.
  std::optional<std::size_t> FindFilterEnd() const {
    char quote = 0;
    bool closed = false;
    for (std::size_t i = at_; i < text_.size() && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == ')' && (quote != 0) == closed) return i;
      if (c != '"' && c != '\'') continue;
      if (quote == 0) {
        quote = c;
      } else if (c == quote && text_[i - 1] != '\\') {
        closed = true;
      }
    }
    return std::nullopt;
  }

  Problem AddFilter(std::string_view inside) {
    Filter filter;
    const std::size_t start = std::min(inside.find_first_of("!<>="), inside.size());
    std::size_t end = std::min(inside.find_first_not_of("!<>=", start), inside.size());
    // Something must be left for the right side, if only one of these signs.
    if (end == inside.size() && end > start + 1) --end;
    if (start == 0 || end <= start || end == inside.size()) {
      filter.comparison = "exists";
      if (Problem problem = AddAll(inside, filter.left)) return problem;
    } else {
      filter.comparison = inside.substr(start, end - start);
      if (Problem problem = AddAll(inside.substr(0, start), filter.left)) return problem;
      if (Problem problem = AddAll(inside.substr(end), filter.right)) return problem;
    }
    Add(std::move(filter));
    return std::nullopt;
  }

  // Reads `action` as if it stood in braces of its own.
  Problem AddAll(std::string_view action, Nodes& nodes) const {
    if (nesting_ == kMaxNesting) return "too many filters in filters";
    const std::string text = "{" + std::string(action) + "}";
    auto actions = Parser(text, nesting_ + 1).Parse();
    if (!actions) return std::move(actions).error();
    Nodes& first = actions->front();
    std::ranges::move(first, std::back_inserter(nodes));
    return std::nullopt;
  }

  template <typename T>
  void Add(T node) {
    actions_.back().push_back(Node{std::move(node)});
  }

  std::string_view Rest() const { return text_.substr(at_); }
  bool AtEnd() const { return at_ >= text_.size(); }

  std::string_view text_;
  const int nesting_;
  std::size_t at_ = 0;
  Actions actions_;
};

}  // namespace

kube::base::Result<Actions, std::string> ParseActions(std::string_view text) {
  return Parser(text, 0).Parse();
}

}  // namespace plugin::report::json_path
