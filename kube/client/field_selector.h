#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::client {

/// What is wrong with a field selector, in the words of apimachinery's fields.ParseSelector, e.g.
/// `invalid selector: 'a'; can't understand 'a'`. Absent where it can be parsed; which fields there
/// are only the server knows.
std::optional<std::string> FieldSelectorProblem(std::string_view text);

}  // namespace kube::client
