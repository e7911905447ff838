#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/object_mutation.h"

namespace migrate::check {

/// An object before and after it is pruned, or written. Borrows from the object and from the arena
/// that it was made with, and from the PruningPreview.
struct ObjectChange {
  std::string_view group, version, kind;
  std::string_view namespace_;  ///< empty for an object of a resource without namespaces
  std::string_view name;
  kube::json::Value now, after;  ///< null: there is none
  bool differs;                  ///< something is changed
};

struct PreviewOptions {
  /// In which version objects are shown, and by whose schema they are pruned; empty: in the storage
  /// version.
  std::string version{};
  bool show_managed_fields = false;  ///< else metadata.managedFields is left out
  /// Is applied before objects are pruned; the null pointer: there is none.
  std::shared_ptr<const ObjectMutation> mutation{};
};

/// What pruning by the schema of one version leaves of the objects of a CRD.
///
/// Not changed after construction: can be used by several threads.
class PruningPreview {
 public:
  /// `check` must outlive the result, and be made without CrdCheckOptions::as_is. The error is for
  /// people: the CRD has no such version (it lists those that there are), or no schema to prune by
  /// can be made of the version's. Of a CRD that is not structural otherwise it shows what its
  /// schemas would leave, though the API server prunes nothing by them yet.
  static kube::base::Result<PruningPreview, std::string> Make(const CrdCheck& check,
                                                              const PreviewOptions& options);

  const std::string& version() const { return version_; }

  /// What the API server shows of `object` now, and what once pruning is on and the object was
  /// rewritten, mutated before where there is a mutation: unknown fields removed, nulls dropped,
  /// defaults added. Numbers are as the server stores them. `object` may be in any version of the
  /// CRD, and is changed. The error is the API server's, of an object that it would not store,
  /// CustomResourceServer::WebhookError or that of ObjectMutation::Apply.
  kube::base::Result<ObjectChange, std::string> Preview(kube::json::Value& object,
                                                        kube::json::Arena& arena) const;

 private:
  PruningPreview(const CrdCheck& check, const PreviewOptions& options, bool is_servable);

  std::optional<std::string> Prune(kube::json::Value& object, kube::json::Arena& arena) const;

  const CrdCheck* check_;
  std::string version_, api_version_;
  bool is_storage_version_;
  bool is_servable_;  // schemas can be made of all versions, else the version's alone counts
  bool show_managed_fields_;
  std::shared_ptr<const ObjectMutation> mutation_;
};

}  // namespace migrate::check
