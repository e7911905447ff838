#include "kube/client/field_selector.h"

#include <algorithm>

#include "kube/base/utf8.h"

namespace kube::client {
namespace {

// Up to the next comma that no backslash escapes.
std::size_t TermLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') return i;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

// The value behind the first "=", "==" or "!=" of `term`.
std::optional<std::string_view> ValueOf(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    if (rest.starts_with("==") || rest.starts_with("!=")) return rest.substr(2);
    if (rest.starts_with('=')) return rest.substr(1);
  }
  return std::nullopt;
}

std::optional<std::string> ValueProblem(std::string_view value) {
  const std::string invalid = "invalid field selector: ";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\') {
      const std::string_view next = value.substr(std::min(i + 1, value.size()));
      if (!next.empty() && std::string_view("\\,=").find(next[0]) != std::string_view::npos) {
        ++i;
        continue;
      }
      const std::size_t length = std::max<std::size_t>(base::utf8::SequenceLength(next), 1);
      return invalid + "invalid escape sequence: \\" + std::string(next.substr(0, length));
    }
    if (value[i] == '=') return invalid + "unescaped character in value: 61";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FieldSelectorProblem(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view term = rest.substr(0, TermLength(rest));
    rest.remove_prefix(std::min(term.size() + 1, rest.size()));
    if (term.empty()) continue;
    const std::optional<std::string_view> value = ValueOf(term);
    if (!value) {
      return "invalid selector: '" + std::string(text) + "'; can't understand '" +
             std::string(term) + "'";
    }
    if (auto problem = ValueProblem(*value)) return problem;
  }
  return std::nullopt;
}

}  // namespace kube::client
