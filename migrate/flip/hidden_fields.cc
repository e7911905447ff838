#include "migrate/flip/hidden_fields.h"

#include <algorithm>
#include <vector>

#include "kube/meta/object_path.h"
#include "migrate/lists/pager.h"
#include "migrate/report/program_name.h"

namespace migrate::flip {
namespace {

constexpr std::size_t kMostPaths = 5;

std::string PathsText(const std::vector<report::FieldUse>& fields) {
  std::string text;
  for (std::size_t i = 0; i < std::min(fields.size(), kMostPaths); ++i) {
    text.append(i == 0 ? "" : ", ").append(kube::meta::WithLeadingDot(fields[i].path));
  }
  return fields.size() > kMostPaths ? text + ", ..." : text;
}

}  // namespace

kube::base::Result<std::string, std::string> DescribeHiddenFields(
    const crds::LiveCrd& crd, const DryRunOptions& options, const kube::client::Session& session) {
  const check::RewriteForecast forecast(*crd.checks.at(0), crd.read_version, /*in_one_pass=*/false);
  const PruningDryRun dry_run = DryRunPruning(crd, forecast, options, session);
  if (!dry_run.error.empty()) return kube::base::Unexpected(dry_run.error);
  const std::vector<report::FieldUse>& fields = dry_run.report.maybe_in_etcd;
  if (fields.empty()) return std::string();
  const std::string& name = crd.identity.name;
  return name +
         ": pruning is on already, so no backup can be made. Unless every object was rewritten "
         "since, etcd still holds fields that no read shows, and a rewrite removes them: " +
         PathsText(fields) + " (" + report::OwnCommand("check " + name) + ")";
}

}  // namespace migrate::flip
