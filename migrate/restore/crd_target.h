#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"
#include "kube/meta/field_choice.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/object_schemas.h"
#include "migrate/check/version_validity.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/report/field_tally.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::restore {

/// A CRD whose objects are put back: where they are, in which version, and by which schemas. Not
/// changed after construction.
class CrdTarget {
 public:
  /// `pruned_by` is the CRD by which the objects of the backup were pruned; absent: unknown.
  /// `server`: where Refusal is to know what it refuses; absent: nothing is.
  CrdTarget(kube::crd::Crd live, std::optional<kube::crd::Crd> pruned_by,
            std::optional<check::ServerRules> server = std::nullopt);

  const std::string& name() const { return live_.name; }
  const kube::crd::Crd& crd() const { return live_; }
  bool is_namespaced() const { return live_.scope != "Cluster"; }
  /// The API server prunes its objects.
  bool prunes() const { return !live_.preserve_unknown_fields; }
  /// What pruning left of an object of the backup can be told.
  bool knows_pruning() const { return was_pruned_by_.has_value(); }

  /// The version in which an object of the backup is read and written: its own if that is served,
  /// else another one. The null pointer: none is, or a webhook would have to convert it.
  const kube::crd::CrdVersion* VersionOf(const kube::json::Value& backup) const;
  /// Where its objects of a version are.
  rewrite::SweepTarget PathsOf(const kube::crd::CrdVersion& version) const;
  /// Keeps the managedFields of an object that is written in a served version.
  const cluster::EntryCleaner& CleanerFor(const kube::crd::CrdVersion& version) const {
    return cleaners_.at(version.name);
  }
  static const kube::schema::SchemaProps* SchemaOf(const kube::crd::CrdVersion& version) {
    return version.schema.get();
  }

  /// What pruning left of an object of the backup, in `arena`; absent: it is not known.
  std::optional<kube::json::Value> LeftOf(const kube::json::Value& backup,
                                          kube::json::Arena& arena) const;

  /// What a server makes of `object` where it is sent as this version, in `arena`: without what it
  /// prunes or drops, with defaults. Where it would refuse it, it is what it was.
  kube::json::Value Received(const kube::json::Value& object, const kube::crd::CrdVersion& version,
                             kube::json::Arena& arena) const;

  /// What the server would refuse as `restored` is written in the place of `live` (the null
  /// pointer: it is created), in its words; the status, where it is a subresource, in a write
  /// behind. Empty: nothing, or nobody can tell. `restored` is as Received makes it. For one
  /// thread.
  std::string Refusal(const kube::json::Value& restored, const kube::json::Value* live,
                      const kube::crd::CrdVersion& version) const;

  /// True if a server stores both in the same form.
  bool AreStoredAlike(const kube::json::Value& one, const kube::json::Value& other,
                      const kube::crd::CrdVersion& version) const;

  /// Counts the fields of `backup` that are among `fields`, that pruning took, as far as that is
  /// known, and that the CRD would prune again.
  void CountPrunedAgain(const kube::json::Value& backup, const kube::meta::FieldChoice& fields,
                        const report::CountedObject& object, report::FieldTally& tally) const;

  /// The fields of `object` that the CRD prunes of one that is made anew as this version: folded,
  /// sorted, each once.
  std::vector<std::string> PrunedOfNew(const kube::json::Value& object,
                                       const kube::crd::CrdVersion& version) const;
  /// True if pruning took something of an object of the backup, or if that is not known.
  bool MayHaveLost(const kube::json::Value& backup) const;

 private:
  void FindPruned(const kube::json::Value& object, const kube::crd::CrdVersion& version,
                  kube::schema::UnknownFieldSink& sink) const;

  /// By which schemas objects are pruned.
  struct PrunedBy {
    kube::crd::Crd crd;
    kube::crd::CustomResourceServer server;

    explicit PrunedBy(kube::crd::Crd of);
    /// Of an object in `version`, in their order.
    std::vector<const kube::schema::StructuralSchema*> SchemasFor(std::string_view version) const;
  };

  kube::crd::Crd live_;
  kube::crd::CustomResourceServer server_;
  std::map<std::string, cluster::EntryCleaner> cleaners_;  // by name of a served version
  std::optional<PrunedBy> was_pruned_by_;
  /// What a server refuses.
  struct Forecast {
    check::ObjectSchemas schemas;
    kube::schema::PatternChecks patterns;
  };
  std::unique_ptr<Forecast> forecast_;  // or the null pointer
};

}  // namespace migrate::restore
