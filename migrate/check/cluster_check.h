#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/client/session.h"
#include "kube/meta/field_choice.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"

namespace migrate::check {

/// What `check` looks at, and how: of a cluster, or of files.
struct CheckOptions {
  std::vector<std::string> crd_names{};  ///< in any form kubectl knows; empty: all, or those of -f
  std::vector<std::string> ignored_crds{};  ///< leave these out
  std::string crd_selector{};               ///< only CRDs with these labels
  std::vector<std::string> filenames{};     ///< values of -f: proposed CRDs
  bool recursive = false;
  cluster::ObjectSelection objects{};            ///< of a cluster
  std::size_t workers = cluster::WorkerCount();  ///< threads that look at objects
  bool skip_objects = false;
  bool all_objects = false;  ///< of CRDs too whose objects tell nothing by default
  bool show_objects = false;
  std::optional<kube::meta::FieldChoice> opened{};  ///< CrdCheckOptions
  /// Of the server that files are meant for; a cluster tells its own.
  kube::base::Release release = kube::base::kNewestRelease;
  std::filesystem::path state_dir{};  ///< where migrations leave what they proved; empty: nowhere
  /// Is called once the files are read and before the server is asked. May be empty.
  std::function<void()> on_files_read{};
  cluster::ProgressFunction on_progress{};
  /// Is told of each CRD that the cluster has and that is checked, by its name. May be empty.
  std::function<void(const std::string&, const report::CrdSchemas&)> on_schemas{};
};

/// Checks CRDs of a cluster, or CRDs that are proposed for it, by the custom resources of the
/// cluster. Only reads.
///
/// Objects are read of CRDs that preserve unknown fields, are proposed, were named, or have other
/// stored versions than the storage version. What cannot be read of one CRD (its objects are
/// forbidden, served by an aggregated server, or gone) makes its verdict `unknown`, with the
/// reason; the others are checked all the same. So does a CRD that changed while its objects were
/// read, or of which that cannot be told; who may not read single CRDs gets a note instead.
///
/// Throws kube::base::Error if the server cannot be reached, if CRDs cannot be listed, and for a
/// name that no CRD, or more than one, answers to.
report::CheckReport CheckCluster(const CheckOptions& options, const kube::client::Session& session);

/// Checks the CRDs in files and, by them, the custom resources in the same files (check --local).
///
/// CRDs may stand anywhere in the input. Where several have the same name, objects are checked
/// against each. Throws kube::base::Error for a path that does not exist and for a name that no
/// CRD, or more than one, answers to; everything else that is wrong with the input is in the
/// report.
report::CheckReport CheckFiles(const CheckOptions& options);

}  // namespace migrate::check
