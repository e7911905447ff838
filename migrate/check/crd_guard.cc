#include "migrate/check/crd_guard.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "kube/client/answer_meaning.h"
#include "kube/go/go_format.h"
#include "kube/go/go_time.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::check {
namespace {

using kube::go::GoQuote;
using kube::json::Value;

std::string StorageVersionOf(const kube::crd::Crd& crd) {
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  return storage == nullptr ? "" : storage->name;
}

using AddFunction = void (*)(std::string&, const Value&);

void AddMember(std::string& text, const Value& object, std::string_view key, AddFunction add) {
  const Value* member = object.Find(key);
  text.append(key).append(" ");
  if (member != nullptr) add(text, *member);
  text += '\n';
}

void AddAll(std::string& text, const Value& value) { kube::json::PrintTo(text, value); }

void AddKeptFields(std::string& text, const Value& schema);

void AddProperties(std::string& text, const Value& properties) {
  std::vector<const kube::json::Member*> sorted;
  for (const kube::json::Member& property : properties.members()) sorted.push_back(&property);
  std::ranges::sort(sorted, {}, [](const auto* property) { return property->key.text(); });
  for (const kube::json::Member* property : sorted) {
    text.append(GoQuote(property->key.text())).append(": ");
    AddKeptFields(text, property->value);
  }
}

// Of a schema as JSON; of one that is none whatever is there.
void AddKeptFields(std::string& text, const Value& schema) {
  if (!schema.is_object()) return AddAll(text, schema);
  text += '{';
  for (const char* key : {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
                          "nullable", "default"}) {
    AddMember(text, schema, key, AddAll);
  }
  AddMember(text, schema, "items", AddKeptFields);
  AddMember(text, schema, "additionalProperties", AddKeptFields);
  AddMember(text, schema, "properties", AddProperties);
  text += '}';
}

void AddKeptFieldsOfVersion(std::string& text, const Value& schema) {
  AddMember(text, schema, "openAPIV3Schema", AddKeptFields);
}

// All versions' and each version's, as v1beta1 and v1 have them; not what only says how to show
// objects, which others may change at any time.
std::uint64_t HashSchemas(const kube::crd::Crd& crd, AddFunction add) {
  std::string text;
  const Value* spec = crd.document->root().Find("spec");
  if (spec == nullptr) return 0;
  AddMember(text, *spec, "validation", add);
  for (const Value& version : spec->At("versions").elements()) {
    for (const char* key : {"name", "storage"}) AddMember(text, version, key, AddAll);
    AddMember(text, version, "schema", add);
  }
  return cluster::StableHash(text);
}

}  // namespace

CrdShape ShapeOf(const kube::crd::Crd& crd) {
  return {.uid = crd.uid,
          .generation = crd.generation,
          .preserves_unknown_fields = crd.preserve_unknown_fields,
          .storage_version = StorageVersionOf(crd),
          .schemas = HashSchemas(crd, AddAll),
          .kept_fields = HashSchemas(crd, AddKeptFieldsOfVersion)};
}

