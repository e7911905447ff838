#include "migrate/migration/storage_migrations.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "migrate/migration/storage_migration.h"

namespace migrate::migration {
namespace {

using kube::json::Type;
using kube::json::Value;

constexpr const char* kGroups[] = {kGroup, "migration.k8s.io"};
// From new to old: of several that are served one shows all objects.
constexpr std::string_view kVersions[] = {"v1", "v1beta1", "v1alpha1"};

std::span<const Value> ElementsAt(const Value& object, std::string_view key) {
  const Value* array = object.Find(key, Type::kArray);
  return array == nullptr ? std::span<const Value>() : array->elements();
}

std::string_view NewestVersion(const kube::client::DocumentResult& group) {
  if (!group) return {};
  for (const std::string_view version : kVersions) {
    const auto is_it = [version](const Value& v) { return v.FindText("version") == version; };
    if (std::ranges::any_of(ElementsAt((*group)->root(), "versions"), is_it)) return version;
  }
  return {};
}

bool IsFinished(const Value& migration) {
  return ReadStorageMigration(migration).stage >= Stage::kSucceeded;
}

bool IsOf(const Value& migration, const std::string& group, const std::string& plural) {
  const Value* spec = migration.Find("spec");
  const Value* resource = spec == nullptr ? nullptr : spec->Find("resource");
  return resource != nullptr && resource->FindText("group") == group &&
         resource->FindText("resource") == plural;
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
    for (const Value& migration : ElementsAt((*list)->root(), "items")) {
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

}  // namespace migrate::migration
