#include "kube/yaml/yaml_text.h"

#include <algorithm>
#include <array>

#include "kube/base/utf8.h"

namespace kube::yaml {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNextLine = "\xC2\x85";

constexpr bool IsPlainByte(unsigned char byte) {
  return byte == '\t' || byte == '\n' || (byte >= 0x20 && byte < 0x7F);
}

constexpr std::array<bool, 256> kPlainBytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i] = IsPlainByte(static_cast<unsigned char>(i));
  }
  return plain;
}();

bool IsLineBreak(std::string_view character) {
  return character.front() == '\r' || character == kNextLine;
}

// C0, DEL, C1 and the two that are no characters; all but the line breaks.
bool IsControl(std::string_view character) {
  if (IsLineBreak(character)) return false;
  if (character.size() == 1) return !IsPlainByte(static_cast<unsigned char>(character[0]));
  if (character.starts_with('\xC2')) return static_cast<unsigned char>(character[1]) < 0xA0;
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

ParseError ErrorAt(std::string_view text, std::size_t offset, std::size_t first_line,
                   const char* problem) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {first_line + lines, offset - line_start + 1, problem};
}

// YAML 1.1 takes a carriage return and U+0085 for a line break, alone too.
std::string WithPlainBreaks(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      out += '\n';
      if (text.substr(i + 1).starts_with('\n')) ++i;
    } else if (text.substr(i).starts_with(kNextLine)) {
      out += '\n';
      ++i;
    } else {
      out += text[i];
    }
  }
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace

base::Result<std::string_view, ParseError> NormaliseText(std::string_view text,
                                                         std::size_t first_line,
                                                         std::string& buffer) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  bool other_breaks = !text.ends_with('\n');
  for (std::size_t i = 0; i < text.size();) {
    if (kPlainBytes[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    const std::size_t length = base::utf8::SequenceLength(text.substr(i));
    if (length == 0) return base::Unexpected(ErrorAt(text, i, first_line, "invalid UTF-8"));
    const std::string_view character = text.substr(i, length);
    if (IsControl(character)) {
      return base::Unexpected(ErrorAt(text, i, first_line, "control characters are not allowed"));
    }
    other_breaks = other_breaks || IsLineBreak(character);
    i += length;
  }
  if (!other_breaks) return text;
  buffer = WithPlainBreaks(text);
  return std::string_view(buffer);
}

}  // namespace kube::yaml
