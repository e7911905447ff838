#pragma once

#include <span>
#include <string>
#include <vector>

#include "kube/json/json.h"

namespace kube::schema {

/// True if kube-openapi takes `value` for one of `values`, or `values` is empty. It converts the
/// value to the Go type of each first, so that 1.5 is "in" [1] and 65 is "in" ["A"].
bool IsInEnum(const json::Value& value, std::span<const json::Value> values);
/// The values as an error lists them: strings as they are, the rest as JSON.
std::vector<std::string> PrintEnum(std::span<const json::Value> values);
/// The values as kube-openapi's own text lists them, by fmt's %v: "[a 1 map[b:2]]".
std::string FormatEnum(std::span<const json::Value> values);
/// True if two elements of `array` are deeply equal in Go.
bool HasDuplicates(const json::Value& array);

}  // namespace kube::schema
