#include "migrate/check/crd_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/crd/ca_bundle.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/crd_condition.h"
#include "kube/crd/crd_validation.h"
#include "kube/crd/rule_places.h"
#include "kube/crd/unknown_keys.h"
#include "kube/meta/object_path.h"
#include "kube/schema/pattern_checks.h"
#include "kube/suggest/schema_change.h"
#include "migrate/check/apply_effect.h"
#include "migrate/check/gitops_owner.h"
#include "migrate/check/hints.h"

namespace migrate::check {
namespace {

using kube::json::Value;

// The server's word for what a migration changes anyway; it blocks nothing.
constexpr std::string_view kPreserveUnknownFields = "spec.preserveUnknownFields";

constexpr std::string_view kConverted =
    "a webhook converts its objects, which was not asked: of an object only the version that it is "
    "written in tells what is lost";

constexpr std::string_view kDropsConversion =
    "the file has no conversion webhook any more, and objects may be stored in another version "
    "than "
    "its storage version: without the webhook they lose what that one's schema does not have under "
    "the same name; how much that is was not counted";

constexpr std::string_view kUndecided =
    "not every default could be held against its pattern (or only in minutes): the API server may "
    "refuse some";

bool HasUnknownStoredVersion(const kube::crd::Crd& crd) {
  return std::any_of(crd.stored_versions.begin(), crd.stored_versions.end(),
                     [&crd](const std::string& name) { return crd.FindVersion(name) == nullptr; });
}

// Of the document, as defaulting adds the storage version. Generators write an empty list, which
// no server has.
bool HasStoredVersions(const kube::crd::Crd& crd) {
  return !crd.document->root().At("status").At("storedVersions").elements().empty();
}

bool ConvertsNothing(const kube::crd::Crd& crd) { return crd.conversion.strategy == "None"; }

// A second CRD of the same JSON, to be compared with when the first has been changed.
std::optional<kube::crd::Crd> CopyOf(const kube::crd::Crd& crd) {
  auto copy = kube::crd::ReadCopiedCrd(crd.document->root());
  return copy ? std::optional(*std::move(copy)) : std::nullopt;
}

// The server's own condition; absent where it has set none.
std::optional<kube::crd::CrdCondition> OwnCondition(const kube::crd::Crd& crd) {
  const Value* condition = crd.FindCondition("NonStructuralSchema");
  if (condition == nullptr) return std::nullopt;
  const auto text = [condition](std::string_view key) {
    return std::string(condition->FindText(key));
  };
  return kube::crd::CrdCondition{text("status"), text("reason"), text("message")};
}

report::Problem MakeProblem(const kube::meta::FieldError& error, std::string version) {
  return {std::move(version), error.field, error.ToString(), Hint(error)};
}

/// True for what the server says of rules that cost too much.
bool IsOfRuleCost(const report::Problem& problem) {
  return kube::crd::IsOfRuleCost(problem.message);
}

/// One run of FindCrdFacts.
class FactFinder {
 public:
  FactFinder(kube::crd::Crd& crd, const CrdCheckOptions& options) : crd_(crd), options_(options) {}

  CrdFacts Run(std::string source) {
    report_.source = std::move(source);
    DescribeCrd();
    DescribeReads();
    FindProblems();
    NoteUnseen();
    if (options_.origin == CrdCheckOptions::Origin::kServer) report_.condition = OwnCondition(crd_);
    FindAdmissionProblems();
    report_.objects_skipped = true;
    report_.verdict = VerdictOf(report_);
    return std::move(facts_);
  }

 private:
  void DescribeCrd() {
    report_.name = crd_.name;
    if (crd_.name.find("{{") != std::string::npos) report_.AddNote(report::kTemplateHint);
    report_.group = crd_.group;
    report_.kind = crd_.names.kind;
    report_.scope = crd_.scope;
    report_.preserve_unknown_fields = crd_.preserve_unknown_fields;
    report_.is_v1beta1 = crd_.is_v1beta1();
    report_.converts_by_webhook = crd_.conversion.strategy == "Webhook";
    report_.stored_versions = crd_.stored_versions;
    for (const kube::crd::CrdVersion& version : crd_.versions) {
      report::VersionReport& report = report_.versions.emplace_back();
      report.name = version.name;
      report.served = version.served;
      report.storage = version.storage;
      if (version.served) report_.served_versions.push_back(version.name);
      if (version.storage && report_.storage_version.empty())
        report_.storage_version = version.name;
    }
    report_.migration_needed = std::any_of(
        crd_.stored_versions.begin(), crd_.stored_versions.end(),
        [this](const std::string& stored) { return stored != report_.storage_version; });
  }

