#pragma once

#include <optional>
#include <string>

#include "migrate/report/migration_report.h"
#include "migrate/rewrite/rewrite_passes.h"

namespace migrate::migration {

/// How the CRD is when its objects have been rewritten.
struct CrdAfterRewrite {
  std::optional<std::string> loss{};    ///< of the Lease, which ends the run
  std::optional<std::string> change{};  ///< that ends the run, in words
  bool is_pruning_on = false;           ///< pruning was asked for, and is on
};

/// Writes into `report` what became of the objects, and how the run ends by that.
void EndRewrite(rewrite::RewriteResult result, const CrdAfterRewrite& crd,
                report::CrdMigration& report);

}  // namespace migrate::migration
