#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/check/pruning_preview.h"
#include "migrate/cluster/cluster_reader.h"

/// What pruning changes in each object.
namespace migrate::check {

/// A CRD, or one of its objects, as the command line names it.
struct DiffTarget {
  std::string crd;     ///< in any form kubectl knows
  std::string object;  ///< its name, in whatever namespace; empty: all objects
};

/// Takes objects.
class ChangeTaker {
 public:
  virtual ~ChangeTaker() = default;
  /// Is called for every object, whether it differs or not, by all workers at once. What comes of
  /// one object a second time counts in place of the first.
  virtual void Take(const ObjectChange& change) = 0;
};

struct DiffReport {
  std::uint64_t objects = 0;          ///< that were compared
  std::vector<std::string> errors{};  ///< why something could not be compared
  std::vector<std::string> notes{};   ///< what else is to be known
  bool is_stopped = false;            ///< not everything was read
};

struct ClusterDiffOptions {
  std::vector<DiffTarget> targets{};     ///< empty: the objects of all CRDs, or of those of -f
  PreviewOptions preview{};              ///< how objects are compared
  std::string crd_selector{};            ///< only CRDs with these labels
  std::vector<std::string> filenames{};  ///< -f: CRDs that take the place of those of the cluster
  bool recursive = false;
  std::string namespace_{};  ///< only objects of this one; empty: of all
  std::string label_selector{}, field_selector{};
  std::int64_t chunk_size = 500;
  /// Is called once the files are read and before the server is asked. May be empty.
  std::function<void()> on_files_read{};
  cluster::ProgressFunction on_progress{};
};

/// Compares the custom resources of a cluster with what pruning leaves of them. Only reads.
///
/// Objects are read of CRDs that still preserve unknown fields, or for which files propose another:
/// of others the API shows the objects pruned, which is a note. What is wrong with one CRD or
/// object is an error of the report; the others are compared all the same.
///
/// Throws kube::base::Error as CheckCluster does.
DiffReport DiffCluster(const ClusterDiffOptions& options, const kube::client::Session& session,
                       ChangeTaker& taker);

struct FileDiffOptions {
  std::vector<DiffTarget> targets{};  ///< empty: all objects
  PreviewOptions preview{};
  std::vector<std::string> filenames{};  ///< values of -f
  bool recursive = false;
};

/// The same with CRDs and objects of files, in the order of reading; several CRDs of one name: the
/// last counts. Throws kube::base::Error for a path that does not exist and for a name that does
/// not fit one CRD.
DiffReport DiffFiles(const FileDiffOptions& options, ChangeTaker& taker);

}  // namespace migrate::check