  void DescribeReads() {
    const kube::crd::Crd& server_crd = options_.replaced == nullptr ? crd_ : *options_.replaced;
    facts_.reads_are_pruned = !server_crd.preserve_unknown_fields;
    if (options_.origin != CrdCheckOptions::Origin::kFile && facts_.reads_are_pruned) {
      facts_.read_version = ReadVersion(server_crd);
      facts_.converts_nothing = ConvertsNothing(crd_) && ConvertsNothing(server_crd);
    }
    // What the older version's schema does not know is gone from pruned reads: only a proposal can
    // change that.
    const bool is_known =
        facts_.read_version.empty() || (options_.replaced != nullptr && facts_.converts_nothing);
    if (options_.origin == CrdCheckOptions::Origin::kProposal) DescribeLive(options_.replaced);
    const bool is_converted =
        options_.origin == CrdCheckOptions::Origin::kFile && !ConvertsNothing(crd_);
    if (is_converted && crd_.versions.size() > 1) report_.AddNote(kConverted);
    facts_.foretells_migration = report_.migration_needed && is_known;
  }

  void DescribeLive(const kube::crd::Crd* live) {
    if (live == nullptr) return report_.AddNote("the cluster does not have it, nor objects of it");
    const kube::crd::CrdVersion* storage = live->StorageVersion();
    report::ReplacedCrd& replaced = report_.replaced.emplace();
    replaced.preserve_unknown_fields = live->preserve_unknown_fields;
    if (storage != nullptr) replaced.storage_version = storage->name;
    replaced.has_last_applied = live->annotations.contains(kube::crd::kLastApplied);
    replaced.gitops_owner = FindGitOpsOwner(live->document->root());
    replaced.converts_by_webhook = live->conversion.strategy == "Webhook";
    for (const kube::crd::CrdVersion& version : live->versions) {
      replaced.versions.push_back(version.name);
      if (version.served) replaced.served_versions.push_back(version.name);
    }
    if (report_.DropsConversion()) report_.AddNote(kDropsConversion);
  }

  bool IsLookedAt(const kube::crd::CrdVersion& version) const {
    if (IsUnused(version)) return false;
    return facts_.read_version.empty() || version.name == facts_.read_version ||
           (version.storage && facts_.converts_nothing);
  }

  // A file that says nothing of status.storedVersions may leave it out.
  bool IsUnused(const kube::crd::CrdVersion& version) const {
    if (version.served || version.storage || crd_.versions.size() == 1) return false;
    const bool is_known =
        options_.origin != CrdCheckOptions::Origin::kFile || HasStoredVersions(crd_);
    return is_known &&
           std::ranges::find(crd_.stored_versions, version.name) == crd_.stored_versions.end();
  }

  // Objects are shown as they are stored, and whoever asks for this version gets what its schema
  // leaves of that: a patch through it stores just that.
  bool IsOfProposal(const kube::crd::CrdVersion& version) {
    if (options_.replaced == nullptr || facts_.read_version.empty() || !version.served)
      return false;
    const kube::crd::Crd& live = *options_.replaced;
    const kube::crd::CrdVersion* storage = live.StorageVersion();
    const bool are_as_stored = storage != nullptr && storage->name == facts_.read_version;
    if (!ConvertsNothing(crd_)) return false;
    const kube::crd::CrdVersion* old = live.FindVersion(version.name);
    const bool is_other =
        old == nullptr || !old->served || !ConvertsNothing(live) ||
        kube::crd::SchemaText(crd_, version.name) != kube::crd::SchemaText(live, version.name);
    is_any_unseen_ |= is_other && !are_as_stored;
    return is_other && are_as_stored;
  }

