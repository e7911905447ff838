#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/lists/list_reader.h"
#include "migrate/owners/entry_cleaner.h"
#include "migrate/owners/stale_entries.h"
#include "migrate/report/migration_report.h"

namespace migrate::owners {

/// Counts the objects of the list at `target` (path and selectors) of which a write would clean
/// entries of managedFields, and these entries. Reads whole objects where the cleaner needs them.
kube::base::Result<report::ManagedFieldsCleaned, kube::client::CallError> CountToClean(
    const std::string& target, const EntryCleaner& cleaner, const lists::ListReaderOptions& options,
    const kube::client::Session& session);

/// The same by their metadata alone: with each entry that is stale or doubtful.
kube::base::Result<report::ManagedFieldsCleaned, kube::client::CallError> CountMayClean(
    const std::string& target, const KnownVersions& known, const lists::ListReaderOptions& options,
    const kube::client::Session& session);

}  // namespace migrate::owners
