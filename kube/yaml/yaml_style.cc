#include "kube/yaml/yaml_style.h"

#include <algorithm>

#include "kube/base/ascii.h"
#include "kube/base/utf8.h"
#include "kube/yaml/yaml_scalar.h"

namespace kube::yaml {
namespace {

using kube::base::IsDigit;

std::size_t SkipDigitsOrUnderscores(std::string_view text, std::size_t at) {
  while (at < text.size() && (IsDigit(text[at]) || text[at] == '_')) ++at;
  return at;
}

// ^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$: numbers in base 60, such as 12:30:45.5, which
// go-yaml does not read but other parsers of YAML 1.1 do.
bool IsBase60(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !IsDigit(text[0])) return false;
  std::size_t at = SkipDigitsOrUnderscores(text, 0);
  if (at == text.size() || text[at] != ':') return false;
  while (at < text.size() && text[at] == ':') {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    const std::size_t digits = end - at - 1;
    if (digits == 0 || digits > 2 || (digits == 2 && text[at + 1] > '5')) return false;
    at = end;
  }
  if (at < text.size() && text[at] == '.') at = SkipDigitsOrUnderscores(text, at + 1);
  return at == text.size();
}

bool ReadsAsString(std::string_view text) {
  return ResolvePlain(text).kind == ScalarKind::kString && !IsBase60(text);
}

bool IsBlankOrBreak(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
         text[at] == '\r';
}

bool StartsWithIndicator(std::string_view text) {
  constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`";
  if (kIndicators.find(text[0]) != std::string_view::npos) return true;
  if (text.starts_with("---") || text.starts_with("...")) return true;
  const bool may_indicate = text[0] == '?' || text[0] == ':' || text[0] == '-';
  return may_indicate && IsBlankOrBreak(text, 1);
}

// ": " and " #" end a plain scalar.
bool HoldsIndicator(std::string_view text) {
  for (std::size_t i = text.find_first_of(":#", 1); i != std::string_view::npos;
       i = text.find_first_of(":#", i + 1)) {
    if (text[i] == ':' ? IsBlankOrBreak(text, i + 1) : IsBlankOrBreak(text, i - 1)) return true;
  }
  return false;
}

bool IsAllPrintable(std::string_view text) {
  while (!text.empty()) {
    if (!IsPrintable(text)) return false;
    text.remove_prefix(std::max<std::size_t>(base::utf8::SequenceLength(text), 1));
  }
  return true;
}

// A blank before a line break or at the end cannot be seen in a block.
bool IsBlockAllowed(std::string_view text) {
  return !text.ends_with(' ') && text.find(" \n") == std::string_view::npos;
}

}  // namespace

// go-yaml takes tabs, line breaks but "\n", and all beyond U+FFFF for not printable. U+2028 and
// U+2029 it would write as they are, but what reads a line break back differs between parsers; and
// bidirectional marks, by which a terminal would show something else than what is there.
bool IsPrintable(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return byte == '\n' || (byte >= 0x20 && byte <= 0x7E);
  if (base::utf8::SteeringLength(text) > 0) return false;
  if (byte == 0xEF) return !text.starts_with("\xEF\xBF\xBE") && !text.starts_with("\xEF\xBF\xBF");
  return byte < 0xF0;
}

ScalarStyle StyleOf(std::string_view text) {
  if (text.empty() || !IsAllPrintable(text)) return ScalarStyle::kDoubleQuoted;
  if (text.find('\n') != std::string_view::npos) {
    return IsBlockAllowed(text) ? ScalarStyle::kLiteral : ScalarStyle::kDoubleQuoted;
  }
  // "<<" as a plain key would merge; go-yaml leaves that to chance.
  if (!ReadsAsString(text) || text == "<<") return ScalarStyle::kDoubleQuoted;
  const bool plain = text.front() != ' ' && text.back() != ' ' && !StartsWithIndicator(text) &&
                     !HoldsIndicator(text);
  return plain ? ScalarStyle::kPlain : ScalarStyle::kSingleQuoted;
}

}  // namespace kube::yaml
