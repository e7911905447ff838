#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/cost_limits.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/meta/field_choice.h"
#include "migrate/check/proof.h"
#include "migrate/check/version_validity.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

struct CrdCheckOptions {
  enum class Origin {
    kFile,      ///< CRD and objects come from files
    kProposal,  ///< the CRD comes from a file, its objects from a server
    kServer,    ///< both come from a server
  };

  bool keep_paths = false;  ///< keep every object's paths (--show-objects), not only the counts
  /// Unknown fields that are counted by their leaves (weighed_changes.h). Absent: none.
  std::optional<kube::meta::FieldChoice> opened{};
  bool keep_manifest = false;  ///< CrdCheck::manifest
  bool as_is = false;  ///< CrdCheck::server is that of the CRD as it is, not as if pruning were on
  Origin origin = Origin::kFile;
  /// The server's CRD that a proposal would replace; null pointer if there is none. Only looked at
  /// while the check is made.
  const kube::crd::Crd* replaced = nullptr;
  /// Whether it is told what the server would say of objects at their next write.
  bool checks_validity = false;
  /// Objects are not there yet: what is told of their validity is of creating them.
  bool creates = false;
  /// Of the server: what only later ones refuse is told as that, and is no finding.
  ServerRules server{};
  /// What earlier runs have proven of the objects of a server's CRD; the null pointer: nothing.
  std::shared_ptr<const ObjectProof> proof{};
};

/// The limits that help where the rules of a CRD cost too much (kube/crd/cost_limits.h), of all of
/// its versions. Immutable: several threads may measure.
class CostRemedies {
 public:
  /// Tries what helps. `old`: the CRD that is replaced; the null pointer: none. `server`: its
  /// release. Keeps copies of both CRDs.
  CostRemedies(const kube::crd::Crd& crd, const kube::crd::Crd* old, kube::base::Release server);

  /// Notes in `held` how much of what is to be limited `object` has, where that is more.
  void Measure(const kube::json::Value& object, kube::crd::HeldSizes& held) const;

  /// Puts into `report` what helps, by what objects were seen to have: its cost_limits, and the
  /// hints of the problems that rules cost too much.
  void AddTo(report::CrdReport& report, const kube::crd::HeldSizes& held) const;

 private:
  using Limits = std::vector<kube::crd::SizeLimit>;
  /// Of each version of the CRD.
  std::vector<Limits> FindLimits(const kube::crd::HeldSizes& held) const;

  const kube::crd::Crd crd_;
  const std::optional<kube::crd::Crd> old_;
  const kube::base::Release server_;
  const std::vector<Limits> limits_;  // without a look at objects
};

/// What is known of one CRD without its objects.
struct CrdFacts {
  struct Version {
    bool is_convertible = false;  ///< else the dry run is impossible
    /// By the dry run of objects. Where a server prunes them already, they are as it shows them in
    /// `read_version`: what other versions would lose is not looked at, as nobody has it, but for
    /// the storage version of a proposal, and for served versions that it brings or changes. Nor is
    /// a version that is neither served nor stored: it takes nothing from anybody.
    bool is_looked_at = false;
    /// Looked at only as the proposal brings or changes it: what its present schema (if it has one)
    /// takes from objects already is none of the proposal's.
    bool is_of_proposal = false;
  };

  report::CrdReport report;       ///< as of a check that looks at no objects
  std::vector<Version> versions;  ///< one for each of report.versions
  bool reads_are_pruned = false;  ///< fields may be in etcd that the objects do not show
  std::string read_version;       ///< of reads that are pruned by a server; else empty
  /// Objects are the same in every version, but for pruning: no webhook makes them from another.
  bool converts_nothing = true;
  /// What helps where its rules cost too much; the null pointer: they do not.
  std::shared_ptr<const CostRemedies> cost_remedies{};
  /// What the migration of older stored versions loses can be told from the objects.
  bool foretells_migration = false;
};

/// Finds what is wrong with the CRD, as it is and once pruning is on, and what its objects will
/// tell. `source` is the file that it came from; empty for a server's. `crd` ends as it was.
CrdFacts FindCrdFacts(kube::crd::Crd& crd, std::string source, const CrdCheckOptions& options);

/// The verdict that follows from what `report` holds of problems, objects and pruning.
report::Verdict VerdictOf(const report::CrdReport& report);

/// The version in which the objects of a server's CRD are read: the storage version, else the first
/// that is served; empty if none is.
std::string ReadVersion(const kube::crd::Crd& crd);

}  // namespace migrate::check
