#include "migrate/check/crd_set.h"

#include <algorithm>
#include <tuple>

namespace migrate::check {

void CrdSet::Add(const report::Place& place, std::unique_ptr<CrdCheck> check,
                 CrdIdentity identity) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.emplace_back(Entry{place, std::move(check), std::move(identity)});
  std::vector<Entry*>& same_kind = by_kind_[entry.check->kind()];
  const auto later = std::find_if(same_kind.begin(), same_kind.end(),
                                  [&place](const Entry* other) { return place < other->place; });
  same_kind.insert(later, &entry);
}

std::vector<const CrdSet::Entry*> CrdSet::Find(std::string_view group,
                                               std::string_view kind) const {
  const std::shared_lock lock(mutex_);
  std::vector<const Entry*> entries;
  const auto found = by_kind_.find(kind);
  if (found == by_kind_.end()) return entries;
  for (const Entry* entry : found->second) {
    if (entry->check->group() == group) entries.push_back(entry);
  }
  return entries;
}

void CrdSet::Select(const std::vector<std::string>& names,
                    const std::vector<std::string>& ignored) {
  const std::lock_guard lock(mutex_);
  std::vector<CrdIdentity> identities;
  for (Entry& entry : entries_) {
    identities.push_back(entry.identity);
    entry.selected = (names.empty() || IsNamedByAny(entry.identity, names)) &&
                     !IsNamedByAny(entry.identity, ignored);
  }
  RequireEachNamesOne(names, identities);
  RequireNoneNamesTwo(ignored, identities);
}

std::vector<const CrdSet::Entry*> CrdSet::Sorted() const {
  const std::shared_lock lock(mutex_);
  std::vector<const Entry*> entries;
  for (const Entry& entry : entries_) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->check->name(), a->place) < std::tie(b->check->name(), b->place);
  });
  return entries;
}

}  // namespace migrate::check
