#include "migrate/populate/due_namespaces.h"

#include <algorithm>

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

}  // namespace migrate::populate
