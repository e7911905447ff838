#pragma once

#include <cstdint>
#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::cluster {

/// Counts the objects of the list at `target` (path and selectors) by their metadata alone.
kube::base::Result<std::uint64_t, kube::client::CallError> CountObjects(
    const std::string& target, const ListReaderOptions& options,
    const kube::client::Session& session);

}  // namespace migrate::cluster
