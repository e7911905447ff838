#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/yaml/yaml.h"

namespace kube::yaml {

/// Reads the first document of `text` by libyaml, as go-yaml v2 reads it, into `document`; null
/// where there is none. `text` has passed CheckText. Lines are counted from `first_line`. The error
/// is libyaml's or go-yaml's. `boolean_keys` and `key_lines` may be null pointers.
std::optional<ParseError> ReadEvents(std::string_view text, std::size_t first_line,
                                     json::Document& document,
                                     std::vector<BooleanKey>* boolean_keys, KeyLines* key_lines);

}  // namespace kube::yaml
