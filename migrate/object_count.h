#pragma once

#include <cstdint>
#include <string>

#include "kube/client.h"
#include "kube/clock.h"
#include "kube/result.h"
#include "migrate/list_reader.h"

namespace migrate {

/// Counts the objects of the list at `target` (path and selectors) by their metadata alone.
kube::Result<std::uint64_t, kube::CallError> CountObjects(const std::string& target,
                                                          const ListReaderOptions& options,
                                                          kube::Client& client,
                                                          const kube::Clock& clock);

}  // namespace migrate