  void FindProblems() {
    const std::vector<kube::crd::VersionProblems> all = kube::crd::FindStructuralProblems(crd_);
    report_.condition = kube::crd::NonStructuralSchemaCondition(crd_, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const kube::crd::VersionProblems& found = all[i];
      report_.versions[i].structural = found.structural() && crd_.versions[i].schema != nullptr;
      if (found.conversion_error) {
        report_.problems.push_back(
            {found.version, "", *found.conversion_error, ConversionHint(*found.conversion_error)});
      }
      for (const kube::meta::FieldError& error : found.errors) {
        report_.problems.push_back(MakeProblem(error, found.version));
      }
      const bool is_convertible = !found.conversion_error;
      const bool is_looked_at = is_convertible && IsLookedAt(crd_.versions[i]);
      const bool is_of_proposal = is_convertible && !is_looked_at && IsOfProposal(crd_.versions[i]);
      facts_.versions.push_back({is_convertible, is_looked_at || is_of_proposal, is_of_proposal});
      report_.versions[i].is_left_out = is_convertible && !is_looked_at && !is_of_proposal;
    }
  }

  void NoteUnseen() {
    if (!is_any_unseen_) return;
    report_.AddNote(
        "what the versions that the file brings or changes make of objects was not looked at, as "
        "the "
        "storage version of the cluster is not served");
  }

  // Findings about the CRD as it is, and those that only show once pruning is on. Of what a server
  // has already it tolerates more than it would of something new.
  void FindAdmissionProblems() {
    std::optional<kube::crd::Crd> copy;
    const kube::crd::Crd* old = options_.replaced;
    if (options_.origin == CrdCheckOptions::Origin::kServer) {
      copy = CopyOf(crd_);
      if (copy) old = &*copy;
    }
    std::map<std::string, kube::meta::FieldError> found;
    kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
    const auto add = [this, &found, old, &patterns] {
      for (kube::crd::CrdFinding& finding :
           kube::crd::ValidateCrdRequest(crd_, old, patterns, server())) {
        if (finding.structural || IsOfOthers(finding.error)) continue;
        std::string message = finding.error.ToString();
        found.emplace(std::move(message), std::move(finding.error));
      }
    };
    add();
    if (options_.origin == CrdCheckOptions::Origin::kFile) AddCaBundle(found);
    if (crd_.preserve_unknown_fields) {
      crd_.preserve_unknown_fields = false;
      add();
      crd_.preserve_unknown_fields = true;
    }
    if (old == nullptr && HasUnknownStoredVersion(crd_)) {
      // An update of the CRD as it is: what the server says of its status.
      for (kube::crd::CrdFinding& finding :
           kube::crd::ValidateCrdRequest(crd_, &crd_, patterns, server())) {
        std::string message = finding.error.ToString();
        if (!finding.error.field.starts_with("status.storedVersions")) continue;
        found.emplace(std::move(message), std::move(finding.error));
      }
    }
    if (options_.origin == CrdCheckOptions::Origin::kProposal) {
      report_.apply = ForetellApply(crd_, options_.replaced, options_.server.release, patterns);
    }
    if (patterns.undecided() != 0) report_.AddNote(kUndecided);
    for (const auto& [message, error] : found) {
      report_.admission_problems.push_back(MakeProblem(error, ""));
      if (IsOfCompilation(error.detail)) uncompiled_.insert(message);
    }
    AddCostRemedies(old);
    AddLaterReleases(old);
    if (options_.origin != CrdCheckOptions::Origin::kServer) AddUnknownKeys();
  }

  void AddCostRemedies(const kube::crd::Crd* old) {
    if (std::ranges::none_of(report_.admission_problems, IsOfRuleCost)) return;
    facts_.cost_remedies = std::make_shared<const CostRemedies>(crd_, old, server());
    facts_.cost_remedies->AddTo(report_, {});
  }

  // A rule may use a library that the server does not have yet.
  void AddLaterReleases(const kube::crd::Crd* old) {
    std::vector<report::Problem*> open;
    for (report::Problem& problem : report_.admission_problems) {
      if (uncompiled_.contains(problem.message)) open.push_back(&problem);
    }
    kube::base::Release later = server();
    while (!open.empty() && ++later.minor <= kube::base::kNewestRelease.minor) {
      const std::set<std::string> refused = UncompiledAt(later, old);
      std::erase_if(open, [&](report::Problem* problem) {
        if (refused.contains(problem->field)) return false;
        problem->hint = "Kubernetes " + later.ToString() +
                        " is the first whose API server compiles it in a new rule";
        return true;
      });
    }
  }

