#include "kube/yaml/yaml_print.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/yaml/yaml.h"
#include "kube/yaml/yaml_scalar.h"

namespace kube::yaml {
namespace {

using kube::base::IsDigit;

enum class Class { kOther, kDigit, kLetter };

Class ClassOf(char c) {
  if (IsDigit(c)) return Class::kDigit;
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
  return letter ? Class::kLetter : Class::kOther;
}

std::string_view DigitsAround(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  std::size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view WithoutZeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// Go counts in an int64, which a hostile key overflows; the digits themselves do not.
bool NumberLess(std::string_view a, std::string_view b) {
  const std::string_view x = WithoutZeros(a);
  const std::string_view y = WithoutZeros(b);
  if (x.size() != y.size()) return x.size() < y.size();
  if (x != y) return x < y;
  return a.size() < b.size();
}

using Members = std::vector<const json::Member*>;

std::string_view KeyOf(const json::Member* member) { return member->key.text(); }

// std::sort and its like may leave the range where a comparison contradicts itself; this does not.
void Merge(Members& from, std::size_t begin, std::size_t middle, std::size_t end, Members& to) {
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t i = begin; i < end; ++i) {
    const bool take_right =
        left == middle || (right < end && KeyLess(KeyOf(from[right]), KeyOf(from[left])));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

}  // namespace

bool KeyLess(std::string_view a, std::string_view b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return a.size() < b.size();
  const auto at = static_cast<std::size_t>(x - a.begin());
  const Class class_a = ClassOf(*x);
  const Class class_b = ClassOf(*y);
  if (class_a != class_b) return class_a < class_b;
  if (class_a == Class::kDigit) return NumberLess(DigitsAround(a, at), DigitsAround(b, at));
  return static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y);
}

void SortByKey(Members& members) {
  std::sort(members.begin(), members.end(),
            [](const json::Member* a, const json::Member* b) { return KeyOf(a) < KeyOf(b); });
  Members merged(members.size());
  for (std::size_t width = 1; width < members.size(); width *= 2) {
    for (std::size_t begin = 0; begin < members.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, members.size());
      Merge(members, begin, middle, std::min(middle + width, members.size()), merged);
    }
    members.swap(merged);
  }
}

namespace {

std::size_t SkipDigitsOrUnderscores(std::string_view text, std::size_t at) {
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '_')) ++at;
  return at;
}

// ^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$: numbers in base 60, such as 12:30:45.5, which
// go-yaml does not read but other parsers of YAML 1.1 do.
bool IsBase60(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !IsDigit(text[0])) return false;
  std::size_t at = SkipDigitsOrUnderscores(text, 0);
  if (at == text.size() || text[at] != ':') return false;
  while (at < text.size() && text[at] == ':') {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    const std::size_t digits = end - at - 1;
    if (digits == 0 || digits > 2 || (digits == 2 && text[at + 1] > '5')) return false;
    at = end;
  }
  if (at < text.size() && text[at] == '.') at = SkipDigitsOrUnderscores(text, at + 1);
  return at == text.size();
}

bool ReadsAsString(std::string_view text) {
  return ResolvePlain(text).kind == ScalarKind::kString && !IsBase60(text);
}

bool IsBlankOrBreak(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
         text[at] == '\r';
}

