#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::client {

/// What is wrong with a field selector, in the words of apimachinery's fields.ParseSelector, e.g.
/// `invalid selector: 'a'; can't understand 'a'`. Absent where it can be parsed; which fields there
/// are only the server knows.
std::optional<std::string> FieldSelectorProblem(std::string_view text);

/// What is wrong with a label selector, in the words of apimachinery's labels.Parse, e.g. `unable
/// to parse requirement: found 'x' expected: '('`. Absent where the server takes it: "a=b,c in
/// (d,e),!f", and the empty selector, which selects everything.
std::optional<std::string> LabelSelectorProblem(std::string_view text);

}  // namespace kube::client
