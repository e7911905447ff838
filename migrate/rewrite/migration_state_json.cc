#include "migrate/rewrite/migration_state_json.h"

#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "migrate/cluster/resource_version.h"

namespace migrate::rewrite {
namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Type;
using kube::json::Value;
using Phase = MigrationState::Phase;

constexpr std::string_view kFormat = "kubectl-prune-state/v1";

constexpr std::pair<Phase, std::string_view> kPhases[] = {
    {Phase::kBeforeFlip, "before-flip"},
    {Phase::kBackupComplete, "backup-complete"},
    {Phase::kRewriting, "rewriting"},
    {Phase::kHolding, "holding"},
};

std::string_view PhaseName(Phase phase) {
  for (const auto& [candidate, name] : kPhases) {
    if (candidate == phase) return name;
  }
  return {};
}

std::optional<Phase> PhaseOf(std::string_view name) {
  for (const auto& [phase, candidate] : kPhases) {
    if (candidate == name) return phase;
  }
  return std::nullopt;
}

Value Texts(const std::vector<std::string>& texts, Arena& arena) {
  Value array = Value::Array();
  for (const std::string& text : texts) array.Append(Value::String(text), arena);
  return array;
}

std::vector<std::string> TextsAt(const Value& object, std::string_view key) {
  std::vector<std::string> texts;
  const Value* array = object.Find(key, Type::kArray);
  if (array == nullptr) return texts;
  for (const Value& element : array->elements()) texts.emplace_back(element.text());
  return texts;
}

Value DoomedValue(const DoomedObject& doomed, Arena& arena) {
  Value object = Value::Object();
  object.Set("namespace", Value::String(doomed.namespace_), arena);
  object.Set("name", Value::String(doomed.name), arena);
  object.Set("uid", Value::String(doomed.uid), arena);
  object.Set("paths", Texts(doomed.paths, arena), arena);
  return object;
}

DoomedObject ReadDoomed(const Value& object) {
  return {.namespace_ = std::string(object.FindText("namespace")),
          .name = std::string(object.FindText("name")),
          .uid = std::string(object.FindText("uid")),
          .paths = TextsAt(object, "paths")};
}

}  // namespace

std::string PrintMigrationState(const MigrationState& state) {
  Arena arena;
  Value root = Value::Object();
  const auto set = [&](std::string_view key, Value value) { root.Set(key, value, arena); };
  set("format", Value::String(kFormat));
  set("phase", Value::String(PhaseName(state.phase)));
  set("crdUID", Value::String(state.crd_uid));
  set("generation", Value::Number(state.generation, arena));
  set("generationSeen", Value::Number(state.generation_seen, arena));
  set("storageVersion", Value::String(state.storage_version));
  set("address", Value::String(state.address));
  set("storedBefore", Texts(state.stored_before, arena));
  set("backup", Value::String(state.backup));
  const std::string schemas = std::to_string(state.schemas);  // JSON's numbers are signed here
  set("schemas", Value::String(schemas));
  const std::string kept_fields = std::to_string(state.kept_fields);
  set("keptFields", Value::String(kept_fields));
  set("mutation", Value::String(state.mutation));
  set("flipResourceVersion", Value::String(state.flip_resource_version));
  set("settledResourceVersion", Value::String(state.settled_resource_version));
  set("engineMigration", Value::String(state.engine_migration));
  Value doomed = Value::Array();
  for (const DoomedObject& object : state.doomed) doomed.Append(DoomedValue(object, arena), arena);
  set("doomed", doomed);
  return kube::json::PrintIndented(root, kube::json::KeyOrder::kAsWritten) + "\n";
}

std::optional<MigrationState> ReadMigrationState(std::string_view text) {
  Document document;
  if (document.Parse(text)) return std::nullopt;
  const Value& root = document.root();
  const std::optional<Phase> phase = PhaseOf(root.FindText("phase"));
  const Value* generation = root.Find("generation", Type::kNumber);
  if (root.FindText("format") != kFormat || !phase || generation == nullptr) return std::nullopt;
  MigrationState state;
  state.phase = *phase;
  state.crd_uid = root.FindText("crdUID");
  state.generation = kube::json::AsInt64(*generation).value_or(0);
  const Value* seen = root.Find("generationSeen", Type::kNumber);
  if (seen != nullptr) state.generation_seen = kube::json::AsInt64(*seen).value_or(0);
  state.storage_version = root.FindText("storageVersion");
  state.address = root.FindText("address");
  state.stored_before = TextsAt(root, "storedBefore");
  state.backup = root.FindText("backup");
  state.schemas = cluster::NumberOf(root.FindText("schemas"));
  state.kept_fields = cluster::NumberOf(root.FindText("keptFields"));
  state.mutation = root.FindText("mutation");
  state.flip_resource_version = root.FindText("flipResourceVersion");
  state.settled_resource_version = root.FindText("settledResourceVersion");
  state.engine_migration = root.FindText("engineMigration");
  const Value* doomed = root.Find("doomed", Type::kArray);
  for (const Value& object : doomed ? doomed->elements() : std::span<const Value>()) {
    state.doomed.push_back(ReadDoomed(object));
  }
  return state;
}

}  // namespace migrate::rewrite
