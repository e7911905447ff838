#include "plugin/report/xml_text.h"

#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::string_view kInvalid = "\xEF\xBF\xBD";  // U+FFFD

// U+FFFE and U+FFFF are UTF-8, and no characters of XML (production 2 of XML 1.0).
bool IsNoCharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

}  // namespace

void AppendXml(std::string& out, std::string_view text) {
  const std::string printable = terminal::PrintableLines(text);
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (IsNoCharacter(std::string_view(printable).substr(i))) {
      out += kInvalid;
      i += 2;
    } else {
      out += c;
    }
  }
}

}  // namespace plugin::report
