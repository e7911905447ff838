#include "migrate/populate/population_state.h"

#include <algorithm>

#include "kube/json/json.h"
#include "kube/meta/type_meta.h"

namespace migrate::populate {
namespace {

constexpr std::chrono::seconds kFirstPause(1);
constexpr std::chrono::seconds kLongestPause(300);
constexpr int kMostDoublings = 9;  // which are longer

std::chrono::seconds PauseAfter(int failures) {
  return std::min(kFirstPause * (1 << std::min(failures - 1, kMostDoublings)), kLongestPause);
}

void Move(std::set<std::string>& from, std::size_t most, std::vector<std::string>& to) {
  while (!from.empty() && to.size() < most) {
    to.push_back(std::move(from.extract(from.begin()).value()));
  }
}

}  // namespace

void DueNamespaces::AddNew(const std::string& name) {
  Forget(name);
  new_.insert(name);
}

void DueNamespaces::Add(const std::string& name) {
  waiting_.erase(name);
  failures_.erase(name);
  if (!new_.contains(name)) changed_.insert(name);
}

void DueNamespaces::Forget(const std::string& name) {
  new_.erase(name);
  changed_.erase(name);
  waiting_.erase(name);
  failures_.erase(name);
}

std::vector<std::string> DueNamespaces::Take(std::size_t most, TimePoint now) {
  std::vector<std::string> taken;
  Move(new_, most, taken);
  Move(changed_, most, taken);
  for (auto each = waiting_.begin(); each != waiting_.end() && taken.size() < most;) {
    if (each->second > now) {
      ++each;
      continue;
    }
    taken.push_back(each->first);
    each = waiting_.erase(each);
  }
  return taken;
}

void DueNamespaces::NoteDone(const std::string& name, bool is_unfinished, TimePoint now) {
  if (new_.contains(name) || changed_.contains(name)) return;
  if (!is_unfinished) {
    failures_.erase(name);
    return;
  }
  waiting_[name] = now + PauseAfter(++failures_[name]);
}

std::optional<DueNamespaces::TimePoint> DueNamespaces::next() const {
  if (!new_.empty() || !changed_.empty()) return TimePoint::min();
  const auto first =
      std::ranges::min_element(waiting_, {}, [](const auto& entry) { return entry.second; });
  if (first == waiting_.end()) return std::nullopt;
  return first->second;
}

std::size_t DueNamespaces::CountDue(TimePoint now) const {
  const auto is_due = [now](const auto& entry) { return entry.second <= now; };
  return new_.size() + changed_.size() +
         static_cast<std::size_t>(std::ranges::count_if(waiting_, is_due));
}

ApplySetExtent ExtentOf(const std::string& template_name, const PopulationState& state) {
  ApplySetExtent extent;
  for (const auto& [namespace_, outcome] : state.outcomes) {
    const auto found = outcome.templates.find(template_name);
    if (found == outcome.templates.end() || found->second.types.empty()) continue;
    extent.namespaces.insert(namespace_);
    extent.types.insert(found->second.types.begin(), found->second.types.end());
  }
  const auto known = state.input.known.find(template_name);
  if (known == state.input.known.end()) return extent;
  const ApplySetState& noted = known->second.apply_set;
  bool has_unlisted = false;
  for (const GroupKind& type : noted.types) {
    if (!state.members.unlisted().contains(type)) continue;
    has_unlisted = true;
    extent.types.insert(type);
  }
  if (has_unlisted) extent.namespaces.insert(noted.namespaces.begin(), noted.namespaces.end());
  return extent;
}

// The apiVersion of an object may hold a variable, of which no server knows the group.
std::set<std::string> GroupsOf(const PopulationInput& input) {
  std::set<std::string> groups;
  for (const NamespaceTemplate& each : input.templates) {
    for (const kube::json::Value& object : each.objects) {
      groups.emplace(kube::meta::TypeOf(object).group_version.group);
    }
  }
  for (const auto& [name, known] : input.known) {
    for (const GroupKind& type : known.apply_set.types) groups.insert(type.group);
  }
  for (const GroupKind& type : input.gone_types) groups.insert(type.group);
  return groups;
}

}  // namespace migrate::populate
