#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/yaml/yaml.h"

namespace kube::yaml {

/// How the events are read, and what beside the value is wanted; as Parse has them.
struct EventOptions {
  std::vector<BooleanKey>* boolean_keys = nullptr;
  KeyLines* key_lines = nullptr;
  BracketKeys bracket_keys = BracketKeys::kRefused;
};

/// Reads the first document of `text` by libyaml, as go-yaml v2 reads it, into `document`; null
/// where there is none. `text` has passed CheckText. Lines are counted from `first_line`. The error
/// is libyaml's or go-yaml's, but for lists as keys.
std::optional<ParseError> ReadEvents(std::string_view text, std::size_t first_line,
                                     json::Document& document, const EventOptions& options);

}  // namespace kube::yaml
