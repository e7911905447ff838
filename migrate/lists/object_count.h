#pragma once

#include <cstdint>
#include <string>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/system/clock.h"
#include "migrate/lists/list_reader.h"

namespace migrate {

/// Counts the objects of the list at `target` (path and selectors) by their metadata alone.
kube::Result<std::uint64_t, kube::CallError> CountObjects(const std::string& target,
                                                          const ListReaderOptions& options,
                                                          kube::Client& client,
                                                          const kube::Clock& clock);

}  // namespace migrate
