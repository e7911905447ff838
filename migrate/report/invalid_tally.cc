#include "migrate/report/invalid_tally.h"

namespace migrate::report {
namespace {

// In their order the findings of a path stand together.
std::string KeyOf(const InvalidFinding& finding) {
  constexpr char kBetween = '\0';
  return finding.path + kBetween + finding.words + kBetween + (finding.tolerated ? "t" : "") +
         kBetween + (finding.since_proposal ? "p" : "") + kBetween + finding.from_release;
}

}  // namespace

void InvalidTally::Add(const InvalidFinding& finding, const CountedObject& object) {
  const std::string key = KeyOf(finding);
  uses_.Add(key, object, FieldType::kNull, finding.managers, "");
  const auto known = first_.find(key);
  if (known != first_.end() && !(object.place < known->second.place)) return;
  first_.insert_or_assign(key,
                          First{object.place, finding.message, finding.path, finding.since_proposal,
                                finding.tolerated, finding.from_release});
}

void InvalidTally::Merge(const InvalidTally& other) {
  refused_ += other.refused_;
  uses_.Merge(other.uses_);
  for (const auto& [key, theirs] : other.first_) {
    const auto [first, is_new] = first_.try_emplace(key, theirs);
    if (!is_new && theirs.place < first->second.place) first->second = theirs;
  }
}

ValidityReport InvalidTally::Report() const {
  ValidityReport report;
  report.objects = refused_;
  for (FieldUse& use : uses_.Report()) {
    const First& first = first_.at(use.path);
    report.fields.push_back({.path = first.path,
                             .message = first.message,
                             .objects = use.objects,
                             .managers = std::move(use.managers),
                             .examples = std::move(use.examples),
                             .since_proposal = first.since_proposal,
                             .tolerated = first.tolerated,
                             .from_release = first.from_release});
  }
  return report;
}

}  // namespace migrate::report
