#include "kube/yaml/yaml.h"

#include <algorithm>
#include <array>

#include "kube/base/utf8.h"
#include "kube/yaml/yaml_events.h"

namespace kube::yaml {
namespace {

// What ends too soon is at fault in its last line, not behind it.
void KeepWithin(std::string_view text, std::size_t first_line, ParseError& error) {
  const std::string_view whole = text.substr(0, text.find_last_not_of("\r\n") + 1);
  const auto breaks = static_cast<std::size_t>(std::ranges::count(whole, '\n'));
  if (error.line <= first_line + breaks) return;
  error.line = first_line + breaks;
  error.column = 0;
}

}  // namespace

std::size_t KeyLines::LineOf(std::string_view pointer, std::size_t otherwise) const {
  while (!pointer.empty()) {
    if (const auto found = by_pointer.find(std::string(pointer)); found != by_pointer.end()) {
      return found->second;
    }
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
  return otherwise;
}

std::optional<ParseError> Parse(std::string_view text, std::size_t first_line,
                                json::Document& document, std::vector<BooleanKey>* boolean_keys,
                                KeyLines* key_lines, BracketKeys bracket_keys) {
  auto error = CheckText(text, first_line);
  if (!error) error = CheckDirectives(text, first_line);
  if (!error) {
    error = ReadEvents(text, first_line, document, {boolean_keys, key_lines, bracket_keys});
  }
  if (!error) return error;
  document.root() = json::Value();
  KeepWithin(text, first_line, *error);
  return error;
}

namespace {

constexpr std::string_view kNextLine = "\xC2\x85";  // a line break
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMaxDirectives = 100;

constexpr bool IsPlainByte(unsigned char byte) {
  return byte == '\t' || byte == '\n' || byte == '\r' || (byte >= 0x20 && byte < 0x7F);
}

constexpr std::array<bool, 256> kPlainBytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i] = IsPlainByte(static_cast<unsigned char>(i));
  }
  return plain;
}();

// C0, DEL, C1 and the two that are no characters; all but the line breaks.
bool IsControl(std::string_view character) {
  if (character.size() == 1) return !IsPlainByte(static_cast<unsigned char>(character[0]));
  if (character.starts_with('\xC2')) {
    return static_cast<unsigned char>(character[1]) < 0xA0 && character != kNextLine;
  }
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

ParseError ErrorAt(std::string_view text, std::size_t offset, std::size_t first_line,
                   const char* problem) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {first_line + lines, offset - line_start + 1, problem};
}

}  // namespace

std::optional<ParseError> CheckText(std::string_view text, std::size_t first_line) {
  for (std::size_t i = 0; i < text.size();) {
    if (kPlainBytes[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    const std::size_t length = base::utf8::SequenceLength(text.substr(i));
    if (length == 0) return ErrorAt(text, i, first_line, "invalid UTF-8");
    if (IsControl(text.substr(i, length))) {
      return ErrorAt(text, i, first_line, "control characters are not allowed");
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<ParseError> CheckDirectives(std::string_view text, std::size_t first_line) {
  std::size_t directives = 0;
  std::size_t line = first_line;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size() - 1);
    const std::size_t content = text.find_first_not_of(" \t\r\n");
    if (content <= end && text[0] != '%' && text[content] != '#') break;
    if (text[0] == '%' && ++directives > kMaxDirectives) {
      return ParseError{line, 1, "exceeded max directives"};
    }
    if (text[end] == '\n') ++line;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace kube::yaml
