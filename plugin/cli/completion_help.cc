#include "plugin/cli/help_texts.h"

namespace plugin::cli {

constexpr std::string_view kCompletion =
    R"(Print a script that completes command lines

 Reads and writes nothing. The script completes commands, flags and their values, and asks the
kubeconfig and the cluster for the names of contexts, namespaces and CustomResourceDefinitions when
the tab key is pressed; what takes more than three seconds is given up.

 The scripts for bash, fish and zsh complete "kubectl-prune". For "kubectl prune" the completion of
kubectl itself has to be set up, and an executable file kubectl_complete-prune on the PATH, which is
what "kubectl prune completion kubectl" prints.

Examples:
  # Let the completion of kubectl know this plugin
  kubectl prune completion kubectl > kubectl_complete-prune
  chmod +x kubectl_complete-prune
  sudo mv kubectl_complete-prune /usr/local/bin/

  # Complete kubectl-prune in the current bash
  source <(kubectl prune completion bash)

  # Complete kubectl-prune in every new zsh
  kubectl prune completion zsh > "${fpath[1]}/_kubectl-prune"

  # Complete kubectl-prune in the current fish
  kubectl prune completion fish | source

Options:
    -h, --help=false:
        Print this help.

Exit codes:
  0   done
  2   an error: a wrong flag, another shell

Usage:
  kubectl prune completion bash|fish|kubectl|zsh

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