  // The fields whose expressions a server of that release does not compile.
  std::set<std::string> UncompiledAt(kube::base::Release release, const kube::crd::Crd* old) {
    std::set<std::string> fields;
    kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
    for (const auto& finding : kube::crd::ValidateCrdRequest(crd_, old, patterns, release)) {
      if (IsOfCompilation(finding.error.detail)) fields.insert(finding.error.field);
    }
    return fields;
  }

  /// Where the release is not known, all rules count.
  kube::base::Release server() const {
    return options_.server.release.value_or(kube::base::kNewestRelease);
  }

  void AddUnknownKeys() {
    for (const kube::crd::UnknownKey& key :
         kube::crd::FindUnknownKeys(crd_.document->root(), options_.server.release)) {
      std::string hint = "take it out: the API server drops it";
      if (!key.meant.empty()) hint = "did you mean " + key.meant + "? The API server drops it";
      if (key.since) hint = "servers know it from Kubernetes " + key.since->ToString() + " on";
      report_.admission_problems.push_back({"", key.path, key.Message(), hint});
    }
  }

  // Of a later server, or of a new CRD: one of v1beta1, or with status, was in a cluster already,
  // and is not asked for approval (KEP 1111) by an update.
  bool IsOfOthers(const kube::meta::FieldError& error) {
    if (const auto later = LaterRelease(error, options_.server.release)) {
      const std::string note = "from Kubernetes " + later->ToString() + " on: " + error.ToString();
      if (told_.insert(note).second) report_.AddNote(note);
      return true;
    }
    const bool was_there = options_.origin == CrdCheckOptions::Origin::kFile &&
                           (crd_.is_v1beta1() || HasStoredVersions(crd_));
    return was_there && error.type == kube::meta::ErrorType::kRequired &&
           error.field.starts_with("metadata.annotations[api-approved.kubernetes.io]");
  }

  // A server takes it in a new CRD, which it does not serve then, and refuses it in any other.
  void AddCaBundle(std::map<std::string, kube::meta::FieldError>& found) {
    auto error = kube::crd::CaBundleError(crd_);
    if (!error || IsOfOthers(*error)) return;
    std::string message = error->ToString();
    found.emplace(std::move(message), *std::move(error));
  }

