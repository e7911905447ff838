#include "migrate/migration/engine_choice.h"

#include <utility>

namespace migrate::migration {
namespace {

using Reason = std::pair<bool EngineSituation::*, const char*>;

constexpr Reason kForbidding[] = {
    {&EngineSituation::is_partial, "it rewrites all objects, and only some are to be"},
    {&EngineSituation::changes_objects, "it does not change objects as this run is to"},
    {&EngineSituation::is_paced, "it does not know of --max-rate"},
    {&EngineSituation::keeps_versions,
     "it trims status.storedVersions by itself, from Kubernetes 1.36 on"},
    {&EngineSituation::is_server_dry_run, "it makes no dry run"},
    {&EngineSituation::turns_pruning_on,
     "pruning is turned on, and objects that the backup does not have must not be rewritten"},
    {&EngineSituation::holds_objects, "some objects are held, and it rewrites all"},
};

constexpr Reason kUseless[] = {
    {&EngineSituation::is_begun, "an earlier run has begun to rewrite the objects by itself"},
    {&EngineSituation::is_abandoned,
     "nobody has taken up the StorageVersionMigration of another CustomResourceDefinition"},
};

}  // namespace

std::string WhyNotInCluster(const EngineSituation& situation) {
  for (const auto& [is_so, why] : kForbidding) {
    if (situation.*is_so) return why;
  }
  if (!situation.verifies)
    return "what it says is not taken for granted, and --verify=false is set";
  if (!situation.is_storage_version_served) return "the storage version is not served";
  return "";
}

std::string WhyNotByItself(const EngineSituation& situation) {
  std::string why = WhyNotInCluster(situation);
  if (!why.empty()) return why;
  if (!situation.has_old_versions) {
    return "status.storedVersions is just the storage version, so that only pruning is to be "
           "proven";
  }
  for (const auto& [is_so, useless_because] : kUseless) {
    if (situation.*is_so) return useless_because;
  }
  return "";
}

}  // namespace migrate::migration
