#include "migrate/report/field_tally.h"

#include <algorithm>
#include <cmath>

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

}  // namespace migrate::report
