#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/yaml/yaml.h"
#include "kube/yaml/yaml_key_order.h"
#include "kube/yaml/yaml_style.h"

namespace kube::yaml {
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
