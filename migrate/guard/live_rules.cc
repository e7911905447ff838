#include "migrate/guard/live_rules.h"

#include <algorithm>

#include "kube/crd/crd_validation.h"
#include "kube/schema/object_validation.h"

namespace migrate::guard {

LiveRules::LiveRules(const kube::crd::Crd& live) : crd_(kube::crd::CopyCrd(live)) {
  for (const kube::crd::CrdVersion& version : crd_.versions) {
    if (version.schema == nullptr || kube::schema::ConversionError(*version.schema)) continue;
    versions_.push_back(
        {version.name, version.schema, kube::schema::MakeStructural(*version.schema, arena_)});
  }
}

std::string LiveRules::FirstError(const kube::json::Value& object, std::string_view version) const {
  const auto found = std::ranges::find(versions_, version, &Version::name);
  if (found == versions_.end()) return "";
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  const auto errors =
      kube::schema::ErrorsOfCreate(object, {*found->props, found->structural}, patterns);
  return errors.empty() || patterns.undecided() > 0 ? "" : errors.front().ToString();
}

}  // namespace migrate::guard
