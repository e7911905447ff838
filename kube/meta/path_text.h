#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"

namespace kube::meta {

/// A way from a root to a field, as a chain of steps on the stack of a recursive walk: costs
/// nothing until somebody wants to read it. A step borrows its parent and its names.
class FieldPath {
 public:
  /// The root; prints as `base`, which may be empty.
  explicit FieldPath(std::string_view base) : name_(base) {}
  /// ".name" below `parent`.
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  /// ".name[key]" below `parent`.
  FieldPath(const FieldPath& parent, std::string_view name, std::string_view key)
      : parent_(&parent), name_(name), key_(key), kind_(Kind::kKey) {}
  /// ".name[index]" below `parent`.
  FieldPath(const FieldPath& parent, std::string_view name, std::size_t index)
      : parent_(&parent), name_(name), index_(index), kind_(Kind::kIndex) {}

  std::string ToString() const;

 private:
  enum class Kind { kName, kKey, kIndex };

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  std::string_view key_;
  std::size_t index_ = 0;
  Kind kind_ = Kind::kName;
};

/// One step of a path that a person has written.
struct WrittenStep {
  bool is_index = false;
  bool is_any = false;  ///< [*], or * in the place of a name
  std::string name{};   ///< of a member; of an element its index, in decimal
};

/// Takes apart `.spec.legacyMode`, `spec.ports[0].proto`, `spec.ports[*].proto` or
/// `files['a.xml']`, as AppendPathName and the tables show paths; the dot in front may be missing.
/// Of at most 200 steps. The error says what is wrong, e.g. "a name in it is empty".
base::Result<std::vector<WrittenStep>, std::string> ParsePathText(std::string_view text);

}  // namespace kube::meta
