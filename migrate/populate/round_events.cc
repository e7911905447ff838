#include "migrate/populate/round_events.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "kube/base/text.h"

namespace migrate::populate {
namespace {

using report::PopulatedObject;
using report::PopulationClass;

// In one namespace at a time; the status of the template has more.
constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kNamesShown = 10;

std::string EventNameOf(const PopulatedObject& object) {
  const ObjectKey key{{object.group, object.kind}, object.name};
  return key.ToString() + " of the template " + object.template_name;
}

std::string EventListOf(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string text =
      std::string(what) + " " + kube::base::Join(std::span(names).first(shown), ", ");
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string ReasonOf(PopulationClass population_class) {
  switch (population_class) {
    case PopulationClass::kRefused:
      return "Refused";
    case PopulationClass::kFailed:
      return "Failed";
    case PopulationClass::kKept:
      return "Kept";
    case PopulationClass::kApplied:
    case PopulationClass::kUnchanged:
    case PopulationClass::kPruned:
    case PopulationClass::kGone:
      return "";
  }
  return "";
}

}  // namespace

void RoundEvents::TakeExpansion(const std::string& namespace_, const Expansion& expansion) {
  News& news = news_[namespace_];
  for (const auto& replaced : expansion.replaced) {
    news.problems.push_back({"Replaced", Describe(replaced)});
  }
  for (const auto& held : expansion.held) news.problems.push_back({"Held", Describe(held)});
}

void RoundEvents::TakeObject(const PopulatedObject& object) {
  News& news = news_[object.namespace_];
  const std::string reason = ReasonOf(object.population_class);
  if (!reason.empty()) {
    news.problems.push_back({reason, EventNameOf(object) + ": " + object.message});
  } else if (object.population_class == PopulationClass::kApplied) {
    news.applied.push_back(EventNameOf(object) +
                           (object.message.empty() ? "" : " (" + object.message + ")"));
  } else if (object.population_class == PopulationClass::kPruned) {
    news.pruned.push_back(EventNameOf(object));
  }
}

std::vector<PopulationEvent> RoundEvents::Take(const std::map<std::string, std::string>& uids) {
  std::vector<PopulationEvent> events;
  for (auto& entry : std::exchange(news_, {})) {
    const std::string& name = entry.first;
    News& news = entry.second;
    const auto uid = uids.find(name);
    if (uid == uids.end()) continue;
    const auto add = [&](bool is_warning, std::string reason, std::string message) {
      events.push_back({PopulationEvent::About::kNamespace, name, uid->second, is_warning,
                        std::move(reason), std::move(message)});
    };
    std::vector<std::string> done = {EventListOf("applied", news.applied),
                                     EventListOf("deleted", news.pruned)};
    std::erase(done, "");
    if (!done.empty()) add(false, "Populated", kube::base::Join(done, "; "));
    // Answers come in any order.
    std::ranges::sort(news.problems);
    news.problems.erase(std::unique(news.problems.begin(), news.problems.end()),
                        news.problems.end());
    std::set<std::size_t> told;
    for (const Problem& problem :
         std::span(news.problems).first(std::min(news.problems.size(), kMostProblems))) {
      const std::size_t hash = std::hash<std::string>()(problem.reason + problem.text);
      told.insert(hash);
      if (!told_[name].contains(hash)) add(true, problem.reason, problem.text);
    }
    if (told.empty()) {
      told_.erase(name);
    } else {
      told_[name] = std::move(told);
    }
  }
  return events;
}

}  // namespace migrate::populate
