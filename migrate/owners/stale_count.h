#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/lists/list_reader.h"
#include "migrate/owners/stale_entries.h"
#include "migrate/report/migration_report.h"

namespace migrate::owners {

/// Counts the stale entries of the objects of the list at `target` (path and selectors), and the
/// objects that have some, by their metadata alone.
kube::base::Result<report::ManagedFieldsCleaned, kube::client::CallError> CountStaleEntries(
    const std::string& target, const KnownVersions& known, const lists::ListReaderOptions& options,
    const kube::client::Session& session);

}  // namespace migrate::owners
