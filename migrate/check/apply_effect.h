#pragma once

#include <string>

#include "kube/crd/crd.h"

namespace migrate::check {

/// What has to be known of `kubectl apply` of the CRD `file`, by which nothing is preserved, where
/// the one in the cluster, `live`, still preserves unknown fields: whether that turns pruning on,
/// without a backup. A sentence without its end.
///
/// It does where the file says so; also where it does not name spec.preserveUnknownFields and the
/// manifest applied before does: apply removes the field then, and v1 takes that for false. By
/// client-side apply the annotation last-applied-configuration tells, by server-side apply a
/// manager of metadata.managedFields that alone owns it.
std::string DescribeApply(const kube::crd::Crd& file, const kube::crd::Crd& live);

}  // namespace migrate::check
