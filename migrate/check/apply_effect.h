#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/client/client.h"
#include "kube/crd/crd.h"
#include "kube/schema/pattern_checks.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// A proposed CRD, and what `kubectl apply` of it would be answered.
struct ApplyQuestion {
  std::string_view name;
  std::string_view manifest;    ///< as JSON
  report::ApplyReport* answer;  ///< foretold by our own rules; the server's answer in the end
};

/// Asks the server what it would answer to `kubectl apply` of each, with the strict validation of
/// kubectl: the object is read in the version of the manifest, and the three-way merge patch, or
/// the new object, is sent with dryRun=All. So it is by default, client-side; a CRD that somebody
/// applies server-side is asked for so, as the same manager, with force. Nothing is stored; servers
/// too old for dry runs must not be asked. What kubectl itself finds in a manifest before it sends
/// one is not looked at.
///
/// Where the server gives no answer (no right to, a webhook without dry runs, trouble) what was
/// foretold stays, and ApplyReport::not_asked_because tells why.
void AskApply(const std::vector<ApplyQuestion>& questions, kube::client::Client& client);

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
