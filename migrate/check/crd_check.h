#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/suggest/observed_shape.h"
#include "migrate/check/crd_facts.h"
#include "migrate/check/version_validity.h"
#include "migrate/check/weighed_changes.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::check {

/// A custom resource on its way through a check.
struct CheckedObject {
  const kube::json::Value& value;
  report::Place place;         ///< decides which comes first
  std::string_view source;     ///< the file it came from; empty for a live object
  bool may_hold_nulls = true;  ///< false: it is known to have none
  std::uint64_t bytes = 0;     ///< of its JSON, as it was read; 0: not known
};

/// What the objects of one CRD would lose, counted by one thread.
class CrdTally {
 public:
  void Merge(CrdTally&& other);

 private:
  friend class CrdCheck;

  struct VersionTally {
    std::uint64_t objects_losing_fields = 0;
    report::FieldTally pruned_fields, added_defaults, dropped_nulls;
    report::FirstTexts invalid_once_pruned;
    report::InvalidTally invalid;
  };

  VersionTally& Version(std::size_t index);
  kube::schema::PatternChecks& PatternsForObject();

  std::uint64_t objects_ = 0, bytes_ = 0, objects_losing_fields_ = 0;
  std::vector<VersionTally> versions_;  // as long as the last version that was counted
  /// Of the object at hand, by each version; absent where nothing can be told of a write in it.
  std::vector<std::optional<VersionValidity::QuickResult>> sights_;
  VersionTally storage_migration_;
  report::FieldTally maybe_in_etcd_;
  ChangeTally changes_;
  cluster::StaleTally stale_, unfit_;
  report::ManagedFieldsCleaned to_clean_;  // of stale and unfit entries
  std::vector<report::ObjectPaths> paths_;
  report::FirstTexts errors_;
  std::unique_ptr<kube::schema::PatternChecks> patterns_;  // if some were needed
  bool is_validity_unknown_ = false;                       // of some object
  kube::suggest::Observations observations_;               // where hints need them
  kube::crd::HeldSizes held_;                              // so
};

/// What pruning by the schemas of one CRD does to its objects.
///
/// Not changed after construction: several threads may check objects, each with its own tally.
class CrdCheck {
 public:
  /// `source` is the file that the CRD came from; empty for a server's.
  CrdCheck(kube::crd::Crd crd, std::string source, const CrdCheckOptions& options);

  /// What is known without objects: also the report of a check that looks at none.
  const CrdFacts& facts() const { return facts_; }
  const std::string& name() const { return facts_.report.name; }
  const std::string& source() const { return facts_.report.source; }
  const std::string& group() const { return facts_.report.group; }
  const std::string& kind() const { return facts_.report.kind; }

  /// The CRD as it was read, as JSON; empty unless CrdCheckOptions::keep_manifest.
  const std::string& manifest() const { return manifest_; }

  /// manifest() once more. Throws kube::base::Error where it was not kept.
  kube::crd::Crd ReadManifest() const;
  /// As CrdCheckOptions::server.
  const ServerRules& server_rules() const { return server_rules_; }

  /// Counts what `object` would lose in every version.
  void CheckObject(const CheckedObject& object, CrdTally& tally) const;
  /// The report of all objects that `tally` has counted.
  report::CrdReport Report(const CrdTally& tally) const;

  /// What is to be noted where validity is told: that the server is too old for rules of
  /// x-kubernetes-validations; empty where it is not, or there are none.
  std::string RulesNote() const;

  /// What the server makes of the CRD's objects, with pruning on unless CrdCheckOptions::as_is.
  const kube::crd::CustomResourceServer& server() const { return *server_; }

