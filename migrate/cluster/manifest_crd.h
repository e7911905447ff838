#pragma once

#include <string_view>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/report/check_report.h"

namespace migrate::cluster {

/// The error of a run over files that hold none.
inline constexpr std::string_view kNoCrdsFound =
    "no CustomResourceDefinitions found; name the files that hold them by -f";

/// The CRD that `object` is (kube::crd::IsCrd), as a copy that outlives the call that hands it out.
/// The error is the report of a CRD that cannot be read, with its name as far as there is one;
/// `reader` is told of it as well. May be called by handlers.
kube::base::Result<kube::crd::Crd, report::CrdReport> ReadManifestCrd(const ManifestObject& object,
                                                                      ManifestReader& reader);

}  // namespace migrate::cluster
