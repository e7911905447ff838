#include <algorithm>

#include "kube/base/utf8.h"
#include "kube/json/json.h"

namespace kube::json {
namespace {

constexpr std::size_t kIndent = 4;

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/// Takes the place of a text whose size alone is asked for.
struct SizeOnly {
  std::size_t size = 0;

  void operator+=(char) { ++size; }
  void operator+=(std::string_view text) { size += text.size(); }
  void append(std::size_t count, char) { size += count; }
};

template <typename Out>
void AppendControl(Out& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

template <typename Out>
void AppendAscii(Out& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\x7F':
      out += c;
      break;
    default:
      AppendControl(out, c);
  }
}

template <typename Out>
void AppendMultibyte(Out& out, std::string_view sequence) {
  if (sequence.empty()) {
    out += "\\ufffd";
  } else if (sequence == "\xE2\x80\xA8") {
    out += "\\u2028";
  } else if (sequence == "\xE2\x80\xA9") {
    out += "\\u2029";
  } else {
    out += sequence;
  }
}

template <typename Out>
void AppendString(Out& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto plain_end = std::find_if_not(text.begin(), text.end(), IsPlain);
    const auto plain = static_cast<std::size_t>(plain_end - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      AppendAscii(out, text[0]);
      text.remove_prefix(1);
    } else {
      const std::size_t length = base::utf8::SequenceLength(text);
      AppendMultibyte(out, text.substr(0, length));
      text.remove_prefix(std::max<std::size_t>(length, 1));
    }
  }
  out += '"';
}

template <typename Out>
class Printer {
 public:
  Printer(Out& out, KeyOrder order, bool indented)
      : out_(out), order_(order), indented_(indented) {}

  void Print(const Value& value) {
    switch (value.type()) {
      case Type::kNull:
        out_ += "null";
        break;
      case Type::kBool:
        out_ += value.AsBool() ? "true" : "false";
        break;
      case Type::kNumber:
        out_ += value.text();
        break;
      case Type::kString:
        AppendString(out_, value.text());
        break;
      case Type::kArray:
        PrintArray(value);
        break;
      case Type::kObject:
        PrintObject(value);
        break;
    }
  }

 private:
  void PrintArray(const Value& array) {
    out_ += '[';
    ++level_;
    for (const Value& element : array.elements()) {
      Separate(&element == array.elements().data());
      Print(element);
    }
    --level_;
    if (!array.empty()) BreakLine();
    out_ += ']';
  }

  void PrintObject(const Value& object) {
    std::vector<const Member*> members;
    members.reserve(object.size());
    for (const Member& member : object.members()) members.push_back(&member);
    if (order_ == KeyOrder::kSorted) {
      std::sort(members.begin(), members.end(),
                [](const Member* a, const Member* b) { return a->key.text() < b->key.text(); });
    }
    out_ += '{';
    ++level_;
    for (const Member* member : members) {
      Separate(member == members.front());
      AppendString(out_, member->key.text());
      out_ += indented_ ? ": " : ":";
      Print(member->value);
    }
    --level_;
    if (!members.empty()) BreakLine();
    out_ += '}';
  }

  void Separate(bool first) {
    if (!first) out_ += ',';
    BreakLine();
  }

  void BreakLine() {
    if (!indented_) return;
    out_ += '\n';
    out_.append(level_ * kIndent, ' ');
  }

  Out& out_;
  KeyOrder order_;
  bool indented_;
  std::size_t level_ = 0;
};

}  // namespace

void PrintTo(std::string& out, const Value& value, KeyOrder order) {
  Printer(out, order, false).Print(value);
}

std::string Print(const Value& value, KeyOrder order) {
  std::string out;
  PrintTo(out, value, order);
  return out;
}

std::size_t PrintedSize(const Value& value) {
  SizeOnly out;
  Printer(out, KeyOrder::kAsWritten, false).Print(value);
  return out.size;
}

std::string PrintIndented(const Value& value, KeyOrder order) {
  std::string out;
  Printer(out, order, true).Print(value);
  return out;
}

}  // namespace kube::json
