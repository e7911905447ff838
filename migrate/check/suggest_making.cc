#include "migrate/check/suggest_making.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "kube/crd/rule_places.h"
#include "migrate/check/hints.h"

namespace migrate::check {
namespace {

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
                               " is the most that lets the rules fit"});
  }
}

// Rules by their place, as the server's errors name it below the schema of a version.
using RulesByPlace = std::map<std::string, kube::crd::RulePlace, std::less<>>;

RulesByPlace RulesOf(const kube::crd::CrdVersion& version) {
  RulesByPlace rules;
  if (version.schema == nullptr) return rules;
  for (kube::crd::RulePlace& rule : kube::crd::FindRules(*version.schema)) {
    std::string place = rule.schema_path;
    rules.emplace(std::move(place), std::move(rule));
  }
  return rules;
}

// Of "...openAPIV3Schema.x-kubernetes-validations[0].rule"; the null pointer: of no rule.
const kube::crd::RulePlace* FindRule(const RulesByPlace& rules, std::string_view field) {
  const std::size_t root = field.find("openAPIV3Schema");
  const std::size_t end = field.rfind('.');
  if (root == field.npos || end < root) return nullptr;
  const auto found = rules.find(field.substr(root, end - root));
  return found == rules.end() ? nullptr : &found->second;
}

// The rules that stay and do not compile are left to a person.
void AddUncompiled(CrdSuggestion& suggested) {
  const auto crd = kube::crd::ReadCopiedCrd(suggested.suggestion.crd);
  if (!crd) return;
  std::vector<RulesByPlace> rules;
  for (const kube::crd::CrdVersion& version : crd->versions) rules.push_back(RulesOf(version));
  for (const report::Problem& problem : suggested.proof->admission_problems) {
    const std::string_view error = FirstCompileError(problem.message);
    // Where all versions share a schema it is that of the first.
    const std::size_t index = kube::crd::VersionIndexOf(problem.field).value_or(0);
    if (error.empty() || index >= rules.size()) continue;
    const kube::crd::RulePlace* rule = FindRule(rules[index], problem.field);
    if (rule == nullptr) continue;
    const bool is_message = problem.field.ends_with(".messageExpression");
    suggested.suggestion.changes.push_back(
        {.kind = SchemaChange::Kind::kLeft,
         .version = crd->versions[index].name,
         .place = kube::suggest::PlaceOf(rule->steps, index),
         .text = std::string(is_message ? "the messageExpression of " : "") + "rule " +
                 std::to_string(rule->index) + " does not compile: " + std::string(error)});
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
