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

/// As OwnCommand, with the flags that lead to the cluster of this run, so that the command may be
/// copied: `kubectl prune check widgets --context=staging`.
std::string OwnClusterCommand(std::string_view words);

/// Sets these flags, as words of a shell, each behind a blank; without it there are none. Called
/// once, before the run has threads. A fleet has none: each of its clusters needs its own.
void SetClusterFlags(std::string flags);

}  // namespace migrate::report
