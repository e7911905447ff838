#include "migrate/cluster/stale_entries.h"

#include <algorithm>
#include <string_view>

#include "kube/base/utf8.h"
#include "migrate/cluster/version_fit.h"

namespace migrate::cluster {

using kube::json::Value;

KnownVersions::KnownVersions(const kube::crd::Crd& crd) {
  for (const kube::crd::CrdVersion& version : crd.versions) {
    states_.emplace(crd.group + "/" + version.name, EntryState::kSome);
  }
}

KnownVersions::KnownVersions(const kube::crd::Crd& crd, const kube::crd::CrdVersion& written,
                             Unfit unfit) {
  const bool are_told_by_schemas = crd.conversion.strategy == "None";
  for (const kube::crd::CrdVersion& version : crd.versions) {
    const bool is_unfit = unfit != Unfit::kKnown && are_told_by_schemas && &version != &written &&
                          !Holds(version.schema.get(), written.schema.get());
    if (is_unfit && unfit == Unfit::kStale) continue;
    states_.emplace(crd.group + "/" + version.name,
                    is_unfit ? EntryState::kDoubtful : EntryState::kSome);
  }
}

EntryState KnownVersions::StateOfEntry(const Value& entry) const {
  if (!entry.is_object()) return EntryState::kNone;
  const auto found = states_.find(entry.FindText("apiVersion"));
  return found == states_.end() ? EntryState::kStale : found->second;
}

bool KnownVersions::HasDoubtful() const {
  return std::ranges::any_of(
      states_, [](const auto& version) { return version.second == EntryState::kDoubtful; });
}

std::string KnownVersions::Text() const {
  std::string text;
  for (const auto& [version, state] : states_) {
    text += (text.empty() ? "" : " ") + version;
    text += state == EntryState::kDoubtful ? "=doubtful" : "=some";
  }
  return text;
}

std::span<const Value> EntriesOf(const Value& object) {
  return object.At("metadata").At("managedFields").elements();
}

std::span<const Value> FirstEntriesOf(const Value& object) {
  const std::span<const Value> entries = EntriesOf(object);
  return entries.first(std::min(entries.size(), kMostEntries));
}

EntryState StateOf(const Value& object, const KnownVersions* known) {
  EntryState state = EntryState::kNone;
  for (const Value& entry : EntriesOf(object)) {
    if (!entry.At("fieldsV1").members().empty()) state = std::max(state, EntryState::kSome);
    if (known == nullptr) continue;
    // An entry that owns nothing is compared like others.
    const EntryState of_entry = known->StateOfEntry(entry);
    if (of_entry >= EntryState::kDoubtful) state = std::max(state, of_entry);
  }
  return state;
}

namespace {

constexpr std::size_t kExamples = 3;
// A server takes 128 characters of a manager, and less of the others.
constexpr std::size_t kMostText = 512;

std::string TextOf(const kube::json::Value& entry, std::string_view key) {
  return kube::base::utf8::Shortened(entry.FindText(key), kMostText);
}

}  // namespace

std::uint64_t StaleTally::AddStale(const kube::json::Value& object, const KnownVersions& known,
                                   const report::CountedObject& counted) {
  std::uint64_t stale = 0;
  for (const kube::json::Value& entry : FirstEntriesOf(object)) {
    if (!known.IsStale(entry)) continue;
    Add(entry, counted);
    ++stale;
  }
  return stale;
}

void StaleTally::Add(const kube::json::Value& entry, const report::CountedObject& counted) {
  Count& count = counts_[{.api_version = TextOf(entry, "apiVersion"),
                          .manager = TextOf(entry, "manager"),
                          .operation = TextOf(entry, "operation"),
                          .subresource = TextOf(entry, "subresource")}];
  if (count.objects == 0 || count.last_place != counted.place) {
    ++count.objects;
    count.last_place = counted.place;
    count.examples.emplace_back(counted.place, counted.full_name);
    KeepFirst(count);
  }
  DropLast();
}

void StaleTally::KeepFirst(Count& count) {
  std::ranges::sort(count.examples);
  if (count.examples.size() > kExamples) count.examples.resize(kExamples);
}

// What was dropped once has so many before it that it is dropped again: no count is of a part.
void StaleTally::DropLast() {
  while (counts_.size() > kMost) counts_.erase(std::prev(counts_.end()));
}

void StaleTally::Merge(const StaleTally& other) {
  for (const auto& [key, theirs] : other.counts_) {
    Count& count = counts_[key];
    count.objects += theirs.objects;
    count.examples.insert(count.examples.end(), theirs.examples.begin(), theirs.examples.end());
    KeepFirst(count);
  }
  DropLast();
}

std::vector<report::StaleEntry> StaleTally::Report() const {
  std::vector<report::StaleEntry> entries;
  for (const auto& [key, count] : counts_) {
    report::StaleEntry entry{.api_version = key.api_version,
                             .manager = key.manager,
                             .operation = key.operation,
                             .subresource = key.subresource,
                             .objects = count.objects};
    for (const auto& [place, name] : count.examples) entry.examples.push_back(name);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace migrate::cluster
