#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/system/clock.h"
#include "migrate/crds/live_crd.h"
#include "migrate/flip/pruning_plan.h"

namespace migrate::flip {

/// Of a CRD that prunes already: a line on the fields that etcd may still hold though no read shows
/// them, as managedFields tell, which nobody can back up and a rewrite removes; empty if there are
/// none. managedFields keep such fields after a rewrite too, so this proves nothing.
///
/// Reads all objects. The error says why they could not be read, also where `options.stop` ended
/// that.
kube::base::Result<std::string, std::string> DescribeHiddenFields(const crds::LiveCrd& crd,
                                                                  const DryRunOptions& options,
                                                                  kube::client::Client& client,
                                                                  const kube::system::Clock& clock);

}  // namespace migrate::flip