 private:
  struct Version {
    std::string name;
    bool convertible;  // else the dry run is impossible
    const kube::schema::StructuralSchema* schema;
    bool is_looked_at;  // by the dry run
    // What this leaves is all that the version shows now; the null pointer: it shows all.
    const kube::schema::StructuralSchema* shows = nullptr;
    bool is_validated = false;  // it is known whether pruning makes objects invalid
    // What objects are valid by, where pruning can make them invalid; else a null pointer.
    std::shared_ptr<const kube::schema::SchemaProps> validation{};
    // By these an object is pruned that is stored, and then read in this version.
    std::vector<const kube::schema::StructuralSchema*> schemas{};
    std::unique_ptr<const VersionValidity> validity{};  // or the null pointer
  };

  void KeepValidations(const kube::crd::Crd& crd, const CrdCheckOptions& options);
  void KeepCleaner(kube::crd::Crd& crd);
  void KeepLive(const CrdCheckOptions& options);
  void KeepValidities(const kube::crd::Crd& crd, const CrdCheckOptions& options);
  kube::base::Release Release() const {
    return server_rules_.release.value_or(kube::base::kNewestRelease);
  }
  std::vector<const kube::schema::StructuralSchema*> ReadsOf(const kube::crd::Crd& crd,
                                                             const Version& version) const;
  std::vector<const kube::schema::StructuralSchema*> LiveReads(
      const kube::crd::CrdVersion& version) const;
  const kube::schema::StructuralSchema* ReadSchema() const;
  void Look(const kube::json::Value& object, CrdTally& tally) const;
  bool CheckVersion(const Version& version, const CheckedObject& object,
                    const report::CountedObject& counted, bool loses_nothing,
                    CrdTally::VersionTally& tally, report::ObjectPaths& paths) const;
  bool CountRewrite(const Version& version, const CheckedObject& object,
                    const report::CountedObject& counted, CrdTally::VersionTally& tally,
                    report::FirstTexts& errors) const;
  void CountInvalid(const CheckedObject& object, const report::CountedObject& counted,
                    CrdTally& tally) const;
  void CountRefused(const CheckedObject& object, const report::CountedObject& counted,
                    bool changes_in_storage, CrdTally& tally, report::ObjectPaths& paths) const;
  void CheckStorageMigration(const CheckedObject& object, const report::CountedObject& counted,
                             CrdTally::VersionTally& tally) const;
  void CountChanges(const CheckedObject& object, CrdTally& tally) const;
  void CountEntries(const CheckedObject& object, const report::CountedObject& counted,
                    CrdTally& tally) const;
  std::vector<std::string> FindReturning(const std::vector<report::FieldUse>& maybe_in_etcd) const;
  std::vector<report::FieldUse> FindHidden(std::vector<report::FieldUse> uses) const;
  void CountHidden(const CheckedObject& object, const report::CountedObject& counted,
                   CrdTally& tally) const;
  void CheckReadable(const CheckedObject& object, const report::CountedObject& counted,
                     CrdTally& tally) const;

  CrdFacts facts_;
  std::string manifest_;
  cluster::KnownVersions known_;
  // Where some version does not hold every object of the storage version; else the null pointer.
  std::unique_ptr<const cluster::EntryCleaner> cleaner_;
  bool keep_paths_;
  ServerRules server_rules_;
  std::optional<kube::meta::FieldChoice> opened_;
  std::shared_ptr<const ObjectProof> proof_;  // or the null pointer
  bool validates_ = false;                    // some version has a validation
  bool observes_ = false;                     // some hint says what objects hold
  std::unique_ptr<kube::crd::CustomResourceServer> server_;
  std::vector<Version> versions_;
  std::unique_ptr<kube::json::Document> crd_;  // what validations borrow from
  // Of a proposal: the CRD that it replaces, and what it makes of objects.
  std::optional<kube::crd::Crd> live_;
  std::unique_ptr<kube::crd::CustomResourceServer> live_server_;
  std::unique_ptr<const WeighedChanges> changes_;  // or the null pointer
  bool has_rules_ = false;                         // of x-kubernetes-validations
};

/// "namespace/name" of an object, or the name alone; "<none>" for a missing name.
std::string FullName(const kube::json::Value& object);

}  // namespace migrate::check