std::optional<std::string> CheckCrdUnchanged(const CrdShape& expected, const kube::crd::Crd& crd) {
  if (crd.uid != expected.uid) {
    return "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  // Deletion moves the generation too.
  if (crd.terminating) return "the CustomResourceDefinition is being deleted";
  const CrdShape now = ShapeOf(crd);
  if (now.preserves_unknown_fields != expected.preserves_unknown_fields) {
    return std::string("spec.preserveUnknownFields was turned ") +
           (now.preserves_unknown_fields ? "on" : "off") + " meanwhile";
  }
  if (now.storage_version != expected.storage_version) {
    return "the storage version was changed from " + GoQuote(expected.storage_version) + " to " +
           GoQuote(now.storage_version) + " meanwhile";
  }
  if (now.schemas != expected.schemas) return "the schemas were changed meanwhile";
  if (now.generation != expected.generation) {
    return "the CustomResourceDefinition was changed meanwhile (generation " +
           std::to_string(expected.generation) + " became " + std::to_string(now.generation) + ")";
  }
  return std::nullopt;
}

std::string FindChangeWhileRead(const CrdShape& expected, const Value& now) {
  const Value& metadata = now.At("metadata");
  if (metadata.FindText("uid") != expected.uid) {
    return "the CustomResourceDefinition was deleted and created anew while its objects were "
           "read";
  }
  if (metadata.Find("deletionTimestamp") != nullptr) {
    return "the CustomResourceDefinition was deleted while its objects were read, and they with it";
  }
  const bool preserves = now.At("spec").At("preserveUnknownFields").is_true();
  if (!expected.preserves_unknown_fields || preserves) return "";
  return "spec.preserveUnknownFields was turned off while its objects were read: the API server "
         "may have hidden fields that are lost";
}

namespace {

using std::chrono::sys_seconds;

// When the writer of an entry has changed the spec; status is the server's.
std::optional<sys_seconds> SpecChange(const Value& entry) {
  if (entry.At("fieldsV1").Find("f:spec") == nullptr) return std::nullopt;
  const auto time = kube::go::ParseGoTime(entry.FindText("time"));
  if (!time) return std::nullopt;
  return sys_seconds(std::chrono::seconds(time->unix_seconds));
}

std::optional<sys_seconds> LastSpecChange(const Value& crd) {
  std::optional<sys_seconds> last;
  for (const Value& entry : cluster::EntriesOf(crd)) last = std::max(last, SpecChange(entry));
  return last;
}

}  // namespace

std::chrono::system_clock::duration TimeUntilNoticed(const Value& crd,
                                                     std::chrono::system_clock::time_point now) {
  using Duration = std::chrono::system_clock::duration;
  const auto last = LastSpecChange(crd);
  // Sorted out in seconds: a clock's ticks do not reach all years that an entry may name.
  const auto today = std::chrono::floor<std::chrono::seconds>(now);
  if (!last || *last + kNoticed < today) return Duration::zero();
  if (*last > today) return kNoticed;
  return std::clamp<Duration>(*last + kNoticed - now, Duration::zero(), kNoticed);
}

std::chrono::system_clock::duration TimeUntilNoticed(std::int64_t seen,
                                                     std::chrono::system_clock::time_point now) {
  const std::int64_t today = Milliseconds(now);
  if (seen <= 0 || seen > today) return kNoticed;  // unknown, or the clock was set back
  const std::int64_t passed = today - seen;
  const auto needed = std::chrono::milliseconds(kNoticed);
  return passed >= needed.count() ? std::chrono::milliseconds(0)
                                  : needed - std::chrono::milliseconds(passed);
}

std::int64_t Milliseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

namespace {

using kube::client::Meaning;

constexpr std::chrono::minutes kPatience(2);
constexpr std::chrono::seconds kPause(1);

}  // namespace

// What cannot be read is asked for again as a whole, which tells why.
bool CrdGuard::IsAsSeen() {
  if (seen_version_.empty()) return false;
  const auto crd = GetCrdMetadata(session_.client, target_);
  if (!crd) return false;
  const Value& metadata = (*crd)->root().At("metadata");
  return metadata.FindText("uid") == expected_.uid &&
         metadata.FindText("resourceVersion") == seen_version_;
}

kube::base::Result<std::optional<std::string>, kube::client::CallError> CrdGuard::Compare() {
  if (IsAsSeen()) return std::optional<std::string>();
  auto crd = GetCrd(session_.client, target_);
  if (!crd) return kube::base::Unexpected(std::move(crd).error());
  auto change = check::CheckCrdUnchanged(expected_, *crd);
  if (!change) seen_version_ = crd->resource_version;
  return change;
}

std::optional<std::string> CrdGuard::CheckCrdUnchanged() {
  const kube::base::Clock::TimePoint patience = session_.clock.Now() + kPatience;
  for (;;) {
    const auto change = Compare();
    if (change) return *change;
    const Meaning meaning = kube::client::MeaningOf(change.error());
    if (meaning == Meaning::kNotFound) return kCrdDeleted;
    const bool may_not = meaning == Meaning::kUnauthorized || meaning == Meaning::kForbidden;
    if (may_not || session_.clock.Now() >= patience) {
      return "the CustomResourceDefinition cannot be read any more: " + change.error().message;
    }
    if (!cluster::PauseUntil(session_.clock.Now() + kPause, session_)) return std::nullopt;
  }
}

}  // namespace migrate::check
