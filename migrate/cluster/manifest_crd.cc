#include "migrate/cluster/manifest_crd.h"

#include <utility>

namespace migrate::cluster {

kube::base::Result<kube::crd::Crd, report::CrdReport> ReadManifestCrd(const ManifestObject& object,
                                                                      ManifestReader& reader) {
  auto crd = kube::crd::ReadCopiedCrd(object.value);
  if (crd) return *std::move(crd);
  reader.AddError(object, "cannot read the CustomResourceDefinition: " + crd.error());
  report::CrdReport report;
  const kube::json::Value* metadata = object.value.Find("metadata");
  if (metadata != nullptr) report.name = metadata->FindText("name");
  report.source = reader.SourceOf(object.place);
  report.error = std::move(crd).error();
  report.is_file_error = true;
  return kube::base::Unexpected(std::move(report));
}

}  // namespace migrate::cluster
