#include "kube/meta/field_choice.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kube/go/go_format.h"

namespace kube::meta {
namespace {

using base::Unexpected;

std::vector<const PathStep*> StepsTo(const PathStep* last) {
  std::vector<const PathStep*> steps;
  for (; last != nullptr; last = last->parent) steps.push_back(last);
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace

base::Result<FieldChoice, std::string> FieldChoice::Parse(const std::vector<std::string>& paths) {
  FieldChoice choice;
  choice.paths_ = paths;
  for (const std::string& path : paths) {
    auto steps = ParsePathText(path);
    if (!steps) {
      return Unexpected<std::string>(go::GoQuote(path) +
                                     " is no path of a field: " + steps.error());
    }
    choice.chosen_.push_back(*std::move(steps));
  }
  return choice;
}

bool FieldChoice::IsIn(std::size_t number, const json::Value& object) const {
  return LeadsTo(object, chosen_[number]);
}

bool FieldChoice::LeadsTo(const json::Value& value, std::span<const WrittenStep> steps) {
  if (steps.empty()) return true;
  const WrittenStep& step = steps.front();
  const auto leads_on = [&](const json::Value& below) { return LeadsTo(below, steps.subspan(1)); };
  if (step.is_index) return std::ranges::any_of(value.elements(), leads_on);
  if (step.is_any) return std::ranges::any_of(value.members(), leads_on, &json::Member::value);
  const json::Value* below = value.Find(step.name);
  return below != nullptr && leads_on(*below);
}

bool FieldChoice::Fits(const WrittenStep& chosen, const PathStep& step) {
  if ((step.kind == PathStep::Kind::kIndex) != chosen.is_index) return false;
  return chosen.is_index || chosen.is_any || chosen.name == step.name;
}

bool FieldChoice::FitAsFarAsBoth(const Steps& chosen, const std::vector<const PathStep*>& steps) {
  const std::size_t common = std::min(chosen.size(), steps.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!Fits(chosen[i], *steps[i])) return false;
  }
  return true;
}

FieldChoice::Part FieldChoice::Of(const PathStep* path) const {
  if (chosen_.empty()) return Part::kAll;
  const std::vector<const PathStep*> steps = StepsTo(path);
  Part part = Part::kNone;
  for (const Steps& chosen : chosen_) {
    if (!FitAsFarAsBoth(chosen, steps)) continue;
    if (chosen.size() <= steps.size()) return Part::kAll;
    part = Part::kSome;
  }
  return part;
}

bool FieldChoice::NamesAnyKeyOf(const PathStep* path) const {
  const std::vector<const PathStep*> steps = StepsTo(path);
  return std::ranges::any_of(chosen_, [&](const Steps& chosen) {
    return !steps.empty() && chosen.size() >= steps.size() && !chosen[steps.size() - 1].is_index &&
           chosen[steps.size() - 1].is_any && FitAsFarAsBoth(chosen, steps);
  });
}

}  // namespace kube::meta
