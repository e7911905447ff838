#include "kube/admission/reply.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kube/base/text.h"
#include "kube/base/utf8.h"

namespace kube::admission {
namespace {

namespace utf8 = base::utf8;

std::size_t CharactersOf(std::string_view text) {
  return static_cast<std::size_t>(utf8::CountCharacters(text));
}

/// The first `count` characters of `text`, which is UTF-8.
std::string_view FirstCharacters(std::string_view text, std::size_t count) {
  std::size_t length = 0;
  for (; count > 0 && length < text.size(); --count) {
    length += utf8::SequenceLength(text.substr(length));
  }
  return text.substr(0, length);
}

/// White space and control characters as one blank each run, none at the ends.
std::string OnOneLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    std::size_t length = text.front() == ' ' ? 1 : utf8::ControlLength(text);
    const bool is_blank = length > 0;
    if (!is_blank) length = utf8::SequenceLength(text);
    if (!is_blank) {
      line += text.substr(0, length);
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
    text.remove_prefix(length);
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

void Reply::AddWarning(std::string_view text) {
  std::string line = WarningLine(text);
  if (!line.empty()) warnings_.push_back(std::move(line));
}

std::string WarningLine(std::string_view text) {
  constexpr std::string_view kCut = "...";
  // What is far beyond the limit need not be looked at: a control character is a byte or two.
  constexpr std::size_t kMostBytes = 64 * kMostWarningCharacters;
  const std::string line = OnOneLine(utf8::Sanitize(text.substr(0, kMostBytes)));
  if (CharactersOf(line) <= kMostWarningCharacters && text.size() <= kMostBytes) return line;
  return std::string(FirstCharacters(line, kMostWarningCharacters - kCut.size())).append(kCut);
}

std::vector<std::string> WarningsWithin(const std::vector<std::string>& warnings) {
  std::vector<std::string> each;
  std::set<std::string_view> seen;
  std::size_t characters = 0;
  for (const std::string& warning : warnings) {
    if (!seen.insert(warning).second) continue;
    each.push_back(warning);
    characters += CharactersOf(warning);
  }
  if (characters <= kMostCharactersOfWarnings) return each;
  // The last one takes some of the room.
  std::size_t left_out = 0;
  std::string last;
  do {
    characters -= CharactersOf(each.back());
    each.pop_back();
    last = base::Count(++left_out, "more warning");
  } while (characters + CharactersOf(last) > kMostCharactersOfWarnings);
  each.push_back(last);
  return each;
}

}  // namespace kube::admission
