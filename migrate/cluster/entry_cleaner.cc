#include "migrate/cluster/entry_cleaner.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "migrate/cluster/field_fit.h"
#include "migrate/cluster/version_fit.h"

namespace migrate::cluster {
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

bool IsOwn(const Value& entry) {
  return entry.is_object() && entry.FindText("manager") == kOwnManager &&
         entry.FindText("operation") == "Update";
}

// While unknown fields are preserved a server reads objects without a schema, and no version lacks
// a field (fieldmanager, DeducedTypeConverter).
KnownVersions::Unfit UnfitFor(const kube::crd::Crd& crd, Cleaning cleaning) {
  using Unfit = KnownVersions::Unfit;
  if (cleaning == Cleaning::kAlways) return Unfit::kStale;
  return crd.preserve_unknown_fields ? Unfit::kKnown : Unfit::kDoubtful;
}

}  // namespace

/// Which entries of one object are to be cleaned.
class EntryCleaner::Choice {
 public:
  Choice(const EntryCleaner& cleaner, const Value& object, const Value* changed)
      : cleaner_(cleaner), object_(object), changed_(changed) {}

  bool IsOf(const Value& entry) {
    const EntryState state = cleaner_.known_.StateOfEntry(entry);
    if (state != EntryState::kDoubtful) return state == EntryState::kStale;
    const std::string_view version = entry.FindText(kApiVersion);
    const auto [place, is_new] = is_unfit_.emplace(version, false);
    if (is_new) place->second = !IsHeldBy(cleaner_.SchemaOf(entry));
    return place->second;
  }

 private:
  bool IsHeldBy(const kube::schema::SchemaProps* schema) {
    if (written_.empty()) {
      written_.push_back(cleaner_.AsWritten(object_, arena_));
      if (changed_ != nullptr) written_.push_back(cleaner_.AsWritten(*changed_, arena_));
    }
    return std::ranges::all_of(
        written_, [schema](const Value& object) { return HoldsObject(schema, object); });
  }

  const EntryCleaner& cleaner_;
  const Value& object_;
  const Value* changed_;
  kube::json::Arena arena_;
  std::vector<Value> written_;                 // both, once they are asked for
  std::map<std::string_view, bool> is_unfit_;  // by apiVersion
};

EntryCleaner::EntryCleaner(const kube::crd::Crd& crd, const std::string& written, Cleaning cleaning,
                           const std::set<std::string>& unfit)
    : crd_(kube::crd::CopyCrd(crd)),
      written_(crd_.FindVersion(written)),
      api_version_(crd_.group + "/" + written),
      server_(crd_, /*preserve_unknown_fields=*/false),
      known_(crd_) {
  // Whoever foretells may have another value than the document.
  crd_.preserve_unknown_fields = crd.preserve_unknown_fields;
  if (written_ == nullptr) throw kube::base::Error("the CRD has no version " + written);
  known_ = KnownVersions(crd_, *written_, UnfitFor(crd_, cleaning));
  for (const std::string& version : unfit) {
    if (version != written) known_.Forget(crd_.group + "/" + version);
  }
}

const kube::schema::SchemaProps* EntryCleaner::SchemaOf(const Value& entry) const {
  const std::string_view api_version = entry.FindText(kApiVersion);
  const kube::crd::CrdVersion* version =
      api_version.starts_with(crd_.group + "/")
          ? crd_.FindVersion(api_version.substr(crd_.group.size() + 1))
          : nullptr;
  return version == nullptr ? nullptr : version->schema.get();
}

Value EntryCleaner::AsWritten(const Value& object, Arena& arena) const {
  const kube::schema::StructuralSchema* schema = server_.FindSchema(written_->name);
  Value copy = kube::json::CopyForChange(object, arena);
  kube::schema::DropLostFields(copy, schema, arena);
  // One that its defaults make too large cannot be written anyway.
  static_cast<void>(kube::schema::ReadBySchema(copy, schema, arena));
  return copy;
}

std::optional<Value> EntryCleaner::Renamed(const Value& entry, Arena& arena) const {
  if (entry.FindText("fieldsType") != "FieldsV1") return std::nullopt;
  const auto fields = FitFields(FieldsOf(entry),
                                {.to = written_->schema.get(),
                                 .from = SchemaOf(entry),
                                 .preserves = crd_.preserve_unknown_fields},
                                arena);
  if (!fields) return std::nullopt;
  Value renamed = WithMembersOf(entry, arena);
  renamed.Set(kApiVersion, Value::String(api_version_), arena);
  renamed.Set(kFieldsV1, *fields, arena);
  return renamed;
}

std::vector<const Value*> EntryCleaner::FindUnfit(const Value& object) const {
  std::vector<const Value*> unfit;
  Choice choice(*this, object, nullptr);
  for (const Value& entry : FirstEntriesOf(object)) {
    const bool is_doubtful = known_.StateOfEntry(entry) == EntryState::kDoubtful;
    if (is_doubtful && choice.IsOf(entry)) unfit.push_back(&entry);
  }
  return unfit;
}

std::optional<CleanedEntries> EntryCleaner::Clean(const Value& object, Arena& arena,
                                                  const Value* changed) const {
  const std::span<const Value> entries = EntriesOf(object);
  if (StateOf(object, &known_) < EntryState::kDoubtful) return std::nullopt;
  if (IsDeeper(object, kMostLevels)) return std::nullopt;
  Choice choice(*this, object, changed);
  std::vector<std::optional<Value>> cleaned(entries.size());
  std::map<Identity, std::size_t> places;  // of entries of the written version
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (choice.IsOf(entries[i])) {
      chosen.push_back(i);
      continue;
    }
    cleaned[i] = entries[i];
    if (entries[i].FindText(kApiVersion) == api_version_) places.emplace(IdentityOf(entries[i]), i);
  }
  if (chosen.empty()) return std::nullopt;
  for (const std::size_t i : chosen) {
    const auto renamed = Renamed(entries[i], arena);
    if (!renamed) continue;
    const auto [place, is_new] = places.emplace(IdentityOf(entries[i]), i);
    std::optional<Value>& into = cleaned[place->second];
    into = is_new ? *renamed : Merged(*into, *renamed, arena);
  }
  CleanedEntries result{.entries = Value::Array(), .changed = chosen.size()};
  for (const std::optional<Value>& entry : cleaned) {
    if (entry) result.entries.Append(*entry, arena);
  }
  return result;
}

bool HasOwnEntry(const Value& object) { return std::ranges::any_of(EntriesOf(object), IsOwn); }

std::optional<Value> WithoutOwnEntry(const Value& object, Arena& arena) {
  if (!HasOwnEntry(object)) return std::nullopt;
  Value others = Value::Array();
  for (const Value& entry : EntriesOf(object)) {
    if (!IsOwn(entry)) others.Append(entry, arena);
  }
  return others.empty() ? std::nullopt : std::optional(others);
}

}  // namespace migrate::cluster
