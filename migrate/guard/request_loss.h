#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/structural.h"

namespace migrate::guard {

/// The schema of one version; the null pointer specifies nothing (kube::schema::Prune).
struct VersionSchema {
  std::string version;
  const kube::schema::StructuralSchema* schema = nullptr;

  bool operator==(const VersionSchema&) const = default;
};

/// Fields of a request that pruning would remove, all of one folded path.
struct LostField {
  std::string path;     ///< folded, as kube::schema::UnknownField has it
  std::string example;  ///< the place of one of them, of an added one if there is any
  std::string version;  ///< the first whose schema does not specify them
  std::uint64_t count = 0;
  /// By how many there are more of them than in the old object.
  std::uint64_t added = 0;

  bool operator==(const LostField&) const = default;
};

/// What a request loses. Of hostile requests, too, it takes little memory.
struct RequestLoss {
  /// Different paths that are told apart; there are no more in `fields`.
  static constexpr std::size_t kMostPaths = 100;
  /// Of `path` and `example`, in bytes; longer ones end in "...".
  static constexpr std::size_t kMostPathBytes = 256;

  std::vector<LostField> fields{};  ///< in the order of the object, by version
  /// Fields of further paths, counted together, and by how many more they are than such fields of
  /// the old object.
  std::uint64_t left_out = 0, left_out_added = 0;

  bool empty() const { return fields.empty() && left_out == 0; }
  /// True if the request brings fields that were not there before.
  bool AddsFields() const;
  /// The one of that path; the null pointer if there is none.
  const LostField* Find(std::string_view path) const;
};

/// Finds the fields of `object` that pruning by `schemas`, one after the other, would remove: by
/// that of the version in which the object was written, then by that in which it is stored. Of a
/// removed subtree only its top counts. No schemas: nothing is removed.
///
/// `old_object` is what the request replaces; the null pointer where it creates. What was in there
/// is not added by the request: a controller that sets a finalizer, or the status, of an object
/// with such fields sends them along. Fields are compared by number within their folded path, so
/// an element that moves in its list, or a key that is renamed, adds nothing, nor does a new value
/// of a field that was there.
///
/// Changes neither object, and needs time in proportion to their size.
RequestLoss FindRequestLoss(const kube::json::Value& object, const kube::json::Value* old_object,
                            std::span<const VersionSchema> schemas);

/// What a person is told of it in `limit` characters at most: `spec.legacyMode of
/// widgets.demo.example.com will be removed when pruning is turned on: not in the schema of v1`.
/// What is too long for that is cut in the middle: the path, then the name of the CRD, then all.
///
/// `when`: " is removed", " will be removed when pruning is turned on".
std::string LossText(const LostField& field, std::string_view crd, std::string_view when,
                     std::size_t limit);

}  // namespace migrate::guard
