#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/sweep.h"

namespace migrate::rewrite {

/// Which objects are rewritten, and whether that is verified.
struct RewriteScope {
  std::string crd_name;  ///< for the progress
  SweepTarget target;
  std::optional<std::vector<ObjectName>> named{};  ///< only these, in the place of a list
  bool verify = true;                              ///< but for a dry run, which rewrites nothing
  std::string verified_words = "verified";         ///< how the line begins that says so
  /// Who says that it has rewritten all objects: the first pass verifies that, and is the last one
  /// where it is true. Empty: nobody does.
  std::string claimed_by{};
  /// Verifying does not begin before: until then a server may take for stored as it should be what
  /// it stores as before the CRD's last change.
  kube::base::Clock::TimePoint verify_from{};
  std::uint64_t passes_after = 0;  ///< that come after these, for the progress
};

struct RewriteResult {
  SweepResult sweep;                                  ///< of the rewriting pass
  std::vector<report::ObjectFailure> later_failures;  ///< of the verifying passes
  bool verified = false;  ///< the last pass over all that the first has rewritten or left
                          ///< unchanged rewrote none, and none failed
  std::uint64_t not_as_claimed = 0;  ///< with RewriteScope::claimed_by: what was not rewritten
  report::ManagedFieldsCleaned cleaned{};  ///< in all passes: each object once a pass
  std::set<std::string> emptied{};         ///< SweepResult::emptied, of all passes
  std::string verifying_pass;          ///< the name of the last one's files; empty: there was none
  std::string unverified_because;      ///< where it was to be verified, and is not
  std::optional<std::string> stopped;  ///< why a pass ended early
  bool is_interrupted = false;
  bool is_broken = false;  ///< SweepResult::is_broken
  std::optional<kube::client::CallError> list_error;

  /// Every object was listed and tried, in every pass that was begun.
  bool is_complete() const { return !stopped && !is_interrupted && !list_error; }
};

/// Rewrites objects by one pass, whose files are in `folder`, with the name "rewrite". Run again
/// with the same folder it goes on where it was, but where the cluster is seen to be older than the
/// answers of that pass (etcd was set back to a snapshot): then all begins anew.
RewriteResult RewriteObjects(const RewriteScope& scope, const SweepOptions& options,
                             const std::filesystem::path& folder, const MigrationSession& session);

/// Verifies that by rewriting all of them once more: what is rewritten then was not stored as it
/// should be (by a server that had not noticed the change of the CRD). After such a pass comes
/// another over all of them, three at most: a server that leaves one object as it is may have done
/// so to others. What other writers do meanwhile does no harm.
///
/// `result` is that of RewriteObjects with the same arguments; what is found is added to it. Does
/// nothing where that is not complete, or nothing is to be verified. The files are named "verify1"
/// to "verify3". Run again it goes on where it was, but verifying that came to its end begins anew,
/// as it has to prove what is stored now.
void VerifyRewrite(const RewriteScope& scope, const SweepOptions& options,
                   const std::filesystem::path& folder, const MigrationSession& session,
                   RewriteResult& result);

/// Both.
RewriteResult RunRewritePasses(const RewriteScope& scope, const SweepOptions& options,
                               const std::filesystem::path& folder,
                               const MigrationSession& session);

/// RewriteResult::emptied of the passes whose files are in `folder`, by whatever run; empty where
/// there is no such folder.
std::set<std::string> FindEmptied(const std::filesystem::path& folder);

}  // namespace migrate::rewrite
