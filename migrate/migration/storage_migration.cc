#include "migrate/migration/storage_migration.h"

#include <charconv>
#include <span>

namespace migrate::migration {
namespace {

using kube::json::Arena;
using kube::json::Type;
using kube::json::Value;

constexpr char kManagedBy[] = "app.kubernetes.io/managed-by";
constexpr char kManager[] = "kubectl-prune";
constexpr char kGeneration[] = "kubectl-prune/crd-generation";
// Of a DNS subdomain (apimachinery pkg/util/validation).
constexpr std::size_t kLongestName = 253;

std::string_view TextAt(const Value& object, std::string_view key, std::string_view inner) {
  const Value* found = object.Find(key, Type::kObject);
  return found == nullptr ? std::string_view() : found->FindText(inner);
}

std::span<const Value> ConditionsOf(const Value& status) {
  const Value* conditions = status.Find("conditions", Type::kArray);
  return conditions == nullptr ? std::span<const Value>() : conditions->elements();
}

struct StageName {
  std::string_view condition;
  Stage stage;
};

// That one has ended counts more than that it runs: 1.35 and later leave Running in place for a
// moment (pkg/controller/storageversionmigrator/util.go setStatusConditions sets it to False).
constexpr StageName kStages[] = {
    {"Failed", Stage::kFailed}, {"Succeeded", Stage::kSucceeded}, {"Running", Stage::kRunning}};

void ReadStatus(const Value& status, StorageMigration& migration) {
  migration.status = kube::json::Print(status);
  if (!status.FindText("resourceVersion").empty()) migration.stage = Stage::kTakenUp;
  for (const StageName& name : kStages) {
    for (const Value& condition : ConditionsOf(status)) {
      if (condition.FindText("type") != name.condition || condition.FindText("status") != "True") {
        continue;
      }
      migration.stage = name.stage;
      migration.message = condition.FindText("message");
      return;
    }
  }
}

}  // namespace

std::string NameOfStorageMigration(const MigratedResource& resource) {
  const std::string end = "-" + resource.crd_uid;
  std::string name = resource.crd_name.substr(0, kLongestName - end.size());
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + end;
}

std::string FullName(const std::string& name) {
  return std::string(kResource) + "." + kGroup + "/" + name;
}

std::string PrintStorageMigration(const MigratedResource& resource, std::string_view api_version) {
  Arena arena;
  const std::string name = NameOfStorageMigration(resource);
  const std::string generation = std::to_string(resource.crd_generation);
  Value labels = Value::Object();
  labels.Set(kManagedBy, Value::String(kManager), arena);
  Value annotations = Value::Object();
  annotations.Set(kGeneration, Value::String(generation), arena);
  Value metadata = Value::Object();
  metadata.Set("name", Value::String(name), arena);
  metadata.Set("labels", labels, arena);
  metadata.Set("annotations", annotations, arena);
  Value migrated = Value::Object();
  migrated.Set("group", Value::String(resource.group), arena);
  // validation.go of v1alpha1: "version is required"; the later ones have a GroupResource.
  if (api_version == "v1alpha1") migrated.Set("version", Value::String(resource.version), arena);
  migrated.Set("resource", Value::String(resource.plural), arena);
  Value spec = Value::Object();
  spec.Set("resource", migrated, arena);
  const std::string group_version = std::string(kGroup) + "/" + std::string(api_version);
  Value object = Value::Object();
  object.Set("apiVersion", Value::String(group_version), arena);
  object.Set("kind", Value::String("StorageVersionMigration"), arena);
  object.Set("metadata", metadata, arena);
  object.Set("spec", spec, arena);
  return kube::json::Print(object);
}

StorageMigration ReadStorageMigration(const Value& object) {
  StorageMigration migration;
  const Value* metadata = object.Find("metadata", Type::kObject);
  if (metadata == nullptr) return migration;
  migration.name = metadata->FindText("name");
  migration.uid = metadata->FindText("uid");
  migration.is_ours = TextAt(*metadata, "labels", kManagedBy) == kManager;
  const std::string_view generation = TextAt(*metadata, "annotations", kGeneration);
  std::from_chars(generation.data(), generation.data() + generation.size(),
                  migration.crd_generation);
  if (const Value* status = object.Find("status", Type::kObject)) ReadStatus(*status, migration);
  return migration;
}

}  // namespace migrate::migration
