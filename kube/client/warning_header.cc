#include "kube/client/warning_header.h"

#include <algorithm>
#include <optional>
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

}  // namespace kube::client
