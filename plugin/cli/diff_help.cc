#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kDiff =
    R"(Show what pruning changes in each object, as kubectl diff does

 Reads the objects of the named CRDs from a cluster, or from files, and has a diff program compare
each object as it is now with what pruning and a rewrite would leave of it, both as YAML: unknown
fields are removed, nulls dropped, and defaults added. Nothing is written to the cluster.

 Without a CRD and without -f the objects of all CRDs of the cluster that still preserve unknown
fields are compared; of others the API shows them pruned already. CRDs in the files of -f are
proposed: the objects of the cluster are pruned by their schemas. With --local no server is
contacted, and objects come from the files too. Objects are read of all namespaces. A schema that is
not structural shows what it would remove; the API server prunes nothing by it before it is mended.

 KUBECTL_EXTERNAL_DIFF environment variable can be used to select your own diff command. Users can
use external commands with params too, example: KUBECTL_EXTERNAL_DIFF="colordiff -N -u"

 By default, the "diff" command available in your path will be run with the "-u" (unified diff) and
"-N" (treat absent files as empty) options.

 With --backup it is compared with what kubectl prune restore would put back from that file.

Examples:
  # What would pruning change in the widgets?
  kubectl prune diff widgets

  # In one of them
  kubectl prune diff widgets.demo.example.com/frontend -n shop

  # In all custom resources of the cluster, in colour
  KUBECTL_EXTERNAL_DIFF="diff -u --color=always" kubectl prune diff

  # By the schema of another version than the storage version
  kubectl prune diff widgets --version v1beta1

  # What would an upgrade of the CRDs change in the objects of the cluster?
  kubectl prune diff -f crds.yaml

  # What would mutation trees, and pruning behind them, change?
  kubectl prune diff widgets --mutation move-mode.yaml

  # What would be put back from a backup?
  kubectl prune diff --backup kubectl-prune-backup/widgets.ndjson

  # Compare objects that were saved before, without a cluster
  kubectl prune diff --local -f crds.yaml -f widgets.json

Options:
    -A, --all-namespaces=false:
        Read the objects of all namespaces, as without -n; -n has no effect then.

    --backup='':
        Show what kubectl prune restore would change in the objects by this backup.

    --chunk-size=500:
        Read large lists of objects in chunks of this size; 0 reads them all at once.

    --crd-selector='':
        Only the CRDs of the cluster whose labels match, e.g. --crd-selector app=operator.

    --field-selector='':
        Read only the objects whose fields match, supports '=', '==', and '!='. (e.g.
        --field-selector metadata.name=frontend).

    -f, --filename=[]:
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.

    -h, --help=false:
        Print this help.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f, and all of them count.

    --mutation=[]:
        File with mutation trees, as kubectl prune migrate --mutation applies them before pruning;
        - is stdin. May be given several times.

    -n, --namespace='':
        Read only the objects of this namespace. That of the context does not count.

    --patience=2m0s:
        How long a request that only reads is tried again where the server or the network has
        trouble for a moment; 0 gives up where kubectl would.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    -l, --selector='':
        Read only the objects whose labels match, supports '=', '==', '!=', 'in', 'notin' and bare
        keys. (e.g. -l key1=value1,key2=value2).

    --show-managed-fields=false:
        If true, include managed fields in the diff.

    --version='':
        Prune by the schema of this version, and show objects in it. Empty: the storage version.

Exit codes:
  0     no differences were found
  1     differences were found
  >1    kubectl prune or diff failed with an error; what could be compared is shown all the same

Usage:
  kubectl prune diff [CRD[/NAME]...] [-f FILENAME...] [options]
  kubectl prune diff [CRD[/NAME]...] --backup FILENAME [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
