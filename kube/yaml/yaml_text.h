#pragma once

#include <optional>
#include <string_view>

#include "kube/yaml/yaml.h"

namespace kube::yaml {

/// Checks `text` as go-yaml's reader does: UTF-8, and no control characters.
std::optional<ParseError> CheckText(std::string_view text, std::size_t first_line);

/// Refuses more than 100 directives above the document: libyaml compares each with all before it.
std::optional<ParseError> CheckDirectives(std::string_view text, std::size_t first_line);

}  // namespace kube::yaml
