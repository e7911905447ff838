#include <cstddef>

#include "plugin/cli/usage.h"

namespace plugin::cli {
namespace {

constexpr std::string_view kStart =
    R"(Find out what pruning would remove from custom resources, then migrate them

 Before spec.preserveUnknownFields of a CustomResourceDefinition (CRD) is turned off, "check" reads
the CRDs and custom resources of a cluster, or of files, and tells what keeps the schemas from being
structural and which fields of which objects would be lost; it writes nothing. "migrate" turns
pruning on where it is told to, rewrites every custom resource, so that etcd holds it pruned and in
the storage version, and proves it.

Available Commands:
)";

constexpr std::string_view kEnd = R"(
Examples:
  # What would the objects of the cluster lose?
  kubectl prune check

  # What would the CRDs and objects of a folder lose?
  kubectl prune check --local -f manifests/ -R

  # What would it change in these objects, line by line?
  kubectl prune diff widgets.demo.example.com

  # Turn pruning on for one CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # Prove that they are clean: nothing is left to rewrite
  kubectl prune migrate widgets.demo.example.com

Exit codes:
  0   clean, or done
  1   findings, or some object that could not be migrated
  2   an error: a wrong flag, a file that cannot be read, a server that does not answer

Usage:
  kubectl prune COMMAND [options]

Use "kubectl prune COMMAND --help" for more information about a command.
Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

constexpr std::size_t kNameWidth = 14;

}  // namespace

std::string ProgramUsage(std::span<const CommandSummary> commands) {
  std::string text(kStart);
  for (const auto& [name, summary] : commands) {
    text.append("  ").append(name).append(kNameWidth - name.size(), ' ').append(summary) += '\n';
  }
  return Usage(text.append(kEnd));
}

}  // namespace plugin::cli
