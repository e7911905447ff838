#include "migrate/restore/crd_target.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/crd/crd_validation.h"
#include "kube/go/go_format.h"
#include "kube/meta/object_path.h"
#include "kube/meta/type_meta.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/restore/list_elements.h"

namespace migrate::restore {
namespace {

using kube::crd::CrdVersion;
using kube::json::Value;
using kube::schema::PathElement;
using kube::schema::StructuralSchema;

std::string_view VersionNameOf(const Value& object) {
  return kube::meta::TypeOf(object).group_version.version;
}

const Value* FindAt(const Value& root, std::span<const PathElement> elements, MemberIndex& index) {
  const Value* value = &root;
  for (const PathElement& element : elements) {
    if (element.is_index) {
      if (element.index >= value->elements().size()) return nullptr;
      value = &value->elements()[element.index];
    } else {
      value = index.Find(*value, element.key);
    }
    if (value == nullptr) return nullptr;
  }
  return value;
}

/// Counts what was taken and is unknown once more.
class PrunedAgainCounter : public kube::schema::UnknownFieldSink {
 public:
  PrunedAgainCounter(const Value* left, const kube::meta::FieldChoice& fields,
                     const report::CountedObject& object, report::FieldTally& tally)
      : left_(left), fields_(fields), object_(object), tally_(tally) {}

  void OnUnknownField(const kube::schema::UnknownField& field) override {
    const std::vector<kube::meta::PathStep> steps = field.Steps();
    if (steps.empty() || fields_.Of(&steps.back()) == kube::meta::FieldChoice::Part::kNone) return;
    if (left_ != nullptr) {
      const Value* was_left = FindAt(*left_, field.elements, index_);
      if (was_left != nullptr && !HasLost(field.value, was_left, index_)) return;
    }
    tally_.Add(field.folded_path, object_, report::FieldTypeOf(field.value), {}, {});
  }

 private:
  const Value* left_;
  const kube::meta::FieldChoice& fields_;
  const report::CountedObject& object_;
  report::FieldTally& tally_;
  MemberIndex index_;
};

class PathCollector : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    if (paths.size() < kMostPaths) paths.emplace(field.folded_path);
  }

  std::set<std::string> paths;

 private:
  // Who is to fix a schema looks at some.
  static constexpr std::size_t kMostPaths = 100;
};

}  // namespace

CrdTarget::PrunedBy::PrunedBy(kube::crd::Crd of)
    : crd(std::move(of)), server(crd, /*preserve_unknown_fields=*/false) {}

// A write prunes by the schema of its own version, then by that of the storage version; an object
// of an older stored version is read first, and pruned by that one's.
std::vector<const StructuralSchema*> CrdTarget::PrunedBy::SchemasFor(
    std::string_view version) const {
  std::vector<std::string_view> names = {version};
  for (const std::string& stored : crd.stored_versions) names.push_back(stored);
  if (const CrdVersion* storage = crd.StorageVersion()) names.push_back(storage->name);
  std::vector<const StructuralSchema*> schemas;
  std::set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (crd.FindVersion(name) == nullptr || !seen.insert(name).second) continue;
    schemas.push_back(server.FindSchema(name));
  }
  return schemas;
}

CrdTarget::CrdTarget(kube::crd::Crd live, std::optional<kube::crd::Crd> pruned_by,
                     std::optional<check::ServerRules> server)
    : live_(std::move(live)), server_(live_, live_.preserve_unknown_fields) {
  for (const CrdVersion& version : live_.versions) {
    if (!version.served) continue;
    cleaners_.try_emplace(version.name, live_, version.name, cluster::Cleaning::kAuto);
  }
  if (pruned_by) was_pruned_by_.emplace(*std::move(pruned_by));
  if (!server) return;
  forecast_.reset(new Forecast{{live_, *server}, kube::crd::MakePatternChecks()});
}

const CrdVersion* CrdTarget::VersionOf(const Value& backup) const {
  const CrdVersion* own = live_.FindVersion(VersionNameOf(backup));
  if (own != nullptr && own->served) return own;
  if (server_.converts_by_webhook()) return nullptr;
  const CrdVersion* storage = live_.StorageVersion();
  if (storage != nullptr && storage->served) return storage;
  const auto served = std::ranges::find_if(live_.versions, &CrdVersion::served);
  return served == live_.versions.end() ? nullptr : &*served;
}

rewrite::SweepTarget CrdTarget::PathsOf(const CrdVersion& version) const {
  return {.group = live_.group,
          .version = version.name,
          .plural = live_.names.plural,
          .is_namespaced = is_namespaced()};
}

