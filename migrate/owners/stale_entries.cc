#include "migrate/owners/stale_entries.h"

namespace migrate::owners {

using kube::json::Type;
using kube::json::Value;

KnownVersions::KnownVersions(const kube::crd::Crd& crd) {
  for (const kube::crd::CrdVersion& version : crd.versions) {
    api_versions_.insert(crd.group + "/" + version.name);
  }
}

bool KnownVersions::IsStale(const Value& entry) const {
  return entry.is_object() && !api_versions_.contains(entry.FindText("apiVersion"));
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
    if (known != nullptr && known->IsStale(entry)) return EntryState::kStale;
    const Value* fields = entry.Find("fieldsV1", Type::kObject);
    if (fields != nullptr && !fields->empty()) state = EntryState::kSome;
  }
  return state;
}

}  // namespace migrate::owners
