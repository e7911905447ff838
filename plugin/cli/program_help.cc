#include <cstddef>

#include "plugin/cli/usage.h"

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

constexpr std::string_view kVersion =
    R"(Print the versions of this program and of the server

 Reads the version of the server of the current context, and writes nothing. Tells the commit that
this program was built from, too. With -o that is gitCommit, and gitTreeState says whether it was
built from that alone (clean), with changes that were not committed (dirty), or without git
(unknown).

Examples:
  # Print both versions
  kubectl prune version

  # Print that of this program, and ask no server
  kubectl prune version --client

Options:
    --client=false:
        Print the version of this program only, and ask no server.

    -h, --help=false:
        Print this help.

    -o, --output='':
        One of 'yaml' or 'json'.

Exit codes:
  0   done
  2   an error: a wrong flag, a server that does not answer

Usage:
  kubectl prune version [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

constexpr std::string_view kOptions =
    R"(The following options can be passed to any command:

    --as='':
        Username to impersonate for the operation. User could be a regular user or a service account
        in a namespace.

    --as-group=[]:
        Group to impersonate for the operation, this flag can be repeated to specify multiple
        groups.

    --as-uid='':
        UID to impersonate for the operation.

    --as-user-extra=[]:
        Extra of the user to impersonate, as key=value; can be repeated, for one key too.

    --cache-dir='':
        Taken for kubectl's sake: no cache is kept.

    --certificate-authority='':
        Path to a cert file for the certificate authority.

    --client-certificate='':
        Path to a client certificate file for TLS.

    --client-key='':
        Path to a client key file for TLS.

    --cluster='':
        The name of the kubeconfig cluster to use.

    --context='':
        The name of the kubeconfig context to use.

    --disable-compression=false:
        If true, opt-out of response compression for all requests to the server.

    --insecure-skip-tls-verify=false:
        If true, the server's certificate will not be checked for validity. This will make your
        HTTPS connections insecure.

    --kubeconfig='':
        Path to the kubeconfig file to use for CLI requests.

    --log-flush-frequency=5s:
        Taken for kubectl's sake: what is logged is written at once.

    --match-server-version=false:
        Require the server to be of the version whose rules this program knows (1.36).

    -n, --namespace='':
        If present, the namespace scope for this CLI request.

    --password='':
        Password for basic authentication to the API server.

    --profile='none':
        Taken for kubectl's sake: only none, for there is no runtime of Go to profile.

    --profile-output='profile.pprof':
        Taken for kubectl's sake: see --profile.

    --request-timeout='0':
        The length of time to wait before giving up on a single server request. Non-zero values
        should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't
        timeout requests.

    -s, --server='':
        The address and port of the Kubernetes API server.

    --tls-server-name='':
        Server name to use for server certificate validation. If it is not provided, the hostname
        used to contact the server is used.

    --token='':
        Bearer token for authentication to the API server.

    --user='':
        The name of the kubeconfig user to use.

    --username='':
        Username for basic authentication to the API server.

    -v, --v=0:
        Number for the log level verbosity. 6 logs a line for each request, 7 headers too, 8 and
        more bodies; never tokens.

    --vmodule='':
        Taken for kubectl's sake: there are no files of Go to choose among.

    --warnings-as-errors=false:
        Treat warnings received from the server as errors and exit with a non-zero exit code.

Usage:
  kubectl prune options
)";

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
