#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"

/// Who wrote what, from metadata.managedFields.
namespace migrate::check {

/// What selects an element of a list among others in one level of a fieldsV1: its keys, its value
/// or its index.
class ElementSelectors {
 public:
  explicit ElementSelectors(const kube::json::Value& fields);

  /// The key in `fields` that an element has if somebody owns it; empty where they know no
  /// elements.
  std::string Of(const kube::json::Value& element, std::size_t index) const;

 private:
  void AddKeys(std::string_view selector);
  std::string Keys(const kube::json::Value& element) const;

  char kind_ = 0;
  std::set<std::string> keys_;
};

struct FieldOwners {
  std::vector<std::string_view> managers;  ///< sorted, each once; views into the object
  std::string_view last_written;           ///< the newest `time` of their entries; may be empty
};

/// Tells who owns fields of one object, for many of them in little time, however many it has. The
/// object must outlive it and not change. Looks at the first 200 entries of managedFields.
class OwnerFinder {
 public:
  explicit OwnerFinder(const kube::json::Value& object);
  ~OwnerFinder();

  /// The managers whose entries own the field at `elements`, or parts of it, or, where none does,
  /// its nearest owned ancestor (lists are often owned as one). Empty without managedFields.
  FieldOwners Find(std::span<const kube::schema::PathElement> elements);

 private:
  using Value = kube::json::Value;
  const Value* FindField(const Value& fields, std::string_view key);
  const Value* FindElement(const Value& fields, const Value& element, std::size_t index);
  std::size_t OwnedDepth(const Value& fields, std::span<const kube::schema::PathElement> elements);

  const Value& object_;
  kube::json::MemberIndex members_;
  std::map<const Value*, std::unique_ptr<ElementSelectors>> selectors_;  // by their level
};

/// A field that managedFields own but the object lacks.
struct LackingField {
  std::string path;          ///< indices as [*], keys of maps as .*, without a leading dot
  std::string_view manager;  ///< view into the object
};

/// Fields that some entry of managedFields owns and `object` does not have: where the CRD prunes
/// they may still be in etcd. Tops only; sorted by path, then manager; each once. What is a map is
/// told by `schema`, which may be the null pointer. Of one object no more than 1 MiB of paths.
///
/// Each entry has its paths in the terms of its own apiVersion: only those of `api_version` are
/// looked at, all if it is empty (where no webhook converts, all versions have the same fields).
std::vector<LackingField> FindLackingFields(const kube::json::Value& object,
                                            const kube::schema::StructuralSchema* schema,
                                            std::string_view api_version = {});

}  // namespace migrate::check
