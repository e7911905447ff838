#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"

/// Changes of objects, written as YAML that is shaped like them.
namespace kube::mutation {

/// Why a text is no mutation.
struct ParseError {
  std::size_t line;     ///< from 1; in a JSON text that of the document
  std::string key;      ///< where in the document: "spec.[labels]"; empty: the document itself
  std::string message;  ///< e.g. "a mutation tree is a map, shaped like the object"
};

/// Mutation trees, applied one after the other; this is what they mean:
///
///     spec:                            # maps are merged by key
///       mode: fast                     # a scalar or a list replaces what is there, or is new
///       legacyMode: null               # removes the key
///       "[labels]": {team: a}          # the value is replaced as a whole, not merged
///       \[x\]: 1                       # the key "[x]"
///       level: (spec.legacyMode)       # what the object has at that path before this document;
///                                      # where it has nothing the key is left out
///       note: \(c)                     # the text "(c)"
///
/// A map where there is none, or another value, is new. In lists the same holds, and null is a
/// null.
///
/// apiVersion, kind, metadata.name and metadata.namespace of a tree change nothing: they say which
/// objects it is for. What only the server sets (uid, resourceVersion, managedFields ...) is
/// refused. A document of this form is for objects that fit a pattern, a tree whose keys are all
/// there with equal values (null: not there):
///
///     apiVersion: kubectl-prune/v1alpha1
///     kind: Mutation
///     spec:
///       match: {spec: {mode: slow}}
///       tree: {spec: {mode: fast}}
///
/// {} changes nothing. A tree without references changes nothing when it is applied again, and the
/// object itself, as a tree, changes nothing.
class Mutation {
 public:
  /// Reads YAML documents, or JSON values, as manifests are read. A text without a document is no
  /// error. A key that its map has twice is, and one without quotes that YAML reads as a boolean
  /// (y).
  static base::Result<Mutation, ParseError> Parse(std::string_view text);

  Mutation() = default;
  /// Those of `other` come after these.
  void Append(Mutation other);

  /// What becomes of `object`, which stays as it is. The result borrows from it, from the mutation
  /// and from `arena`.
  json::Value Apply(const json::Value& object, json::Arena& arena) const;

  /// True if some tree that may be for objects of the kind says something of the member of the
  /// root.
  bool Names(std::string_view member, std::string_view kind) const;
  bool empty() const { return documents_.empty(); }

 private:
  struct TreeDocument;
  class Reader;

  static bool IsFor(const TreeDocument& document, const json::Value& object);

  std::vector<std::shared_ptr<const TreeDocument>> documents_;
};

}  // namespace kube::mutation