// What embedded resources lose of their metadata no server takes back: it stays out of what is put
// back, as if it were still there.
std::optional<Value> CrdTarget::LeftOf(const Value& backup, kube::json::Arena& arena) const {
  if (!was_pruned_by_) return std::nullopt;
  const std::string_view version = VersionNameOf(backup);
  // Nobody knows what a webhook makes of it, so that only one schema can be looked at.
  const CrdVersion* storage = was_pruned_by_->crd.StorageVersion();
  const bool is_stored_as = storage != nullptr && storage->name == version;
  if (was_pruned_by_->server.converts_by_webhook() && !is_stored_as) return std::nullopt;
  if (was_pruned_by_->crd.FindVersion(version) == nullptr) return std::nullopt;
  Value left = kube::json::CopyForChange(backup, arena);
  for (const StructuralSchema* schema : was_pruned_by_->SchemasFor(version)) {
    kube::schema::DropUnknownFields(left, schema, /*is_resource_root=*/true);
  }
  return left;
}

Value CrdTarget::Received(const Value& object, const CrdVersion& version,
                          kube::json::Arena& arena) const {
  Value received = kube::json::CopyForChange(object, arena);
  const std::string api_version = live_.group + "/" + version.name;
  received.Set("apiVersion", Value::String(arena.Copy(api_version)), arena);
  if (!server_.OnRequest(received, version.name, arena)) return received;
  return kube::json::CopyForChange(object, arena);
}

std::string CrdTarget::Refusal(const Value& restored, const Value* live,
                               const CrdVersion& version) const {
  if (forecast_ == nullptr) return "";
  const auto ask = [&](const Value& written, const Value* old) {
    return forecast_->schemas.Refusal(written, old, version.name, forecast_->patterns);
  };
  kube::json::Arena arena;
  Value first = kube::json::CopyForChange(restored, arena);
  if (version.has_status_subresource()) {
    first.Erase("status");
    const Value* status = live == nullptr ? nullptr : live->Find("status");
    if (status != nullptr) first.Set("status", *status, arena);
  }
  std::string refusal;
  if (live == nullptr || !AreStoredAlike(*live, first, version)) refusal = ask(first, live);
  if (refusal.empty() && !AreStoredAlike(first, restored, version)) refusal = ask(restored, &first);
  if (refusal.empty()) return "";
  return live_.names.kind + "." + live_.group + " " +
         kube::go::GoQuote(cluster::MetadataText(restored, "name")) + " is invalid: " + refusal;
}

bool CrdTarget::AreStoredAlike(const Value& one, const Value& other,
                               const CrdVersion& version) const {
  kube::json::Arena arena;
  Value stored = kube::json::CopyForChange(one, arena);
  Value also_stored = kube::json::CopyForChange(other, arena);
  if (server_.OnRequest(stored, version.name, arena)) return false;
  if (server_.OnRequest(also_stored, version.name, arena)) return false;
  return kube::json::Equal(stored, also_stored);
}

void CrdTarget::CountPrunedAgain(const Value& backup, const kube::meta::FieldChoice& fields,
                                 const report::CountedObject& object,
                                 report::FieldTally& tally) const {
  const CrdVersion* version = VersionOf(backup);
  if (!prunes() || version == nullptr) return;
  kube::json::Arena arena;
  const std::optional<Value> left = LeftOf(backup, arena);
  PrunedAgainCounter counter(left ? &*left : nullptr, fields, object, tally);
  FindPruned(backup, *version, counter);
}

// Of a write: by the schema of its version, and of what is stored.
void CrdTarget::FindPruned(const Value& object, const CrdVersion& version,
                           kube::schema::UnknownFieldSink& sink) const {
  kube::schema::FindUnknownFields(object, server_.FindSchema(version.name),
                                  /*is_resource_root=*/true, sink);
  const CrdVersion* storage = live_.StorageVersion();
  if (storage == nullptr || storage == &version || server_.converts_by_webhook()) return;
  kube::schema::FindUnknownFields(object, server_.FindSchema(storage->name),
                                  /*is_resource_root=*/true, sink);
}

std::vector<std::string> CrdTarget::PrunedOfNew(const Value& object,
                                                const CrdVersion& version) const {
  if (!prunes()) return {};
  PathCollector collector;
  FindPruned(object, version, collector);
  return {collector.paths.begin(), collector.paths.end()};
}

bool CrdTarget::MayHaveLost(const Value& backup) const {
  kube::json::Arena arena;
  const std::optional<Value> left = LeftOf(backup, arena);
  MemberIndex index;
  return !left || HasLost(backup, &*left, index);
}

}  // namespace migrate::restore
