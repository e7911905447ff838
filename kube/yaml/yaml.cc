#include "kube/yaml/yaml.h"

#include <algorithm>

#include "kube/yaml/yaml_events.h"
#include "kube/yaml/yaml_text.h"

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

}  // namespace kube::yaml
