#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "kube/base/text.h"
#include "migrate/report/migration_report.h"
#include "plugin/command/commands.h"
#include "plugin/report/report_forms.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

// What migrate and restore say alike of a CRD.

/// Of the objects that failed.
inline constexpr std::size_t kFailuresShown = 20;

/// The CRDs that are done, a line each.
template <typename Report>
std::string NamesOfDone(const Report& report) {
  std::string out;
  for (const auto& crd : report.crds) {
    if (crd.outcome == migrate::report::Outcome::kDone) out += report::TypedName(crd.name) + "\n";
  }
  return out;
}

/// How a program ends that found this, 0, 1 or 2; what a signal makes of it does not count.
template <typename Report>
int ExitCodeOf(const Report& report) {
  int code = 0;
  for (const auto& crd : report.crds) {
    if (crd.outcome == migrate::report::Outcome::kError) code = 2;
    if (crd.outcome == migrate::report::Outcome::kFailures) code = std::max(code, 1);
  }
  return code;
}

/// "widgets.example.com: 3 objects were not migrated:\n"
template <typename Crd>
std::string FailuresTitle(const Crd& crd, std::string_view verb) {
  return terminal::Printable(crd.name) + ": " + kube::base::Count(crd.failures.size(), "object") +
         (crd.dry_run != migrate::report::DryRun::kNone ? " would not be "
          : crd.failures.size() == 1                    ? " was not "
                                                        : " were not ") +
         std::string(verb) + ":\n";
}

/// "  shop/blue: denied: the message\n"
std::string FailureLine(const std::string& namespace_, const std::string& name,
                        std::string_view class_name, const std::string& message);
template <typename Failure, typename Class>
std::string FailureLine(const Failure& failure, Class of_class) {
  return FailureLine(failure.namespace_, failure.name, ClassName(of_class), failure.message);
}

/// That no object was found of a CRD that is done. As kubectl get: a namespace that does not exist
/// has no objects either.
std::string NoneFound(const std::string& crd, migrate::report::Outcome outcome,
                      const std::string& namespace_);

/// Why the CRD was not brought to its end; empty where it was.
std::string ErrorLine(const std::string& crd, migrate::report::Outcome outcome,
                      const std::string& error, bool begins_anew);

/// Prints `report` in the format of `options`. The exit code is 0 if all is done, 1 if some object
/// was not migrated, 2 after an error.
report::Output PrintMigration(const migrate::report::MigrationReport& report,
                              const MigrateOptions& options);

/// What stderr gets of it alone, of which people and programs do not get the same.
std::string PrintMigrationErrors(const migrate::report::MigrationReport& report,
                                 const MigrateOptions& options);

/// Prints `report` as `options` say: for people a row for each CRD of each cluster, and one for
/// each cluster of which there is none. stderr gets what it would of each cluster alone, each line
/// behind its name. The exit code is the highest of the clusters.
report::Output PrintFleetMigration(const migrate::report::FleetMigrationReport& report,
                                   const MigrateOptions& options);

/// The stored versions, and what they have become: "v1beta1,v1 -> v1". As the server has them.
std::string StoredVersionsText(const migrate::report::CrdMigration& crd);

/// What became of the objects of a CRD: "3 objects: 2 rewritten, 1 unchanged".
std::string MigratedObjectsText(const migrate::report::CrdMigration& crd);

}  // namespace plugin::command
