#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace kube::meta
