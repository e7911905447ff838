#pragma once

#include <cstdint>
#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/report/migration_report.h"

namespace migrate::cluster {

/// Of the objects of one list.
struct EntryCount {
  std::uint64_t objects = 0;                ///< all of them
  report::ManagedFieldsCleaned to_clean{};  ///< those that have such entries, and these entries
};

/// Counts the objects of the list at `target` (path and selectors), and the entries of
/// managedFields that a write would clean. Reads whole objects where the cleaner needs them.
kube::base::Result<EntryCount, kube::client::CallError> CountToClean(
    const std::string& target, const EntryCleaner& cleaner, const ListReaderOptions& options,
    const kube::client::Session& session);

/// The same by their metadata alone: with each entry that is stale or doubtful.
kube::base::Result<EntryCount, kube::client::CallError> CountMayClean(
    const std::string& target, const KnownVersions& known, const ListReaderOptions& options,
    const kube::client::Session& session);

/// Counts the objects of the list at `target` (path and selectors) by their metadata alone.
kube::base::Result<std::uint64_t, kube::client::CallError> CountObjects(
    const std::string& target, const ListReaderOptions& options,
    const kube::client::Session& session);

}  // namespace migrate::cluster
