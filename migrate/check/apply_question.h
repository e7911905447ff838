#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/client/client.h"
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

}  // namespace migrate::check
