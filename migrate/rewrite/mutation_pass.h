#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kube/json/json.h"
#include "kube/schema/structural.h"
#include "migrate/check/object_mutation.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/mutation_backup.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// By what a server prunes objects as they are written.
struct PruningSchema {
  const kube::schema::StructuralSchema* schema;  ///< the null pointer: nothing is specified
  std::string version;                           ///< whose it is
};

struct MutationPassOptions {
  std::string crd_name;
  std::string list;                    ///< path and selectors of the objects' list
  bool are_named = false;              ///< objects are not listed: nothing is foretold of them
  std::filesystem::path backup_dir{};  ///< empty: objects are not kept
  std::chrono::sys_seconds now{};      ///< for the name of the backup
  std::int64_t chunk_size = 500;
  std::optional<PruningSchema> pruned_by{};  ///< absent: unknown fields are preserved
};

/// A pass over objects that changes them: foretells what it changes, keeps these as they are, and
/// refuses what a server would take from them again.
class MutationPass {
 public:
  /// `session` must outlive it.
  MutationPass(MutationPassOptions options, std::shared_ptr<const check::ObjectMutation> mutation,
               const MigrationSession& session);

  /// Reads the list, and makes the backup. The error says why nothing may be written; it is of no
  /// interest where the session was stopped. Throws kube::base::Error where the backup cannot be
  /// written.
  std::optional<std::string> Prepare();
  /// Says how many objects will be changed, and which cannot be.
  void TellChanges() const;
  /// Says where they are kept.
  void TellBackup() const;
  report::MutationFacts facts() const { return backup_.facts(); }
  /// Of objects that the mutation cannot be applied to.
  std::uint64_t refused() const { return backup_.refused(); }

  /// Has the sweep of this target mutate; a dry run keeps nothing. This must outlive the sweep.
  void Join(SweepTarget& target);

 private:
  std::string FindUnspecified(const kube::json::Value& mutated) const;
  std::string DescribeUnspecified(const std::string& path) const;
  void Keep(const kube::json::Value& object);

  const MutationPassOptions options_;
  const std::shared_ptr<const check::ObjectMutation> mutation_;
  const MigrationSession session_;
  MutationBackup backup_;
};

}  // namespace migrate::rewrite
