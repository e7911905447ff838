#include "migrate/check/live_crd.h"

#include <algorithm>
#include <string_view>

#include "kube/client/client.h"

namespace migrate::check {
namespace {

std::string WhyNotServed(const kube::crd::Crd& crd) {
  if (crd.terminating) return "the CustomResourceDefinition is being deleted";
  if (crd.IsConditionTrue("Established")) return "";
  const kube::json::Value* names = crd.FindCondition("NamesAccepted");
  std::string why = "the CustomResourceDefinition is not established";
  if (names != nullptr && names->FindText("status") == "False") {
    why.append(": ").append(names->FindText("message"));
  }
  return why;
}

// A server establishes a CRD some moments after it has accepted its names, and never takes that
// back.
bool IsNew(const kube::crd::Crd& crd) {
  const kube::json::Value* names = crd.FindCondition("NamesAccepted");
  return !crd.terminating && !crd.IsConditionTrue("Established") &&
         (names == nullptr || names->FindText("status") != "False");
}

}  // namespace

std::string LiveCrd::ObjectsTarget(const std::string& namespace_) const {
  std::string target = "/apis/" + kube::client::UrlEscape(identity.group) + "/";
  target += kube::client::UrlEscape(read_version) + "/";
  if (is_namespaced && !namespace_.empty()) {
    target += "namespaces/" + kube::client::UrlEscape(namespace_) + "/";
  }
  return target + kube::client::UrlEscape(identity.names.plural);
}

std::vector<report::CrdReport> LiveCrd::FailedReports(const std::string& error) const {
  std::vector<report::CrdReport> reports;
  for (const auto& check : checks) {
    report::CrdReport& report = reports.emplace_back(check->facts().report);
    report.objects_skipped = false;
    report.verdict = report::Verdict::kUnknown;
    report.error = error;
  }
  return reports;
}

LiveCrd DescribeLiveCrd(const kube::crd::Crd& crd) {
  LiveCrd live;
  live.identity = IdentityOf(crd);
  live.shape = ShapeOf(crd);
  live.read_version = ReadVersion(crd);
  live.is_namespaced = crd.scope != "Cluster";
  live.not_served_because = WhyNotServed(crd);
  live.is_new = IsNew(crd);
  return live;
}

bool ObjectsMatter(const kube::crd::Crd& crd) {
  if (crd.preserve_unknown_fields) return true;
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  return std::any_of(crd.stored_versions.begin(), crd.stored_versions.end(),
                     [storage](const std::string& stored) {
                       return storage == nullptr || stored != storage->name;
                     });
}

}  // namespace migrate::check
