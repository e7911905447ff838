#include "kube/meta/field_choice.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "kube/go/go_format.h"

namespace kube::meta {
namespace {

using base::Unexpected;

// What is deeper is not named by hand.
constexpr std::size_t kMostSteps = 200;

std::vector<const PathStep*> StepsTo(const PathStep* last) {
  std::vector<const PathStep*> steps;
  for (; last != nullptr; last = last->parent) steps.push_back(last);
  std::ranges::reverse(steps);
  return steps;
}

// Up to and with '], \' and \\ being a quote and a backslash. Absent where there is no end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("']")) {
      text.remove_prefix(i + 2);
      return name;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  return std::nullopt;
}

}  // namespace

base::Result<FieldChoice, std::string> FieldChoice::Parse(const std::vector<std::string>& paths) {
  FieldChoice choice;
  choice.paths_ = paths;
  for (const std::string& path : paths) {
    auto steps = ParsePath(path);
    if (!steps) {
      return Unexpected<std::string>(go::GoQuote(path) +
                                     " is no path of a field: " + steps.error());
    }
    choice.chosen_.push_back(*std::move(steps));
  }
  return choice;
}

// AppendPathName is what it reads back.
base::Result<FieldChoice::Steps, std::string> FieldChoice::ParsePath(std::string_view text) {
  Steps steps;
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.empty()) return Unexpected<std::string>("it names nothing");
  while (!text.empty()) {
    if (steps.size() == kMostSteps) return Unexpected<std::string>("it is too long");
    if (text.starts_with("['")) {
      text.remove_prefix(2);
      auto name = TakeQuoted(text);
      if (!name) return Unexpected<std::string>("a [' has no '] behind it");
      steps.push_back({.name = *std::move(name)});
    } else if (text.starts_with('[')) {
      const std::size_t end = text.find(']');
      const std::string_view index = text.substr(1, end == text.npos ? end : end - 1);
      if (end == text.npos ||
          (index != "*" &&
           (index.empty() || index.find_first_not_of("0123456789") != index.npos))) {
        return Unexpected<std::string>("behind a [ comes a number or * and a ], or 'NAME']");
      }
      steps.push_back({.is_index = true});
      text.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(text.find_first_of(".["), text.size());
      if (end == 0) return Unexpected<std::string>("a name in it is empty");
      const std::string_view name = text.substr(0, end);
      steps.push_back({.is_any = name == "*", .name = std::string(name)});
      text.remove_prefix(end);
    }
    if (!text.starts_with('.')) continue;
    text.remove_prefix(1);
    if (text.empty()) return Unexpected<std::string>("a name in it is empty");
  }
  return steps;
}

bool FieldChoice::IsIn(std::size_t number, const json::Value& object) const {
  return LeadsTo(object, chosen_[number]);
}

bool FieldChoice::LeadsTo(const json::Value& value, std::span<const Step> steps) {
  if (steps.empty()) return true;
  const Step& step = steps.front();
  const auto leads_on = [&](const json::Value& below) { return LeadsTo(below, steps.subspan(1)); };
  if (step.is_index) return std::ranges::any_of(value.elements(), leads_on);
  if (step.is_any) return std::ranges::any_of(value.members(), leads_on, &json::Member::value);
  const json::Value* below = value.Find(step.name);
  return below != nullptr && leads_on(*below);
}

bool FieldChoice::Fits(const Step& chosen, const PathStep& step) {
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
    return !steps.empty() && chosen.size() >= steps.size() && chosen[steps.size() - 1].is_any &&
           FitAsFarAsBoth(chosen, steps);
  });
}

}  // namespace kube::meta