  kube::crd::Crd& crd_;
  const CrdCheckOptions& options_;
  std::set<std::string> told_;        // of what later servers say
  std::set<std::string> uncompiled_;  // messages of problems
  bool is_any_unseen_ = false;        // of the versions that the proposal brings or changes
  CrdFacts facts_;
  report::CrdReport& report_ = facts_.report;
};

}  // namespace

CrdFacts FindCrdFacts(kube::crd::Crd& crd, std::string source, const CrdCheckOptions& options) {
  return FactFinder(crd, options).Run(std::move(source));
}

report::Verdict VerdictOf(const report::CrdReport& report) {
  const bool is_refused = std::ranges::any_of(
      report.admission_problems,
      [](const report::Problem& problem) { return problem.field != kPreserveUnknownFields; });
  if (!report.problems.empty() || is_refused) return report::Verdict::kBlocked;
  // What only drops a null can be invalid without it.
  if (report.objects_losing_fields != 0 || report.MakesInvalid() || report.DropsConversion())
    return report::Verdict::kLosesFields;
  if (report.HasInvalid()) return report::Verdict::kInvalid;
  return report.preserve_unknown_fields ? report::Verdict::kReady : report::Verdict::kPruning;
}

std::string ReadVersion(const kube::crd::Crd& crd) {
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  if (storage != nullptr && storage->served) return storage->name;
  const auto served =
      std::find_if(crd.versions.begin(), crd.versions.end(),
                   [](const kube::crd::CrdVersion& version) { return version.served; });
  return served == crd.versions.end() ? "" : served->name;
}

namespace {

using kube::crd::HeldSizes;
using kube::crd::SizeLimit;

constexpr std::size_t kMostTold = 6;

std::optional<kube::crd::Crd> CopyIfAny(const kube::crd::Crd* crd) {
  return crd == nullptr ? std::nullopt : std::optional(kube::crd::CopyCrd(*crd));
}

std::int64_t HeldBy(const SizeLimit& limit, const HeldSizes& held) {
  const auto found = held.find(limit.path);
  return found == held.end() ? 0 : found->second;
}

// "maxItems: 46 on .spec.names"
std::string LimitText(const SizeLimit& limit) {
  const std::string path = limit.path.empty() ? "." : kube::meta::WithLeadingDot(limit.path);
  const std::string was = limit.was ? " (not " + std::to_string(*limit.was) + ")" : "";
  return std::string(limit.keyword) + ": " + std::to_string(limit.most) + was + " on " + path;
}

// What objects have, where that is known.
std::string HeldText(const std::vector<SizeLimit>& limits, const HeldSizes& held) {
  if (held.empty()) return "";
  for (const SizeLimit& limit : limits) {
    const std::int64_t most = HeldBy(limit, held);
    if (most <= limit.most) continue;
    return "; but objects have up to " + std::to_string(most) + " in " +
           kube::meta::WithLeadingDot(limit.path) +
           " and would be refused: write the rule in a cheaper way";
  }
  return "; no object has more";
}

std::string HintOf(const std::vector<SizeLimit>& limits, const HeldSizes& held) {
  std::vector<std::string> texts;
  for (const SizeLimit& limit : limits) {
    if (texts.size() == kMostTold) break;
    texts.push_back(LimitText(limit));
  }
  std::string hint = "set " + kube::base::Join(texts, ", ");
  if (limits.size() > kMostTold) {
    hint += " and " + std::to_string(limits.size() - kMostTold) + " more";
  }
  hint += limits.size() == 1 ? ": the most" : ": together the most";
  return hint + " that lets all rules fit" + HeldText(limits, held);
}

}  // namespace

CostRemedies::CostRemedies(const kube::crd::Crd& crd, const kube::crd::Crd* old,
                           kube::base::Release server)
    : crd_(kube::crd::CopyCrd(crd)),
      old_(CopyIfAny(old)),
      server_(server),
      limits_(FindLimits({})) {}

std::vector<CostRemedies::Limits> CostRemedies::FindLimits(const HeldSizes& held) const {
  std::map<std::string, Limits> by_schema;  // nearly always they have the same
  std::vector<Limits> limits;
  for (const kube::crd::CrdVersion& version : crd_.versions) {
    const auto [found, is_new] = by_schema.try_emplace(kube::crd::SchemaText(crd_, version.name));
    if (is_new) {
      found->second =
          kube::crd::FindCostLimits(crd_, old_ ? &*old_ : nullptr, version.name, server_, held);
    }
    limits.push_back(found->second);
  }
  return limits;
}

void CostRemedies::Measure(const kube::json::Value& object, HeldSizes& held) const {
  for (const Limits& limits : limits_) {
    for (const SizeLimit& limit : limits) {
      std::int64_t& most = held[limit.path];
      most = std::max(most, kube::crd::LargestHeld(object, limit));
    }
  }
}

void CostRemedies::AddTo(report::CrdReport& report, const HeldSizes& held) const {
  const bool is_exceeded = std::ranges::any_of(limits_, [&](const Limits& limits) {
    return std::ranges::any_of(
        limits, [&](const SizeLimit& limit) { return HeldBy(limit, held) > limit.most; });
  });
  const std::vector<Limits> by_objects = is_exceeded ? FindLimits(held) : limits_;
  report.cost_limits.clear();
  for (std::size_t i = 0; i < by_objects.size(); ++i) {
    for (const SizeLimit& limit : by_objects[i]) {
      report::CostLimit& told = report.cost_limits.emplace_back(
          report::CostLimit{.version = crd_.versions[i].name,
                            .path = limit.path,
                            .pointer = kube::suggest::PlaceOf(limit.steps, i).pointer,
                            .keyword = std::string(limit.keyword),
                            .most = limit.most,
                            .was = limit.was});
      if (!held.empty()) told.held = HeldBy(limit, held);
    }
  }
  for (report::Problem& problem : report.admission_problems) {
    // Where all versions share a schema it is that of the first.
    const std::size_t version = kube::crd::VersionIndexOf(problem.field).value_or(0);
    if (!IsOfRuleCost(problem) || version >= by_objects.size()) continue;
    if (!by_objects[version].empty()) problem.hint = HintOf(by_objects[version], held);
  }
}

}  // namespace migrate::check
