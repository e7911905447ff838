#include "migrate/migration/storage_migrations.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

namespace migrate::migration {
namespace {

using kube::json::Type;
using kube::json::Value;

constexpr char kResource[] = "storageversionmigrations";
constexpr const char* kGroups[] = {"storagemigration.k8s.io", "migration.k8s.io"};
// From new to old: of several that are served one shows all objects.
constexpr std::string_view kVersions[] = {"v1", "v1beta1", "v1alpha1"};

std::span<const Value> ElementsAt(const Value& object, std::string_view key) {
  const Value* array = object.Find(key, Type::kArray);
  return array == nullptr ? std::span<const Value>() : array->elements();
}

std::string_view ServedVersion(const std::string& group, kube::client::Client& client) {
  const auto answer = client.Get("/apis/" + group);
  if (!answer) return {};
  for (const std::string_view version : kVersions) {
    const auto is_it = [version](const Value& v) { return v.FindText("version") == version; };
    if (std::ranges::any_of(ElementsAt((*answer)->root(), "versions"), is_it)) return version;
  }
  return {};
}

bool IsFinished(const Value& migration) {
  const Value* status = migration.Find("status");
  if (status == nullptr) return false;
  return std::ranges::any_of(ElementsAt(*status, "conditions"), [](const Value& condition) {
    const std::string_view type = condition.FindText("type");
    return (type == "Succeeded" || type == "Failed") && condition.FindText("status") == "True";
  });
}

bool IsOf(const Value& migration, const std::string& group, const std::string& plural) {
  const Value* spec = migration.Find("spec");
  const Value* resource = spec == nullptr ? nullptr : spec->Find("resource");
  return resource != nullptr && resource->FindText("group") == group &&
         resource->FindText("resource") == plural;
}

}  // namespace

StorageMigrations FindStorageMigrations(const std::string& group, const std::string& plural,
                                        kube::client::Client& client) {
  StorageMigrations found;
  for (const std::string api_group : kGroups) {
    const std::string version(ServedVersion(api_group, client));
    if (version.empty()) continue;
    const auto list = client.Get("/apis/" + api_group + "/" + version + "/" + kResource);
    if (!list) {
      found.unknown_because = list.error().message;
      continue;
    }
    for (const Value& migration : ElementsAt((*list)->root(), "items")) {
      if (!IsOf(migration, group, plural) || IsFinished(migration)) continue;
      const Value* metadata = migration.Find("metadata");
      found.running = std::string(kResource) + "." + api_group + "/" +
                      std::string(metadata == nullptr ? "" : metadata->FindText("name"));
      return found;
    }
  }
  return found;
}

}  // namespace migrate::migration
