#include "migrate/check/suggest_making.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "kube/base/result.h"

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

kube::crd::Crd CrdOfFile(const CrdCheck& check) {
  auto document = std::make_unique<kube::json::Document>();
  const bool is_json = !document->Parse(check.manifest());
  auto crd = kube::crd::ReadCrd(std::move(document));
  // It was read before.
  if (!is_json || !crd) throw kube::base::Error("cannot read " + check.name() + " again");
  return *std::move(crd);
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
  kube::crd::Crd crd = CrdOfFile(check);
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
    next = std::next(found);
  }
}

}  // namespace migrate::check
