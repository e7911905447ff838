#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/suggest/suggestion.h"
#include "migrate/check/crd_check.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/private_file.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

// CRDs that are structural and prune nothing, from what objects hold.

/// What is suggested for one CRD. The suggestion borrows from `crd` and `arena`.
struct CrdSuggestion {
  kube::crd::Crd crd;  ///< as it is: of the cluster, or of a file
  std::unique_ptr<kube::json::Arena> arena;
  kube::suggest::Suggestion suggestion;
  report::CrdReport evidence;              ///< the check of `crd`: who writes what it would lose
  std::optional<report::CrdReport> proof;  ///< the check of what is suggested; absent: it failed

  const std::string& name() const { return crd.name; }
  bool changes_nothing() const { return suggestion.changes.empty(); }
  /// Nothing is to be done: no change is known, and the check has found no fault either.
  bool is_needless() const;
  /// No object loses a field by it or becomes invalid, the server takes it, and no change is left
  /// to a person.
  bool is_proven() const;
};

struct SuggestReport {
  std::vector<CrdSuggestion> crds{};  ///< by name, then in the order of reading
  std::vector<std::string> errors{};  ///< why there is no suggestion for something
  std::vector<std::string> notes{};   ///< what else is to be known
  bool is_stopped = false;            ///< not everything was read
};

/// For what `suggest` makes schemas, and how: for a cluster, or for files.
struct SuggestOptions {
  std::vector<std::string> crd_names{};  ///< in any form kubectl knows; empty: all, or those of -f
  std::string crd_selector{};            ///< only CRDs with these labels
  std::vector<std::string> filenames{};  ///< -f: CRDs that take the place of those of the cluster
  bool recursive = false;
  cluster::ObjectSelection objects{};
  kube::suggest::Prefer prefer = kube::suggest::Prefer::kFields;
  /// Is called once the files are read and before the server is asked. May be empty.
  std::function<void()> on_files_read{};
  cluster::ProgressFunction on_progress{};
};

/// Suggests schemas for CRDs of a cluster, or for proposed ones, by the objects of the cluster; and
/// checks each suggestion as CheckCluster checks a proposal. Only reads, but for dry runs. Objects
/// are read twice.
///
/// Without names only of CRDs whose objects tell something: which still preserve unknown fields.
/// Throws kube::base::Error as CheckCluster does.
SuggestReport SuggestForCluster(const SuggestOptions& options,
                                const kube::client::Session& session);

/// The same with CRDs and objects of files, which are read several times; the standard input is
/// kept in a file meanwhile. Several CRDs of one name: each gets its suggestion. Throws
/// kube::base::Error for a path that does not exist and for a name that does not fit one CRD.
SuggestReport SuggestForFiles(const SuggestOptions& options);

// What suggestions for clusters and for files have in common.

/// Makes the suggestion for the CRD of `check`, which has to keep its manifest; the proof is left
/// to the caller.
CrdSuggestion MakeSuggestion(const CrdCheck& check, const kube::suggest::ObservedShape& seen,
                             const kube::suggest::SuggestOptions& options,
                             report::CrdReport evidence);

/// The suggestions as a file that -f takes, in a folder of its own, for as long as this lives.
class SuggestedFile {
 public:
  /// Throws kube::base::Error where the system refuses it.
  explicit SuggestedFile(const std::vector<CrdSuggestion>& crds);

  std::string path() const { return (folder_.path() / "suggested.json").string(); }

 private:
  cluster::TemporaryFolder folder_;
};

/// Gives each of `crds` its proof out of a check of the file. What could not be checked there is an
/// error of `report`.
void AddProofs(report::CheckReport check, const SuggestedFile& file, SuggestReport& report);

}  // namespace migrate::check
