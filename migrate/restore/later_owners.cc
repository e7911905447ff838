#include "migrate/restore/later_owners.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace migrate::restore {
namespace {

using kube::json::Type;
using kube::json::Value;
using kube::meta::PathStep;

// A server keeps ten of those who update, and few others.
constexpr std::size_t kMostOwners = 200;

std::span<const Value> OwnersOf(const Value& object) {
  const Value* metadata = object.Find("metadata", Type::kObject);
  const Value* entries =
      metadata == nullptr ? nullptr : metadata->Find("managedFields", Type::kArray);
  if (entries == nullptr) return {};
  return entries->elements().first(std::min(entries->size(), kMostOwners));
}

// What tells entries apart, but for the version: the storage version may be another one by now.
bool AreOfOneManager(const Value& one, const Value& other) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"manager", "operation", "subresource"},
      [&](std::string_view key) { return one.FindText(key) == other.FindText(key); });
}

}  // namespace

bool LaterOwners::HaveSet(const PathStep* path) {
  Steps steps;
  for (; path != nullptr; path = path->parent) steps.push_back(path);
  std::ranges::reverse(steps);
  return std::ranges::any_of(OwnersOf(live_),
                             [&](const Value& entry) { return HasSet(entry, steps); });
}

bool LaterOwners::HasSet(const Value& entry, const Steps& steps) {
  const auto entries = OwnersOf(backup_);
  const auto before = std::ranges::find_if(
      entries, [&](const Value& other) { return AreOfOneManager(entry, other); });
  const Value* now = entry.Find("fieldsV1", Type::kObject);
  const Value* then = before == entries.end() ? nullptr : before->Find("fieldsV1", Type::kObject);
  const Value* value = &live_;
  for (const PathStep* step : steps) {
    const bool is_index = step->kind == PathStep::Kind::kIndex;
    if (now == nullptr || (is_index && step->index >= value->elements().size())) return false;
    value = is_index ? &value->elements()[step->index] : members_.Find(*value, step->name);
    if (value == nullptr) return false;
    const std::string selector = SelectorOf(*now, *step, *value);
    now = members_.Find(*now, selector);
    if (then != nullptr) then = members_.Find(*then, selector);
  }
  if (now == nullptr || then == nullptr) return now != nullptr;
  return entry.FindText("operation") == "Apply" &&
         entry.FindText("time") != before->FindText("time");
}

std::string LaterOwners::SelectorOf(const Value& fields, const PathStep& step, const Value& value) {
  if (step.kind != PathStep::Kind::kIndex) return "f:" + std::string(step.name);
  std::unique_ptr<check::ElementSelectors>& selectors = selectors_[&fields];
  if (!selectors) selectors = std::make_unique<check::ElementSelectors>(fields);
  return selectors->Of(value, step.index);
}

}  // namespace migrate::restore
