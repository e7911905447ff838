#include "plugin/report/crd_need.h"

#include <algorithm>
#include <vector>

#include "kube/base/text.h"
#include "plugin/report/check_summary.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::Verdict;

std::uint64_t BrokenByChanges(const CrdReport& crd) {
  std::uint64_t most = 0;
  if (!crd.changes) return most;
  for (const auto& change : crd.changes->changes) {
    if (change.breaking) most = std::max(most, change.objects.value_or(0));
  }
  return most;
}

std::size_t CountLostFields(const CrdReport& crd) {
  std::vector<std::string_view> paths;
  for (const auto& version : crd.versions) {
    for (const auto& use : version.pruned_fields) paths.push_back(use.path);
  }
  std::ranges::sort(paths);
  return static_cast<std::size_t>(std::unique(paths.begin(), paths.end()) - paths.begin());
}

std::string WhatBlocks(const CrdReport& crd) {
  if (!crd.problems.empty()) return Count(crd.problems.size(), "schema problem");
  const std::size_t refused = AdmissionFindings(crd).size();
  if (refused > 0) return Count(refused, "admission problem");
  return crd.IsRefusedUntilPruning() ? "apply needs pruning" : "apply is refused";
}

std::string WhereStored(const CrdReport& crd) {
  constexpr std::size_t kFew = 2;
  if (crd.stored_versions.size() > kFew) {
    return "stored in " + Count(crd.stored_versions.size(), "version");
  }
  return "stored as " + kube::base::Join(crd.stored_versions, ", ");
}

// What is said of one CRD and of several, by need.
struct CountWords {
  std::string_view one, many;
};
constexpr CountWords kCountWords[] = {
    {"would lose fields", "would lose fields"},
    {"drops its conversion", "drop their conversion"},
    {"has objects that pruning makes invalid", "have objects that pruning makes invalid"},
    {"is blocked", "are blocked"},
    {"could not be read", "could not be read"},
    {"has objects that the server would refuse", "have objects that the server would refuse"},
    {"has objects in files that would not be taken as they are",
     "have objects in files that would not be taken as they are"},
    {"changes what objects have", "change what objects have"},
    {"had lost fields written", "had lost fields written"},
    {"needs a storage migration", "need a storage migration"},
    {"has old managedFields", "have old managedFields"},
    {"was checked without all its objects", "were checked without all their objects"},
    {"can have pruning turned on", "can have pruning turned on"},
    {"has findings", "have findings"}};
static_assert(std::size(kCountWords) == kNeeds);

}  // namespace

Need NeedOf(const CheckReport& report, const CrdReport& crd) {
  constexpr FailOn kAll = {.migration_needed = true};
  if (crd.objects_losing_fields > 0) return Need::kLosesFields;
  if (crd.DropsConversion()) return Need::kLosesConversion;
  if (crd.MakesInvalid()) return Need::kInvalidOncePruned;
  if (IsBlocked(crd, {})) return Need::kBlocked;
  if (crd.verdict == Verdict::kUnknown || !crd.object_errors.empty()) return Need::kUnread;
  if (crd.HasInvalid()) return Need::kInvalid;
  if (crd.file_objects && IsFinding(crd, {})) return Need::kFileObjects;
  if (BrokenByChanges(crd) > 0) return Need::kChanges;
  if (!crd.guard_writers.empty()) return Need::kWriters;
  if (crd.migration_needed) return Need::kMigration;
  if (!crd.stale_managed_fields.empty() || !crd.unfit_managed_fields.empty()) {
    return Need::kManagedFields;
  }
  const bool prunes_already = crd.replaced && !crd.replaced->preserve_unknown_fields;
  if (crd.verdict == Verdict::kReady && !prunes_already) {
    return WasCheckedWithObjects(report, crd) ? Need::kReady : Need::kUnchecked;
  }
  return IsFinding(crd, kAll) ? Need::kFinding : Need::kNothing;
}

std::uint64_t ObjectsOf(const CrdReport& crd, Need need) {
  switch (need) {
    case Need::kLosesFields:
      return crd.objects_losing_fields;
    case Need::kInvalidOncePruned:
    case Need::kInvalid:
      return ObjectsInvalid(crd);
    case Need::kFileObjects:
      return std::max(crd.file_objects->objects_losing_fields, crd.file_objects->validity.objects);
    case Need::kChanges:
      return BrokenByChanges(crd);
    default:
      return crd.object_count;
  }
}

std::string WhatOf(const CrdReport& crd, Need need, const std::string& subject) {
  switch (need) {
    case Need::kLosesFields:
      return subject + (crd.objects_losing_fields == 1 ? " loses " : " lose ") +
             Count(CountLostFields(crd), "field");
    case Need::kLosesConversion:
      return "loses its conversion";
    case Need::kInvalidOncePruned:
      return subject + " invalid if pruned";
    case Need::kBlocked:
      return WhatBlocks(crd);
    case Need::kUnread:
      return crd.verdict == Verdict::kUnknown ? "could not be read" : "objects not read";
    case Need::kInvalid:
      return subject + " would be refused";
    case Need::kFileObjects:
      return subject + " in files not taken";
    case Need::kChanges:
      return subject + " have what changes";
    case Need::kWriters:
      return "lost fields are written";
    case Need::kMigration:
      return WhereStored(crd);
    case Need::kManagedFields:
      return "old managedFields";
    case Need::kUnchecked:
      return "objects not checked";
    case Need::kReady:
      return "loses nothing";
    case Need::kFinding:
    case Need::kNothing:
      break;
  }
  return "see its details";
}

std::string_view NextOf(const CrdReport& crd, Need need) {
  const bool is_live = crd.source.empty();
  switch (need) {
    case Need::kLosesFields:
      return "suggest";
    case Need::kBlocked:
      return crd.problems.empty() ? "check" : "suggest";
    case Need::kMigration:
    case Need::kManagedFields:
    case Need::kReady:
      return is_live ? "migrate" : "check";
    default:
      return "check";
  }
}

std::string CountOf(Need need, std::uint64_t crds) {
  const CountWords& words = kCountWords[static_cast<std::size_t>(need)];
  return std::to_string(crds).append(" ").append(crds == 1 ? words.one : words.many);
}

}  // namespace plugin::report
