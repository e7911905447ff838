#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace migrate::report {

/// Where, when and by what a report was made. What is empty is not known, and not printed.
struct RunFacts {
  std::string cluster;  ///< the server's URL, without user and password; empty: none was asked
  std::string context;  ///< of the kubeconfig
  std::string time;     ///< RFC 3339, UTC
  std::string version;  ///< of this program, "v0.1.0"

  bool operator==(const RunFacts&) const = default;
};

/// What the user calls this program; every text that names a command to run says it.
struct ProgramName {
  std::string file;     ///< "kubectl-prune_crd"
  std::string command;  ///< "kubectl prune-crd"
};

/// Of the path by which the program was run. As in kubectl (pkg/cmd/plugin.go) a "-" in the name of
/// a plugin's file parts two words and a "_" is a dash in one. A path that no plugin can have, as
/// of a build not yet installed, gives kubectl-prune and "kubectl prune".
ProgramName ParseProgramName(std::string_view path);

/// Of argv[0].
const ProgramName& OwnProgramName();

/// The command line `kubectl prune WORDS`, under the program's own name.
std::string OwnCommand(std::string_view words);

/// The flags that lead this program and kubectl to the cluster of this run as the same user, words
/// of a shell, each behind a blank: " --context=staging --as=alice". Empty: none are needed.
const std::string& ClusterFlags();

/// Sets them for all threads: once, before the run has any.
void SetClusterFlags(std::string flags);

/// Other flags for the thread that makes it, as long as it lives: those of one cluster of a fleet.
class ClusterFlagsOfThread {
 public:
  explicit ClusterFlagsOfThread(std::string flags);
  ClusterFlagsOfThread(const ClusterFlagsOfThread&) = delete;
  ClusterFlagsOfThread& operator=(const ClusterFlagsOfThread&) = delete;
  ~ClusterFlagsOfThread();

 private:
  std::string flags_;
  const std::string* outer_;
};

/// As OwnCommand, with ClusterFlags behind, so that the command may be copied:
/// `kubectl prune check widgets --context=staging`.
std::string OwnClusterCommand(std::string_view words);

/// The command that tells what is wrong with a CRD, in quotes: of the cluster's, or with the files
/// that have it, where `source` is one: `"kubectl prune check --local" with these files`.
std::string CheckCommand(const std::string& crd_name, const std::string& source);

}  // namespace migrate::report
