#include "migrate/report/field_tally.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace migrate::report {
namespace {

constexpr std::size_t kExamples = 3;

// In the order of FieldType, which is that of the report.
constexpr std::string_view kTypeNames[] = {"array",  "boolean", "integer", "null",
                                           "number", "object",  "string"};
// From here on a float64 is no int64 (keyword_checks.cc).
constexpr double kTwoTo63 = 9223372036854775808.0;

FieldType NumberType(const kube::json::Value& number) {
  if (kube::json::AsInt64(number)) return FieldType::kInteger;
  const double real = kube::json::AsDouble(number).value_or(0.5);
  const bool is_integer = std::trunc(real) == real && std::abs(real) < kTwoTo63;
  return is_integer ? FieldType::kInteger : FieldType::kNumber;
}

std::vector<std::string> TypeNames(unsigned types) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < std::size(kTypeNames); ++i) {
    if (types & (1U << i)) names.emplace_back(kTypeNames[i]);
  }
  return names;
}

}  // namespace

FieldType FieldTypeOf(const kube::json::Value& value) {
  switch (value.type()) {
    case kube::json::Type::kArray:
      return FieldType::kArray;
    case kube::json::Type::kBool:
      return FieldType::kBoolean;
    case kube::json::Type::kNull:
      return FieldType::kNull;
    case kube::json::Type::kNumber:
      return NumberType(value);
    case kube::json::Type::kObject:
      return FieldType::kObject;
    case kube::json::Type::kString:
      break;
  }
  return FieldType::kString;
}

void FieldTally::KeepFirst(std::vector<Example>& examples) {
  std::sort(examples.begin(), examples.end(),
            [](const Example& a, const Example& b) { return a.place < b.place; });
  if (examples.size() > kExamples) examples.resize(kExamples);
}

FieldTally::Count& FieldTally::CountObject(std::string_view path, const CountedObject& object) {
  auto found = counts_.find(path);
  if (found == counts_.end()) found = counts_.emplace(std::string(path), Count()).first;
  Count& count = found->second;
  if (count.objects != 0 && count.last_place == object.place) return count;
  ++count.objects;
  count.last_place = object.place;
  if (count.examples.size() < kExamples || object.place < count.examples.back().place) {
    count.examples.push_back({object.place, std::string(object.full_name)});
    KeepFirst(count.examples);
  }
  return count;
}

void FieldTally::Add(std::string_view path, const CountedObject& object) {
  CountObject(path, object);
}

void FieldTally::Add(std::string_view path, const CountedObject& object, FieldType type,
                     const std::vector<std::string_view>& managers, std::string_view last_written) {
  Count& count = CountObject(path, object);
  count.types |= 1U << static_cast<unsigned>(type);
  for (const std::string_view manager : managers) {
    if (!count.managers.contains(manager)) count.managers.emplace(manager);
  }
  if (last_written > count.last_written) count.last_written = last_written;
}

void FieldTally::Merge(const FieldTally& other) {
  for (const auto& [path, theirs] : other.counts_) {
    Count& count = counts_[path];
    count.objects += theirs.objects;
    count.types |= theirs.types;
    count.managers.insert(theirs.managers.begin(), theirs.managers.end());
    count.last_written = std::max(count.last_written, theirs.last_written);
    count.examples.insert(count.examples.end(), theirs.examples.begin(), theirs.examples.end());
    KeepFirst(count.examples);
  }
}

std::vector<FieldUse> FieldTally::Report() const {
  std::vector<FieldUse> uses;
  for (const auto& [path, count] : counts_) {
    FieldUse use;
    use.path = path;
    use.objects = count.objects;
    use.types = TypeNames(count.types);
    use.managers.assign(count.managers.begin(), count.managers.end());
    use.last_written = count.last_written;
    for (const Example& example : count.examples) use.examples.push_back(example.name);
    uses.push_back(std::move(use));
  }
  return uses;
}

namespace {

constexpr std::size_t kMostTexts = 20;

}  // namespace

void FirstTexts::Add(const Place& place, std::string text) {
  ++count_;
  kept_.emplace_back(place, std::move(text));
  if (kept_.size() == 2 * kMostTexts) DropLast();
}

void FirstTexts::Merge(FirstTexts&& other) {
  count_ += other.count_;
  std::ranges::move(other.kept_, std::back_inserter(kept_));
  DropLast();
}

std::vector<std::string> FirstTexts::Texts() const {
  FirstTexts first = *this;
  first.DropLast();
  std::vector<std::string> texts;
  for (auto& [place, text] : first.kept_) texts.push_back(std::move(text));
  return texts;
}

void FirstTexts::DropLast() {
  std::ranges::sort(kept_);
  if (kept_.size() > kMostTexts) kept_.resize(kMostTexts);
}

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
