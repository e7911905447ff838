#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"
#include "kube/schema/validation/pattern_checks.h"
#include "migrate/report/field_tally.h"
#include "migrate/report/first_texts.h"
#include "migrate/report/report.h"

namespace migrate::check {

/// A custom resource on its way through a check.
struct CheckedObject {
  const kube::json::Value& value;
  report::Place place;      ///< decides which comes first
  std::string_view source;  ///< the file it came from; empty for a live object
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
  };

  VersionTally& Version(std::size_t index);

  std::uint64_t objects_ = 0, objects_losing_fields_ = 0;
  std::vector<VersionTally> versions_;  // as long as the last version that was counted
  VersionTally storage_migration_;
  report::FieldTally maybe_in_etcd_;
  std::vector<report::ObjectPaths> paths_;
  report::FirstTexts errors_;
  std::unique_ptr<kube::schema::validation::PatternChecks> patterns_;  // if some were needed
  bool is_validity_unknown_ = false;  // of some object once it is pruned
};

struct CrdCheckOptions {
  enum class Origin {
    kFile,      ///< CRD and objects come from files
    kProposal,  ///< the CRD comes from a file, its objects from a server
    kServer,    ///< both come from a server
  };

  bool keep_paths = false;  ///< keep every object's paths (--show-objects), not only the counts
  bool as_is = false;       ///< server() is that of the CRD as it is, not as if pruning were on
  Origin origin = Origin::kFile;
  /// The server's CRD that a proposal would replace; null pointer if there is none. Only looked at
  /// by the constructor.
  const kube::crd::Crd* replaced = nullptr;
};

/// The version in which the objects of a server's CRD are read: the storage version, else the first
/// that is served; empty if none is.
std::string ReadVersion(const kube::crd::Crd& crd);

/// One CRD: what is wrong with it, and what pruning by its schemas does to objects.
///
/// Where the objects come from a server that prunes them already, they are as that server shows
/// them in ReadVersion: what other versions would lose is not looked at, as nobody has it, but for
/// the storage version of a proposal.
///
/// Not changed after construction: several threads may check objects, each with its own tally.
class CrdCheck {
 public:
  /// `source` is the file that the CRD came from; empty for a server's.
  CrdCheck(kube::crd::Crd crd, std::string source, const CrdCheckOptions& options);

  const std::string& name() const { return report_.name; }
  const std::string& source() const { return report_.source; }
  const std::string& group() const { return report_.group; }
  const std::string& kind() const { return report_.kind; }

  /// Counts what `object` would lose in every version.
  void CheckObject(const CheckedObject& object, CrdTally& tally) const;

  /// The report, with what was counted. `objects_skipped` says that no objects were looked at.
  report::CrdReport Report(const CrdTally& tally, bool objects_skipped) const;

  bool preserves_unknown_fields() const { return report_.preserve_unknown_fields; }
  /// False where a webhook makes the objects of one version from those of another.
  bool converts_nothing() const { return converts_nothing_; }
  /// What the server makes of the CRD's objects, with pruning on unless CrdCheckOptions::as_is.
  const kube::crd::CustomResourceServer& server() const { return *server_; }

 private:
  struct Version {
    std::string name;
    bool convertible;  // else the dry run is impossible
    const kube::schema::StructuralSchema* schema;
    bool is_looked_at;  // by the dry run
    bool is_validated;  // it is known whether pruning makes objects invalid
    // What objects are valid by, where pruning can make them invalid; else a null pointer.
    std::shared_ptr<const kube::schema::SchemaProps> validation;
    // By these an object is pruned that is stored, and then read in this version.
    std::vector<const kube::schema::StructuralSchema*> schemas;
  };

  void DescribeCrd(const kube::crd::Crd& crd);
  void DescribeReads(const kube::crd::Crd& crd, const CrdCheckOptions& options);
  void DescribeLive(const kube::crd::Crd& crd, const kube::crd::Crd* live);
  bool IsLookedAt(const kube::crd::CrdVersion& version) const;
  void KeepValidations(kube::crd::Crd& crd, const CrdCheckOptions& options);
  void FindProblems(const kube::crd::Crd& crd);
  void FindAdmissionProblems(kube::crd::Crd& crd, const CrdCheckOptions& options);
  const kube::schema::StructuralSchema* ReadSchema() const;
  bool CheckVersion(const Version& version, const CheckedObject& object,
                    const report::CountedObject& counted, CrdTally::VersionTally& tally,
                    report::ObjectPaths& paths) const;
  bool CountRewrite(const Version& version, const CheckedObject& object,
                    const report::CountedObject& counted, CrdTally::VersionTally& tally,
                    report::FirstTexts& errors) const;
  void CountInvalid(const CheckedObject& object, const report::CountedObject& counted,
                    CrdTally& tally) const;
  void CheckStorageMigration(const CheckedObject& object, const report::CountedObject& counted,
                             CrdTally::VersionTally& tally) const;
  void CheckReadable(const CheckedObject& object, const report::CountedObject& counted,
                     CrdTally& tally) const;
  report::Verdict FindVerdict(const report::CrdReport& report) const;

  report::CrdReport report_;  // without what is counted
  bool keep_paths_;
  bool blocked_ = false;
  bool reads_are_pruned_ = false;  // fields may be in etcd that the objects do not show
  std::string read_version_;       // of reads that are pruned by a server; else empty
  bool converts_nothing_ = true;   // objects are the same in every version, but for pruning
  bool counts_migration_ = false;
  bool validates_ = false;  // some version has a validation
  std::unique_ptr<kube::crd::CustomResourceServer> server_;
  std::vector<Version> versions_;
  std::unique_ptr<kube::json::Document> crd_;  // what validations borrow from
};

/// "namespace/name" of an object, or the name alone; "<none>" for a missing name.
std::string FullName(const kube::json::Value& object);

}  // namespace migrate::check
