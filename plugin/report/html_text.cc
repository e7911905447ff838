#include "plugin/report/html_text.h"

#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

// Empty for what may stay.
std::string_view EntityOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

std::string_view JsonEscapeOf(char c) {
  switch (c) {
    case '&':
      return "\\u0026";
    case '<':
      return "\\u003c";
    case '>':
      return "\\u003e";
    default:
      return "";
  }
}

template <typename Escape>
void AppendEscaped(std::string& out, std::string_view text, const char* special, Escape escape) {
  while (true) {
    const std::size_t kept = text.find_first_of(special);
    out += text.substr(0, kept);
    if (kept == std::string_view::npos) return;
    out += escape(text[kept]);
    text.remove_prefix(kept + 1);
  }
}

}  // namespace

void AppendHtml(std::string& out, std::string_view text) {
  AppendEscaped(out, terminal::Printable(text), "&<>\"'", EntityOf);
}

std::string Html(std::string_view text) {
  std::string out;
  AppendHtml(out, text);
  return out;
}

std::string ScriptJson(const kube::json::Value& value) {
  std::string out;
  // As Go does, the printer leaves none of these; the page must not depend on that.
  AppendEscaped(out, terminal::PrintCompactJson(value), "&<>", JsonEscapeOf);
  return out;
}

}  // namespace plugin::report