bool StartsWithIndicator(std::string_view text) {
  constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`";
  if (kIndicators.find(text[0]) != std::string_view::npos) return true;
  if (text.starts_with("---") || text.starts_with("...")) return true;
  const bool may_indicate = text[0] == '?' || text[0] == ':' || text[0] == '-';
  return may_indicate && IsBlankOrBreak(text, 1);
}

// ": " and " #" end a plain scalar.
bool HoldsIndicator(std::string_view text) {
  for (std::size_t i = text.find_first_of(":#", 1); i != std::string_view::npos;
       i = text.find_first_of(":#", i + 1)) {
    if (text[i] == ':' ? IsBlankOrBreak(text, i + 1) : IsBlankOrBreak(text, i - 1)) return true;
  }
  return false;
}

bool IsAllPrintable(std::string_view text) {
  while (!text.empty()) {
    if (!IsPrintable(text)) return false;
    text.remove_prefix(std::max<std::size_t>(base::utf8::SequenceLength(text), 1));
  }
  return true;
}

// A blank before a line break or at the end cannot be seen in a block.
bool IsBlockAllowed(std::string_view text) {
  return !text.ends_with(' ') && text.find(" \n") == std::string_view::npos;
}

}  // namespace

// go-yaml takes tabs, line breaks but "\n", and all beyond U+FFFF for not printable. U+2028 and
// U+2029 it would write as they are, but what reads a line break back differs between parsers; and
// bidirectional marks, by which a terminal would show something else than what is there.
bool IsPrintable(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return byte == '\n' || (byte >= 0x20 && byte <= 0x7E);
  if (base::utf8::SteeringLength(text) > 0) return false;
  if (byte == 0xEF) return !text.starts_with("\xEF\xBF\xBE") && !text.starts_with("\xEF\xBF\xBF");
  return byte < 0xF0;
}

ScalarStyle StyleOf(std::string_view text) {
  if (text.empty() || !IsAllPrintable(text)) return ScalarStyle::kDoubleQuoted;
  if (text.find('\n') != std::string_view::npos) {
    return IsBlockAllowed(text) ? ScalarStyle::kLiteral : ScalarStyle::kDoubleQuoted;
  }
  // "<<" as a plain key would merge; go-yaml leaves that to chance.
  if (!ReadsAsString(text) || text == "<<") return ScalarStyle::kDoubleQuoted;
  const bool plain = text.front() != ' ' && text.back() != ' ' && !StartsWithIndicator(text) &&
                     !HoldsIndicator(text);
  return plain ? ScalarStyle::kPlain : ScalarStyle::kSingleQuoted;
}

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidth = 80;              // lines are folded at the first blank beyond
constexpr std::size_t kLongestSimpleKey = 128;  // longer ones are written as "? key"

// All that YAML 1.1 takes for a line break.
bool HasBreak(std::string_view text) {
  constexpr std::array<std::string_view, 5> kBreaks{"\n", "\r", "\xC2\x85", "\xE2\x80\xA8",
                                                    "\xE2\x80\xA9"};
  return std::any_of(kBreaks.begin(), kBreaks.end(), [text](std::string_view line_break) {
    return text.find(line_break) != std::string_view::npos;
  });
}

std::uint32_t CodePointOf(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character[0]);
  std::uint32_t code = static_cast<unsigned char>(character[0]) & (0x7FU >> character.size());
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

// Lays text out as the emitter of go-yaml v2 (emitterc.go) does.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  bool indention() const { return indention_; }

  // Goes to the column `indent`: on this line, where only indicators were written, or on the next.
  void Indent(std::size_t indent) {
    if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) Break();
    while (column_ < indent) Put(" ");
    whitespace_ = true;
    indention_ = true;
  }

  // On a line of its own; what comes next goes on at the column `indent`.
  void Comment(std::string_view text, std::size_t indent) {
    out_.append("# ").append(text);
    Break();
    whitespace_ = true;
    indention_ = true;
    Indent(indent);
  }

  enum class Before : bool { kNothing, kBlank };

  // "-", "?" and a ":" on a line of its own, after which a collection may go on in the same line.
  void BlockIndicator(std::string_view indicator) {
    Blank();
    Put(indicator);
    whitespace_ = false;
  }

  void Indicator(std::string_view indicator, Before before) {
    if (before == Before::kBlank) Blank();
    Put(indicator);
    whitespace_ = false;
    indention_ = false;
  }

  // `indent` is where the text goes on in further lines; a key has none.
  enum class Fold : bool { kNo, kYes };
  void Scalar(std::string_view text, ScalarStyle style, std::size_t indent, Fold fold) {
    switch (style) {
      case ScalarStyle::kPlain:
        Blank();
        Unquoted(text, indent, fold, false);
        break;
      case ScalarStyle::kSingleQuoted:
        Indicator("'", Before::kBlank);
        Unquoted(text, indent, fold, true);
        Put("'");
        break;
      case ScalarStyle::kDoubleQuoted:
        Indicator("\"", Before::kBlank);
        DoubleQuoted(text, indent, fold);
        Put("\"");
        break;
      case ScalarStyle::kLiteral:
        Literal(text, indent);
        return;
    }
    whitespace_ = false;
    indention_ = false;
  }

 private:
  void Put(std::string_view character) {
    out_ += character;
    column_ += static_cast<unsigned char>(character.front()) < 0x80 ? character.size() : 1;
  }

  void Blank() {
    if (!whitespace_) Put(" ");
  }

  void Break() {
    out_ += '\n';
    column_ = 0;
  }

  static std::string_view CharacterAt(std::string_view text, std::size_t at) {
    return text.substr(at, std::max<std::size_t>(base::utf8::SequenceLength(text.substr(at)), 1));
  }

  void Unquoted(std::string_view text, std::size_t indent, Fold fold, bool quoted) {
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view character = CharacterAt(text, i);
      const bool single_blank = text[i] == ' ' && i > 0 && text[i - 1] != ' ' &&
                                i + 1 < text.size() && text[i + 1] != ' ';
      if (single_blank && fold == Fold::kYes && column_ > kWidth) {
        Indent(indent);
      } else {
        if (quoted && text[i] == '\'') Put("'");
        Put(character);
      }
      if (text[i] != ' ') indention_ = false;
      i += character.size();
    }
  }

  void DoubleQuoted(std::string_view text, std::size_t indent, Fold fold) {
    // A slip of go-yaml: behind a byte order mark it escapes every character.
    const bool escape_all = text.starts_with("\xEF\xBB\xBF");
    bool after_blank = false;
    for (std::size_t i = 0; i < text.size();) {
      const std::string_view character = CharacterAt(text, i);
      const char c = text[i];
      if (escape_all || !IsPrintable(character) || c == '\n' || c == '"' || c == '\\') {
        Escape(CodePointOf(character));
        after_blank = false;
      } else if (c == ' ') {
        const bool inside = i > 0 && i + 1 < text.size();
        if (fold == Fold::kYes && !after_blank && column_ > kWidth && inside) {
          Indent(indent);
          if (text[i + 1] == ' ') Put("\\");
        } else {
          Put(character);
        }
        after_blank = true;
      } else {
        Put(character);
        after_blank = false;
      }
      i += character.size();
    }
  }

  void Escape(std::uint32_t code) {
    constexpr std::array<std::pair<std::uint32_t, char>, 15> kShort{{{0x00, '0'},
                                                                     {0x07, 'a'},
                                                                     {0x08, 'b'},
                                                                     {0x09, 't'},
                                                                     {0x0A, 'n'},
                                                                     {0x0B, 'v'},
                                                                     {0x0C, 'f'},
                                                                     {0x0D, 'r'},
                                                                     {0x1B, 'e'},
                                                                     {'"', '"'},
                                                                     {'\\', '\\'},
                                                                     {0x85, 'N'},
                                                                     {0xA0, '_'},
                                                                     {0x2028, 'L'},
                                                                     {0x2029, 'P'}}};
    Put("\\");
    for (const auto& [special, letter] : kShort) {
      if (code == special) return Put(std::string_view(&letter, 1));
    }
    const int digits = code <= 0xFF ? 2 : code <= 0xFFFF ? 4 : 8;
    Put(digits == 2 ? "x" : digits == 4 ? "u" : "U");
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      Put(std::string_view("0123456789ABCDEF").substr(code >> shift & 0xF, 1));
    }
  }

  void Literal(std::string_view text, std::size_t indent) {
    Indicator("|", Before::kBlank);
    // Where the first line does not show the indentation, it is written.
    if (text.front() == ' ' || text.front() == '\n') Put("2");
    if (!text.ends_with('\n')) Put("-");
    if (text == "\n" || text.ends_with("\n\n")) Put("+");
    Break();
    indention_ = true;
    whitespace_ = true;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) {
        Indent(indent);
        out_ += text.substr(0, end);
        column_ += end;
        indention_ = false;
      }
      if (end == text.size()) return;
      Break();
      indention_ = true;
      text.remove_prefix(end + 1);
    }
  }

  std::string& out_;
  std::size_t column_ = 0;
  bool whitespace_ = true;
  bool indention_ = true;
};

// Prints without recursion, as values may be nested 10,000 deep.
class Printer {
 public:
  Printer(std::string& out, const Comments* comments) : writer_(out), comments_(comments) {}

  void Print(const json::Value& root) {
    const std::size_t indent = root.empty() ? kIndent : 0;  // a lone scalar is indented
    Node(root, indent, indent);
    while (!frames_.empty()) Step();
    writer_.Indent(0);
  }

 private:
  struct Frame {
    const json::Value* value;
    std::size_t indent;
    std::size_t next = 0;
    std::vector<const json::Member*> members;  // sorted
  };

  void Step() {
    Frame& frame = frames_.back();
    if (frame.next == frame.value->size()) return frames_.pop_back();
    const std::size_t next = frame.next++;
    if (frame.value->is_array()) return Element(frame.value->elements()[next], frame.indent);
    Member(*frame.members[next], frame.indent);
  }

  void Element(const json::Value& element, std::size_t indent) {
    writer_.Indent(indent);
    writer_.BlockIndicator("-");
    Node(element, indent + kIndent, indent + kIndent);
  }

  // A sequence stands at the column of its key, unless that key is a long one.
  void Member(const json::Member& member, std::size_t indent) {
    const std::string_view key = member.key.text();
    const ScalarStyle style = StyleOf(key);
    writer_.Indent(indent);
    if (comments_ != nullptr) {
      const auto comment = comments_->find(&member.value);
      if (comment != comments_->end()) writer_.Comment(comment->second, indent);
    }
    if (key.size() <= kLongestSimpleKey && !HasBreak(key)) {
      writer_.Scalar(key, style, indent + kIndent, Writer::Fold::kNo);
      writer_.Indicator(":", Writer::Before::kNothing);
      return Node(member.value, indent + kIndent, indent);
    }
    writer_.BlockIndicator("?");
    writer_.Scalar(key, style, indent + kIndent, Writer::Fold::kYes);
    writer_.Indent(indent);
    writer_.BlockIndicator(":");
    Node(member.value, indent + kIndent, indent + kIndent);
  }

  void Node(const json::Value& value, std::size_t indent, std::size_t sequence_indent) {
    switch (value.type()) {
      case json::Type::kNull:
        return Plain("null");
      case json::Type::kBool:
        return Plain(value.AsBool() ? "true" : "false");
      case json::Type::kNumber:
        return Plain(value.text());
      case json::Type::kString:
        return writer_.Scalar(value.text(), StyleOf(value.text()), indent, Writer::Fold::kYes);
      case json::Type::kArray:
        if (value.empty()) return writer_.Indicator("[]", Writer::Before::kBlank);
        frames_.push_back({&value, sequence_indent, 0, {}});
        return;
      case json::Type::kObject:
        if (value.empty()) return writer_.Indicator("{}", Writer::Before::kBlank);
        frames_.push_back({&value, indent, 0, Sorted(value)});
        return;
    }
  }

  void Plain(std::string_view text) {
    writer_.Scalar(text, ScalarStyle::kPlain, 0, Writer::Fold::kNo);
  }

  static std::vector<const json::Member*> Sorted(const json::Value& object) {
    std::vector<const json::Member*> members;
    members.reserve(object.size());
    for (const json::Member& member : object.members()) members.push_back(&member);
    SortByKey(members);
    return members;
  }

  Writer writer_;
  const Comments* comments_;  // or the null pointer
  std::vector<Frame> frames_;
};

}  // namespace

void PrintTo(std::string& out, const json::Value& value) { Printer(out, nullptr).Print(value); }

void PrintTo(std::string& out, const json::Value& value, const Comments& comments) {
  Printer(out, &comments).Print(value);
}

std::string Print(const json::Value& value) {
  std::string out;
  yaml::PrintTo(out, value);  // json has one too
  return out;
}

}  // namespace kube::yaml
