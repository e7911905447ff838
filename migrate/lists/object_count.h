#pragma once

#include <cstdint>
#include <string>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/system/clock.h"
#include "migrate/lists/list_reader.h"

namespace migrate::lists {

/// Counts the objects of the list at `target` (path and selectors) by their metadata alone.
kube::base::Result<std::uint64_t, kube::client::CallError> CountObjects(
    const std::string& target, const ListReaderOptions& options, kube::client::Client& client,
    const kube::system::Clock& clock);

}  // namespace migrate::lists
