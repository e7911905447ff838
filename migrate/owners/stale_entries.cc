#include "migrate/owners/stale_entries.h"

#include "migrate/owners/version_fit.h"

namespace migrate::owners {

using kube::json::Type;
using kube::json::Value;

KnownVersions::KnownVersions(const kube::crd::Crd& crd) {
  for (const kube::crd::CrdVersion& version : crd.versions) {
    api_versions_.insert(crd.group + "/" + version.name);
  }
}

KnownVersions KnownVersions::ThatHoldAll(const kube::crd::Crd& crd) {
  KnownVersions known(crd);
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  if (storage == nullptr || crd.conversion.strategy != "None") return known;
  for (const kube::crd::CrdVersion& version : crd.versions) {
    if (!Holds(version.schema.get(), storage->schema.get())) {
      known.api_versions_.erase(crd.group + "/" + version.name);
    }
  }
  return known;
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
