#pragma once

#include <optional>

#include "kube/base/release.h"
#include "kube/crd/crd.h"
#include "kube/schema/pattern_checks.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// Takes over from `live` the conversion that `kubectl apply` of `file` would leave there: one that
/// the file does not name, and that no manifest named which was applied before (as with
/// spec.preserveUnknownFields, see below). Operators put it in at run time.
void TakeConversionThatStays(kube::crd::Crd& file, const kube::crd::Crd& live);

/// What `kubectl apply` of the CRD `file` would be answered by our own rules, but for those that
/// only later servers than `release` have, where the cluster has
/// `live` (the null pointer: none of this name). ApplyReport::not_asked_because is left to the
/// caller. `file` ends as it was.
///
/// Whether it preserves unknown fields then is what the file says of it. Where it does not name
/// spec.preserveUnknownFields the field stays as it is, unless the manifest that was applied before
/// names it: apply removes the field then, and v1 takes that for false. By client-side apply the
/// annotation last-applied-configuration tells, by server-side apply a manager of
/// metadata.managedFields that alone owns it.
report::ApplyReport ForetellApply(kube::crd::Crd& file, const kube::crd::Crd* live,
                                  const std::optional<kube::base::Release>& release,
                                  kube::schema::PatternChecks& patterns);

/// What has to be known of `kubectl apply` where the CRD in the cluster still preserves unknown
/// fields, by `crd` with its answer: whether that turns pruning on, without a backup. A sentence
/// without its end; empty where there is nothing to know.
std::string DescribeApply(const report::CrdReport& crd);

}  // namespace migrate::check
