#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/mutation/reference.h"

/// What a mutation tree says, once it is read (tree_reader.h), and what it does (mutation.h says
/// by which rules).
namespace kube::mutation {

struct Node {
  enum class Kind : std::uint8_t {
    kRemove,     ///< null, as the value of a key
    kValue,      ///< a scalar; in a list null, too
    kReference,  ///< what the object has at a path
    kList,
    kMap,
  };

  Kind kind = Kind::kRemove;
  json::Value value{};        ///< borrowed from the text's document
  Reference reference{};      ///< of a kReference
  std::vector<Node> below{};  ///< elements of a kList, values of a kMap in the order of the text
  // Of a value of a kMap:
  std::string name{};
  bool replaces = false;  ///< [name]: the value is replaced as a whole
};

/// Applies `tree`, a map, to `target`, an object, in place. References take their values from
/// `source`, which must not change meanwhile; what comes of them is copied. The result borrows from
/// the tree, from `source` and from `arena`.
void Merge(const Node& tree, const json::Value& source, json::Value& target, json::Arena& arena);

/// Whether `value`, the null pointer if there is none, fits the tree: every key that it has is
/// there with a value that fits; null is a key that is not there, or null; scalars and lists are
/// equal; [key] is equal as a whole. A reference, to `source`, is equal to what is there; where
/// that is nothing it says nothing.
bool Fits(const Node& tree, const json::Value& source, const json::Value* value);

/// Whether a reference is in the tree.
bool HasReference(const Node& tree);

}  // namespace kube::mutation
