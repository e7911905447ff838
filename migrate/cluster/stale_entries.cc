#include "migrate/cluster/stale_entries.h"

#include <algorithm>

#include "migrate/cluster/version_fit.h"

namespace migrate::cluster {

using kube::json::Type;
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
  const Value* metadata = object.Find("metadata", Type::kObject);
  const Value* entries =
      metadata == nullptr ? nullptr : metadata->Find("managedFields", Type::kArray);
  return entries == nullptr ? std::span<const Value>() : entries->elements();
}

EntryState StateOf(const Value& object, const KnownVersions* known) {
  EntryState state = EntryState::kNone;
  for (const Value& entry : EntriesOf(object)) {
    const Value* fields = entry.Find("fieldsV1", Type::kObject);
    if (fields != nullptr && !fields->empty()) state = std::max(state, EntryState::kSome);
    if (known == nullptr) continue;
    // An entry that owns nothing is compared like others.
    const EntryState of_entry = known->StateOfEntry(entry);
    if (of_entry >= EntryState::kDoubtful) state = std::max(state, of_entry);
  }
  return state;
}

}  // namespace migrate::cluster
