#include "plugin/report/markdown_text.h"

#include <algorithm>

#include "kube/base/ascii.h"
#include "kube/base/utf8.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::size_t kLongestText = 400;
constexpr std::string_view kZeroWidthSpace = "&#8203;";

std::string Prepared(std::string_view text) {
  return kube::base::utf8::Shortened(terminal::Printable(text), kLongestText);
}

bool IsPunctuation(char c) {
  return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
         !(c >= 'A' && c <= 'Z');
}

void AppendEntity(std::string& out, char c) {
  out.append("&#").append(std::to_string(static_cast<int>(c))).append(";");
}

// www.example.com is a link without more ado.
bool EndsInWww(std::string_view before) {
  return before.size() >= 3 &&
         kube::base::ToLower(std::string(before.substr(before.size() - 3))) == "www";
}

// GH-12 is one to an issue.
bool EndsInGh(std::string_view before) {
  return before.size() >= 2 &&
         kube::base::ToLower(std::string(before.substr(before.size() - 2))) == "gh";
}

// A character reference is never structure (CommonMark 2.5), also the pipe of a table; and what is
// no structure where it stands is left as it is, for those who read the source.
bool MayStay(std::string_view text, std::size_t at) {
  const char c = text[at];
  const std::string_view before = text.substr(0, at);
  if (!IsPunctuation(c)) return true;
  // Neither a link nor the name of an emoji.
  if (c == ':') return at + 1 == text.size() || text[at + 1] == ' ';
  if (c == '.') return !EndsInWww(before) && !before.empty();
  if (c == '-') return !before.empty() && !EndsInGh(before);
  return std::string_view(",;/?%()\"'").find(c) != std::string_view::npos;
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  const std::string prepared = Prepared(text);
  std::string out;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    const char c = prepared[i];
    if (MayStay(prepared, i)) {
      out += c;
      continue;
    }
    AppendEntity(out, c);
    // Mentions and references are looked for in the text that was made of it.
    if (c == '@' || c == '#' || c == '-') out += kZeroWidthSpace;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string prepared = Prepared(text);
  if (prepared.empty()) return "";
  const bool is_plain = prepared.find_first_of("`|\\") == std::string::npos &&
                        prepared.front() != ' ' && prepared.back() != ' ';
  if (is_plain) return "`" + prepared + "`";
  // In backquotes there are no character references.
  std::string out = "<code>";
  for (const char c : prepared) {
    if (IsPunctuation(c) && c != '-' && c != '/' && c != ',') {
      AppendEntity(out, c);
    } else {
      out += c;
    }
  }
  return out + "</code>";
}

}  // namespace plugin::report
