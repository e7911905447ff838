#include "migrate/crd_set.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "kube/error.h"

namespace migrate {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// kubectl takes a type before the name: crd/NAME.
std::string_view WithoutType(std::string_view name) {
  for (const std::string_view type :
       {"crd/", "crds/", "customresourcedefinition/", "customresourcedefinitions/",
        "customresourcedefinition.apiextensions.k8s.io/",
        "customresourcedefinitions.apiextensions.k8s.io/"}) {
    if (name.starts_with(type)) return name.substr(type.size());
  }
  return name;
}

bool IsNamed(const CrdSet::Entry& entry, std::string_view argument) {
  const std::string name = Lower(WithoutType(argument));
  if (name == entry.check->name()) return true;
  const kube::CrdNames& names = entry.names;
  const std::string group = "." + entry.check->group();
  const auto fits = [&name, &group](const std::string& word) {
    const std::string lower = Lower(word);
    return !lower.empty() && (name == lower || name == lower + group);
  };
  return fits(names.plural) || fits(names.singular) || fits(names.kind) ||
         std::any_of(names.short_names.begin(), names.short_names.end(), fits);
}

std::string Join(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void CrdSet::Add(const Place& place, std::unique_ptr<CrdCheck> check, kube::CrdNames names) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.emplace_back(Entry{place, std::move(check), std::move(names)});
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
  for (Entry& entry : entries_) entry.selected = names.empty();
  for (const std::string& name : names) {
    std::set<std::string> found;
    for (Entry& entry : entries_) {
      if (!IsNamed(entry, name)) continue;
      entry.selected = true;
      found.insert(entry.check->name());
    }
    if (found.empty()) throw kube::Error("no CustomResourceDefinition named \"" + name + "\"");
    if (found.size() > 1) {
      throw kube::Error("\"" + name + "\" is ambiguous; name one of: " + Join(found));
    }
  }
  for (Entry& entry : entries_) {
    if (IsNamedByAny(entry, ignored)) entry.selected = false;
  }
}

bool IsNamedByAny(const CrdSet::Entry& entry, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&entry](const std::string& name) { return IsNamed(entry, name); });
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

}  // namespace migrate
