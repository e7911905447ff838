#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

/// What a run over one CRD leaves to later commands, in the state folder. Where it cannot be
/// written nothing is lost but that knowledge: a warning says so.
namespace migrate::migration {

/// Which objects failed, for --retry-failed; of a CRD that prunes alone, as before that all objects
/// have to be clean. Nothing of a dry run.
void RememberFailed(const report::CrdMigration& report, const MigrationOptions& options,
                    const kube::crd::Crd& crd, rewrite::MigrationObserver& observer);

/// That a pass over all objects has verified them.
struct VerifiedPass {
  const kube::crd::Crd& crd;
  const std::string& crd_target;
  const std::string& storage_version;
  std::uint64_t pruned_since;       ///< as Proof::pruned_since
  std::vector<std::uint64_t> seen;  ///< as check::SeenBy
};

/// With `options.record` it is written into an annotation of the CRD, too.
void RememberProof(VerifiedPass pass, const MigrationOptions& options,
                   const rewrite::MigrationSession& session);

}  // namespace migrate::migration
