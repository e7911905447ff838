#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "migrate/check/crd_check.h"
#include "migrate/check/suggest.h"
#include "migrate/cluster/temporary_folder.h"

/// What suggestions for clusters and for files have in common.
namespace migrate::check {

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
void TakeProofs(report::CheckReport check, const SuggestedFile& file, SuggestReport& report);

}  // namespace migrate::check
