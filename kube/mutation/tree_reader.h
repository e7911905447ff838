#pragma once

#include <optional>
#include <string>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/mutation/tree.h"

namespace kube::mutation {

/// What is wrong with a tree, and where.
struct TreeError {
  std::string pointer;  ///< JSON Pointer of the key in the text
  std::string key;      ///< the same for people, keys as they are written: "spec.[labels]"
  std::string message;
};

/// Where a tree stands in its document, which errors name: "/spec/tree" and "spec.tree"; empty for
/// the document itself.
struct TreePlace {
  std::string pointer, key;
};

/// Reads `value` as a mutation tree, a map. It must outlive the result.
///
/// A key is what it is written as, but for [name], by which the value is replaced as a whole;
/// \[name\] is the key "[name]", and of more backslashes, each before both brackets, one is taken.
/// A text in parentheses is a reference; with backslashes before it one is taken, and it is a text.
base::Result<Node, TreeError> ReadTree(const json::Value& value, const TreePlace& place);

}  // namespace kube::mutation
