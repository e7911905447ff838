#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/path_text.h"

namespace kube::mutation {

/// A text that is as a whole in parentheses, `(spec.legacyMode)`: the value that the object has at
/// that path.
bool LooksLikeReference(std::string_view text);

class Reference {
 public:
  /// `text` LooksLikeReference. The path is one as ParsePathText reads it, to one value. The error
  /// says what is wrong with it.
  static base::Result<Reference, std::string> Parse(std::string_view text);

  /// The null pointer where the object has nothing there.
  const json::Value* FindIn(const json::Value& object) const;

 private:
  std::vector<meta::WrittenStep> steps_;
};

// What a mutation tree says, once it is read (tree_reader.h), and what it does (mutation.h says
// by which rules).

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
