#include "migrate/report/invalid_tally.h"

namespace migrate::report {
namespace {

// In their order the findings of a path stand together.
std::string KeyOf(const InvalidFinding& finding) {
  constexpr char kBetween = '\0';
  return finding.path + kBetween + finding.words + kBetween + (finding.tolerated ? "t" : "") +
         kBetween + (finding.since_proposal ? "p" : "");
}

}  // namespace

void InvalidTally::Add(const InvalidFinding& finding, const CountedObject& object) {
  const std::string key = KeyOf(finding);
  uses_.Add(key, object, FieldType::kNull, finding.managers, "");
  const auto [first, is_new] = first_.try_emplace(key, First{object.place, finding});
  if (is_new) first->second.finding.managers.clear();  // views into the object
  if (is_new || !(object.place < first->second.place)) return;
  first->second.place = object.place;
  first->second.finding.message = finding.message;
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
    const InvalidFinding& finding = first_.at(use.path).finding;
    report.fields.push_back({.path = finding.path,
                             .message = finding.message,
                             .objects = use.objects,
                             .managers = std::move(use.managers),
                             .examples = std::move(use.examples),
                             .since_proposal = finding.since_proposal,
                             .tolerated = finding.tolerated});
  }
  return report;
}

}  // namespace migrate::report
