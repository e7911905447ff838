#include "migrate/owners/entry_cleaner.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/error.h"
#include "migrate/owners/field_fit.h"
#include "migrate/owners/field_set.h"

namespace migrate::owners {
namespace {

using kube::json::Arena;
using kube::json::Type;
using kube::json::Value;

constexpr std::string_view kApiVersion = "apiVersion", kFieldsV1 = "fieldsV1", kTime = "time";

// What makes two entries of one version the same one to the server
// (managedfields/internal: BuildManagerIdentifier).
using Identity = std::tuple<std::string_view, std::string_view, std::string_view>;

Identity IdentityOf(const Value& entry) {
  return {entry.FindText("manager"), entry.FindText("operation"), entry.FindText("subresource")};
}

Value WithMembersOf(const Value& entry, Arena& arena) {
  Value copy = Value::Object();
  for (const kube::json::Member& member : entry.members()) {
    copy.SetNew(member.key.text(), member.value, arena);
  }
  return copy;
}

Value FieldsOf(const Value& entry) {
  const Value* fields = entry.Find(kFieldsV1, Type::kObject);
  return fields == nullptr ? Value::Object() : *fields;
}

bool IsDeeper(const Value& value, std::size_t levels) {
  if (levels == 0) return true;
  const auto is_deeper = [levels](const Value& below) { return IsDeeper(below, levels - 1); };
  return std::ranges::any_of(value.elements(), is_deeper) ||
         std::ranges::any_of(value.members(), is_deeper, &kube::json::Member::value);
}

// RFC 3339 in UTC: the order of the text is the order in time.
Value Merged(const Value& into, const Value& from, Arena& arena) {
  Value merged = WithMembersOf(into, arena);
  merged.Set(kFieldsV1, UnionOf(FieldsOf(into), FieldsOf(from), arena), arena);
  if (from.FindText(kTime) > into.FindText(kTime)) {
    merged.Set(kTime, Value::String(from.FindText(kTime)), arena);
  }
  return merged;
}

}  // namespace

EntryCleaner::EntryCleaner(const kube::crd::Crd& crd)
    : crd_(kube::crd::CopyCrd(crd)),
      storage_(crd_.StorageVersion()),
      known_(KnownVersions::ThatHoldAll(crd_)) {
  if (storage_ == nullptr) throw kube::base::Error("the CRD has no storage version");
  api_version_ = crd_.group + "/" + storage_->name;
}

std::optional<Value> EntryCleaner::Renamed(const Value& entry, Arena& arena) const {
  if (entry.FindText("fieldsType") != "FieldsV1") return std::nullopt;
  const auto fields =
      FitFields(FieldsOf(entry), storage_->schema.get(), crd_.preserve_unknown_fields, arena);
  if (!fields) return std::nullopt;
  Value renamed = WithMembersOf(entry, arena);
  renamed.Set(kApiVersion, Value::String(api_version_), arena);
  renamed.Set(kFieldsV1, *fields, arena);
  return renamed;
}

std::optional<CleanedEntries> EntryCleaner::Clean(const Value& object, Arena& arena) const {
  const std::span<const Value> entries = EntriesOf(object);
  const auto is_stale = [this](const Value& entry) { return known_.IsStale(entry); };
  if (std::ranges::none_of(entries, is_stale) || IsDeeper(object, kMostLevels)) return std::nullopt;
  std::vector<std::optional<Value>> cleaned(entries.size());
  std::map<Identity, std::size_t> places;  // of entries of the storage version
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (known_.IsStale(entries[i])) continue;
    cleaned[i] = entries[i];
    if (entries[i].FindText(kApiVersion) == api_version_) places.emplace(IdentityOf(entries[i]), i);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!known_.IsStale(entries[i])) continue;
    ++changed;
    const auto renamed = Renamed(entries[i], arena);
    if (!renamed) continue;
    const auto [place, is_new] = places.emplace(IdentityOf(entries[i]), i);
    std::optional<Value>& into = cleaned[place->second];
    into = is_new ? *renamed : Merged(*into, *renamed, arena);
  }
  CleanedEntries result{.entries = Value::Array(), .changed = changed};
  for (const std::optional<Value>& entry : cleaned) {
    if (entry) result.entries.Append(*entry, arena);
  }
  return result;
}

}  // namespace migrate::owners
