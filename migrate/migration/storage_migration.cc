#include "migrate/migration/storage_migration.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

namespace migrate::migration {
namespace {

using kube::json::Type;
using kube::json::Value;

constexpr const char* kGroups[] = {kGroup, "migration.k8s.io"};
// From new to old: of several that are served one shows all objects.
constexpr std::string_view kVersions[] = {"v1", "v1beta1", "v1alpha1"};

std::string_view NewestVersion(const kube::client::DocumentResult& group) {
  if (!group) return {};
  for (const std::string_view version : kVersions) {
    const auto is_it = [version](const Value& v) { return v.FindText("version") == version; };
    if (std::ranges::any_of((*group)->root().At("versions").elements(), is_it)) return version;
  }
  return {};
}

bool IsFinished(const Value& migration) {
  return ReadStorageMigration(migration).stage >= Stage::kSucceeded;
}

bool IsOf(const Value& migration, const std::string& group, const std::string& plural) {
  const Value& resource = migration.At("spec").At("resource");
  return resource.FindText("group") == group && resource.FindText("resource") == plural;
}

}  // namespace

StorageMigrations FindStorageMigrations(const std::string& group, const std::string& plural,
                                        const std::string& own, kube::client::Client& client) {
  StorageMigrations found;
  std::vector<kube::client::ApiRequest> requests;
  for (const std::string api_group : kGroups) requests.emplace_back().target = "/apis/" + api_group;
  const std::vector<kube::client::DocumentResult> groups = client.SendAll(std::move(requests));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string api_group = kGroups[i];
    const std::string_view version = NewestVersion(groups[i]);
    if (version.empty()) continue;
    if (api_group == kGroup) found.in_tree_version = version;
    const auto list =
        client.Get("/apis/" + api_group + "/" + std::string(version) + "/" + kResource);
    if (!list) {
      found.unknown_because = list.error().message;
      continue;
    }
    for (const Value& migration : (*list)->root().At("items").elements()) {
      const std::string name = ReadStorageMigration(migration).name;
      const bool is_own = api_group == kGroup && !own.empty() && name == own;
      if (is_own) found.has_own = true;
      if (is_own || !IsOf(migration, group, plural) || IsFinished(migration)) continue;
      if (found.running.empty())
        found.running =
            std::string(kResource).append(".").append(api_group).append("/").append(name);
    }
  }
  return found;
}

namespace {

using kube::json::Arena;

constexpr char kManagedBy[] = "app.kubernetes.io/managed-by";
constexpr char kManager[] = "kubectl-prune";
constexpr char kGeneration[] = "kubectl-prune/crd-generation";
// Of a DNS subdomain (apimachinery pkg/util/validation).
constexpr std::size_t kLongestName = 253;

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
    for (const Value& condition : status.At("conditions").elements()) {
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
  const Value& metadata = object.At("metadata");
  migration.name = metadata.FindText("name");
  migration.uid = metadata.FindText("uid");
  migration.is_ours = metadata.At("labels").FindText(kManagedBy) == kManager;
  const std::string_view generation = metadata.At("annotations").FindText(kGeneration);
  std::from_chars(generation.data(), generation.data() + generation.size(),
                  migration.crd_generation);
  if (const Value* status = object.Find("status", Type::kObject)) ReadStatus(*status, migration);
  return migration;
}

}  // namespace migrate::migration
