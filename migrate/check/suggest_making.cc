#include "migrate/check/suggest_making.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "kube/base/result.h"
#include "kube/crd/rule_places.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::suggest::SchemaChange;

// Where the check had no CRD to compare with: what was not said of as many objects before is new.
// Of a schema that was not structural it is not known what it would have refused.
void NoteWhatIsNew(report::CrdReport& proof, const report::CrdReport& evidence) {
  if (proof.replaced) return;
  for (report::VersionReport& version : proof.versions) {
    if (!version.validity) continue;
    const auto before =
        std::ranges::find(evidence.versions, version.name, &report::VersionReport::name);
    const bool is_known = before != evidence.versions.end() && before->validity;
    for (report::InvalidUse& use : version.validity->fields) {
      const auto is_told = [&use](const report::InvalidUse& old) {
        return old.path == use.path && old.objects >= use.objects;
      };
      use.since_proposal = !is_known || std::ranges::none_of(before->validity->fields, is_told);
    }
  }
}

bool IsProof(const report::CrdReport& check) {
  const bool is_refused = check.apply && !check.apply->accepted && !check.IsRefusedUntilPruning();
  if (is_refused || !check.admission_problems.empty()) return false;
  for (const report::VersionReport& version : check.versions) {
    if (!version.validity) continue;
    if (std::ranges::any_of(version.validity->fields, &report::InvalidUse::since_proposal))
      return false;
  }
  return check.verdict == report::Verdict::kReady || check.verdict == report::Verdict::kPruning ||
         check.verdict == report::Verdict::kInvalid;
}

// Limits that rules need are for a person to decide on: objects to come may need more.
void AddCostLimits(const std::vector<report::CostLimit>& limits,
                   std::vector<SchemaChange>& changes) {
  for (const report::CostLimit& limit : limits) {
    changes.push_back({.kind = SchemaChange::Kind::kLeft,
                       .version = limit.version,
                       .place = {limit.path, limit.pointer},
                       .text = limit.keyword + ": " + std::to_string(limit.most) +
                               " is the most with which the rules fit"});
  }
}

// The first line behind "compilation failed: ERROR: <input>:1:5: ".
std::string FirstErrorOf(std::string_view message) {
  const std::size_t input = message.find("ERROR: <input>:");
  const std::size_t begin = message.find(": ", message.find(':', input) + 1);
  if (input == message.npos || begin == message.npos) return "";
  const std::string_view error = message.substr(begin + 2);
  return std::string(error.substr(0, std::min(error.find("\\n"), error.find('\n'))));
}

// Rules that are kept, and name what no schema specifies.
void AddUncompiled(CrdSuggestion& suggested) {
  const auto crd = kube::crd::ReadCopiedCrd(suggested.suggestion.crd);
  if (!crd || !suggested.proof) return;
  for (const report::Problem& problem : suggested.proof->admission_problems) {
    const std::string error = FirstErrorOf(problem.message);
    // Where all versions share a schema it is that of the first.
    const std::size_t index = kube::crd::VersionIndexOf(problem.field).value_or(0);
    if (error.empty() || index >= crd->versions.size()) continue;
    const kube::crd::CrdVersion& version = crd->versions[index];
    if (version.schema == nullptr) continue;
    const auto rules =
        kube::crd::ChooseRules(kube::crd::FindRules(*version.schema), problem.field);
    if (!rules) continue;
    suggested.suggestion.changes.push_back(
        {.kind = SchemaChange::Kind::kLeft,
         .version = version.name,
         .place = kube::suggest::PlaceOf(rules->front().steps, index),
         .text = "rule " + std::to_string(rules->front().index) + " does not compile: " + error});
  }
}

}  // namespace

bool CrdSuggestion::is_needless() const {
  return changes_nothing() && evidence.problems.empty() && evidence.objects_losing_fields == 0 &&
         evidence.verdict != report::Verdict::kBlocked;
}

bool CrdSuggestion::is_proven() const {
  const bool is_left = std::ranges::any_of(suggestion.changes, [](const SchemaChange& change) {
    return change.kind == SchemaChange::Kind::kLeft;
  });
  return !is_left && proof && IsProof(*proof);
}

CrdSuggestion MakeSuggestion(const CrdCheck& check, const kube::suggest::ObservedShape& seen,
                             const kube::suggest::SuggestOptions& options,
                             report::CrdReport evidence) {
  kube::crd::Crd crd = check.ReadManifest();
  auto arena = std::make_unique<kube::json::Arena>();
  kube::suggest::Suggestion suggestion = kube::suggest::Suggest(crd, seen, options, *arena);
  AddCostLimits(evidence.cost_limits, suggestion.changes);
  return {.crd = std::move(crd),
          .arena = std::move(arena),
          .suggestion = std::move(suggestion),
          .evidence = std::move(evidence),
          .proof = std::nullopt};
}

SuggestedFile::SuggestedFile(const std::vector<CrdSuggestion>& crds)
    : folder_("kubectl-prune-suggest-") {
  std::ofstream file(path(), std::ios::binary);
  for (const CrdSuggestion& crd : crds) file << kube::json::Print(crd.suggestion.crd) << '\n';
  file.close();
  if (!file) throw kube::base::Error("cannot write " + path());
}

void AddProofs(report::CheckReport check, const SuggestedFile& file, SuggestReport& report) {
  for (const std::string& error : check.file_errors) report.errors.push_back(error);
  auto next = report.crds.begin();
  for (report::CrdReport& crd : check.crds) {
    if (crd.source != file.path()) continue;
    const auto found = std::find_if(next, report.crds.end(), [&crd](const CrdSuggestion& one) {
      return one.name() == crd.name;
    });
    if (found == report.crds.end()) continue;
    // The question is what it is once pruning is on.
    if (crd.IsRefusedUntilPruning()) crd.verdict = VerdictOf(crd);
    found->proof = std::move(crd);
    NoteWhatIsNew(*found->proof, found->evidence);
    AddUncompiled(*found);
    next = std::next(found);
  }
}

}  // namespace migrate::check
