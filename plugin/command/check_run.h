#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "migrate/cluster/cluster_reader.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"
#include "plugin/command/check_output.h"

namespace plugin::command {

/// What surrounds the check of a cluster.
struct CheckSurroundings {
  std::function<void(const std::string&)> write_line;  ///< warnings and requests, for stderr
  migrate::cluster::ProgressFunction on_progress;
  /// Is called once the files are read and before the server is asked. May be empty.
  std::function<void()> on_files_read{};
  /// As migrate::check::ClusterCheckOptions::on_schemas.
  std::function<void(const std::string&, const migrate::report::CrdSchemas&)> on_schemas{};
  std::size_t workers = migrate::cluster::WorkerCount();  ///< threads that look at objects
};

/// Checks the cluster of `options.common`. Throws as migrate::check::CheckCluster and
/// ClusterAccess.
migrate::report::CheckReport CheckCluster(const CheckOptions& options,
                                          const CheckSurroundings& surroundings);

/// The same, with progress on stderr; signals are caught once the files are read.
migrate::report::CheckReport CheckLive(const CheckOptions& options);

/// Checks the files of `options.input` alone.
migrate::report::CheckReport CheckLocal(const CheckOptions& options);

}  // namespace plugin::command
