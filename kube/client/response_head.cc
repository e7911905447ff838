#include "kube/client/response_head.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/utf8.h"

namespace kube::client {
namespace {

struct Warning {
  std::string_view code;
  std::string text;
};

void SkipSpace(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Takes what is before the next blank, and the blank.
std::optional<std::string_view> TakeWord(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  if (end == rest.npos || end == 0) return std::nullopt;
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return word;
}

/// Takes a quoted string; a backslash stands before a character that means itself.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      return text;
    }
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    text += rest[at];
  }
  return std::nullopt;
}

bool IsCode(std::string_view word) {
  return word.size() == 3 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsPlainText(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (base::utf8::ControlLength(text.substr(at)) > 0) return false;
  }
  return base::utf8::IsValid(text);
}

/// Takes the comma before the next warning; false where something else follows.
bool TakeSeparator(std::string_view& rest) {
  SkipSpace(rest);
  if (rest.empty()) return true;
  if (rest.front() != ',') return false;
  rest.remove_prefix(1);
  SkipSpace(rest);
  return true;
}

std::optional<Warning> TakeWarning(std::string_view& rest) {
  SkipSpace(rest);
  const auto code = TakeWord(rest);
  const auto agent = code ? TakeWord(rest) : std::nullopt;
  if (!agent || !IsCode(*code) || !IsPlainText(*agent)) return std::nullopt;
  const auto text = TakeQuoted(rest);
  if (!text || !IsPlainText(*text)) return std::nullopt;
  SkipSpace(rest);
  if (rest.starts_with('"') && !TakeQuoted(rest)) return std::nullopt;  // the date
  if (!TakeSeparator(rest)) return std::nullopt;
  return Warning{*code, *text};
}

}  // namespace

std::vector<std::string> WarningTexts(const ResponseHead& head) {
  std::vector<std::string> texts;
  for (std::string_view rest : head.FindAll("Warning")) {
    while (!rest.empty()) {
      auto warning = TakeWarning(rest);
      if (!warning) break;
      if (warning->code == "299") texts.push_back(std::move(warning->text));
    }
  }
  return texts;
}

bool HeadReader::Take(std::string_view line) {
  bytes_ += line.size();
  if (complete_ || is_too_long()) return false;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return complete_ = head_.status >= 200;
  if (line.starts_with("HTTP/")) {
    ReadStatus(line);
  } else {
    ReadHeader(line);
  }
  return false;
}

void HeadReader::ReadStatus(std::string_view line) {
  head_ = {};
  line.remove_prefix(std::min(line.find(' '), line.size()));
  while (line.starts_with(' ')) line.remove_prefix(1);
  std::from_chars(line.data(), line.data() + line.size(), head_.status);
}

void HeadReader::ReadHeader(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  head_.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
}

}  // namespace kube::client
