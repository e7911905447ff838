#include "migrate/shards/shard_record_json.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kube/json/json.h"
#include "migrate/shards/shard.h"

namespace migrate::shards {
namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Type;
using kube::json::Value;
using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;

constexpr std::string_view kFormat = "kubectl-prune-shards/v1";

Value CountsValue(const report::ClassCounts& counts, Arena& arena) {
  Value object = Value::Object();
  counts.ForEach([&](report::ObjectClass object_class, std::uint64_t count) {
    object.Set(report::ClassKey(object_class),
               Value::Number(static_cast<std::int64_t>(count), arena), arena);
  });
  return object;
}

/// Absent where it names what is no class, or no number of objects.
std::optional<report::ClassCounts> ReadCounts(const Value& object) {
  report::ClassCounts counts;
  std::size_t known = 0;
  for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
    const auto object_class = static_cast<report::ObjectClass>(i);
    const Value* value = object.Find(report::ClassKey(object_class), Type::kNumber);
    if (value == nullptr) continue;
    const auto count = kube::json::AsInt64(*value);
    if (!count || *count < 0) return std::nullopt;
    counts[object_class] = static_cast<std::uint64_t>(*count);
    ++known;
  }
  if (!object.is_object() || known != object.size()) return std::nullopt;
  return counts;
}

void SetText(Value& object, std::string_view key, const std::string& text, Arena& arena) {
  if (!text.empty()) object.Set(key, Value::String(text), arena);
}

Value PartValue(const ShardPart& part, Arena& arena) {
  Value object = Value::Object();
  object.Set("step", Value::String(PartStepName(part.step)), arena);
  SetText(object, "holder", part.holder, arena);
  SetText(object, "backup", part.backup, arena);
  if (part.counts.Total() > 0) object.Set("counts", CountsValue(part.counts, arena), arena);
  if (part.before_flip) object.Set("beforeFlip", CountsValue(*part.before_flip, arena), arena);
  if (part.is_verified) object.Set("verified", Value::Bool(true), arena);
  SetText(object, "error", part.error, arena);
  if (part.seconds > 0) {
    object.Set("milliseconds",
               Value::Number(std::int64_t{std::llround(part.seconds * 1000)}, arena), arena);
  }
  return object;
}

std::optional<Step> ReadStep(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Step::kFailed); ++i) {
    if (PartStepName(static_cast<Step>(i)) == name) return static_cast<Step>(i);
  }
  return std::nullopt;
}

std::optional<Phase> ReadPhase(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Phase::kEnded); ++i) {
    if (PhaseName(static_cast<Phase>(i)) == name) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

std::int64_t NumberAt(const Value& object, std::string_view key) {
  const Value* value = object.Find(key, Type::kNumber);
  return value == nullptr ? 0 : kube::json::AsInt64(*value).value_or(0);
}

// What no run can have taken is not told.
double SecondsAt(const Value& object) {
  constexpr std::int64_t kMostMilliseconds = 1'000'000'000'000;
  const std::int64_t milliseconds = NumberAt(object, "milliseconds");
  if (milliseconds < 0 || milliseconds > kMostMilliseconds) return 0;
  return static_cast<double>(milliseconds) / 1000;
}

std::optional<ShardPart> ReadPart(const Value& object) {
  const auto step = ReadStep(object.FindText("step"));
  if (!step) return std::nullopt;
  ShardPart part{.step = *step,
                 .holder = std::string(object.FindText("holder")),
                 .backup = std::string(object.FindText("backup")),
                 .error = std::string(object.FindText("error")),
                 .seconds = SecondsAt(object)};
  const Value* verified = object.Find("verified", Type::kBool);
  part.is_verified = verified != nullptr && verified->AsBool();
  if (const Value* counts = object.Find("counts")) {
    const auto read = ReadCounts(*counts);
    if (!read) return std::nullopt;
    part.counts = *read;
  }
  if (const Value* before_flip = object.Find("beforeFlip")) {
    part.before_flip = ReadCounts(*before_flip);
    if (!part.before_flip) return std::nullopt;
  }
  return part;
}

bool ReadParts(const Value& root, ShardRecord& record) {
  const Value* parts = root.Find("shards", Type::kArray);
  if (parts == nullptr || parts->empty()) return false;
  if (parts->size() > static_cast<std::size_t>(kMostShards)) return false;
  for (const Value& element : parts->elements()) {
    auto part = ReadPart(element);
    if (!part) return false;
    record.parts.push_back(*std::move(part));
  }
  return true;
}

}  // namespace

std::string PrintShardRecord(const ShardRecord& record) {
  Arena arena;
  Value root = Value::Object();
  const auto set = [&](std::string_view key, Value value) { root.Set(key, value, arena); };
  set("format", Value::String(kFormat));
  set("crdUID", Value::String(record.crd_uid));
  set("generation", Value::Number(record.generation, arena));
  set("storageVersion", Value::String(record.storage_version));
  set("purpose", Value::String(record.purpose));
  Value stored = Value::Array();
  for (const std::string& version : record.stored_before) {
    stored.Append(Value::String(version), arena);
  }
  set("storedBefore", stored);
  set("run", Value::Number(record.run, arena));
  set("round", Value::Number(record.round, arena));
  set("phase", Value::String(PhaseName(record.phase)));
  SetText(root, "flipResourceVersion", record.flip_resource_version, arena);
  SetText(root, "keptBecause", record.kept_because, arena);
  Value parts = Value::Array();
  for (const ShardPart& part : record.parts) parts.Append(PartValue(part, arena), arena);
  set("shards", parts);
  return kube::json::Print(root, kube::json::KeyOrder::kAsWritten);
}

std::optional<ShardRecord> ReadShardRecord(std::string_view text) {
  Document document;
  if (document.Parse(text) || document.root().FindText("format") != kFormat) return std::nullopt;
  const Value& root = document.root();
  const auto phase = ReadPhase(root.FindText("phase"));
  if (!phase) return std::nullopt;
  ShardRecord record{.crd_uid = std::string(root.FindText("crdUID")),
                     .generation = NumberAt(root, "generation"),
                     .storage_version = std::string(root.FindText("storageVersion")),
                     .purpose = std::string(root.FindText("purpose")),
                     .run = NumberAt(root, "run"),
                     .round = NumberAt(root, "round"),
                     .phase = *phase,
                     .flip_resource_version = std::string(root.FindText("flipResourceVersion")),
                     .kept_because = std::string(root.FindText("keptBecause")),
                     .parts = {}};
  if (const Value* stored = root.Find("storedBefore", Type::kArray)) {
    for (const Value& version : stored->elements())
      record.stored_before.emplace_back(version.text());
  }
  if (record.crd_uid.empty() || record.run < 1 || !ReadParts(root, record)) return std::nullopt;
  return record;
}

}  // namespace migrate::shards
