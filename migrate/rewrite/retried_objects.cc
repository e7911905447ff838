#include "migrate/rewrite/retried_objects.h"

#include <set>
#include <utility>

namespace migrate::rewrite {
namespace {

constexpr char kHeldBecause[] =
    "an earlier run held it, and there is no state at hand that tells more (nor in a dry run); run "
    "again with the --state-dir of the run that held it, or with --rewrite-unbacked";

}  // namespace

std::vector<ObjectName> RetriedOf(const std::string& crd_name,
                                  const std::vector<RetriedObject>& retried) {
  std::vector<ObjectName> names;
  for (const RetriedObject& object : retried) {
    if (object.crd == crd_name) names.push_back({object.namespace_, object.name});
  }
  return names;
}

void HoldAsReported(const std::string& crd_name, const std::vector<RetriedObject>& retried,
                    SweepOptions& options) {
  std::set<std::pair<std::string, std::string>> held;
  for (const RetriedObject& object : retried) {
    if (object.crd == crd_name && object.is_held) held.emplace(object.namespace_, object.name);
  }
  if (held.empty()) return;
  options.is_held = [held = std::move(held)](const cluster::ListedObject& object) {
    return held.contains({object.namespace_, object.name});
  };
  options.held_because = kHeldBecause;
}

}  // namespace migrate::rewrite
