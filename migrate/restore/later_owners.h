#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/meta/object_path.h"
#include "migrate/check/managed_fields.h"

namespace migrate::restore {

/// Tells, by metadata.managedFields, which fields of a live object somebody has set since its
/// backup. Both objects must outlive it and not change.
///
/// An entry that the backup has, too, does not count: a server keeps the entry of a field that
/// pruning took, and gives it a new time whenever its manager writes something else. Only what was
/// applied (operation Apply) anew counts nevertheless, as that names all that its manager means.
class LaterOwners {
 public:
  LaterOwners(const kube::json::Value& backup, const kube::json::Value& live)
      : backup_(backup), live_(live) {}

  /// True if somebody owns the field at `path` of the live object, or parts of it, since then.
  bool HaveSet(const kube::meta::PathStep* path);

 private:
  using Value = kube::json::Value;
  using Steps = std::vector<const kube::meta::PathStep*>;

  bool HasSet(const Value& entry, const Steps& steps);
  std::string SelectorOf(const Value& fields, const kube::meta::PathStep& step, const Value& value);

  const Value& backup_;
  const Value& live_;
  kube::json::MemberIndex members_;
  std::map<const Value*, std::unique_ptr<check::ElementSelectors>> selectors_;  // by their level
};

}  // namespace migrate::restore
