#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kSuggest =
    R"(Print CRDs that are structural and specify what their objects hold

 Reads the objects of the named CRDs, from a cluster or from files, and prints each CRD, in the form
of apiextensions.k8s.io/v1 and without what the server sets, with schemas that pruning takes nothing
by: fields that objects hold are specified with the types that were seen, each with a comment that
tells in how many objects it is and who writes it; and what keeps a schema from being structural is
said otherwise, as far as that keeps its meaning. Nothing is guessed: nothing becomes required, and
no enum, pattern or format is added. Nothing is written to the cluster: read it, then apply it.

 Without a CRD and without -f it suggests for all CRDs of the cluster that still preserve unknown
fields and need it. CRDs in the files of -f take the place of those of the cluster. With --local no
server is contacted, and objects come from the files too: of a CRD that prunes already the API shows
no more than its schema has, so that lost fields are found in a backup only.

 What is printed is checked as "check -f" would, against all the objects again, and stderr tells
what that says, what was mended, and what is left to a person: what no schema can be derived from.

Examples:
  # What should the CRD of the widgets say?
  kubectl prune suggest widgets > widgets.yaml

  # What would change in the one that the cluster has?
  kubectl prune suggest widgets -o diff

  # Keep whole subtrees instead of specifying each field in them
  kubectl prune suggest widgets --prefer=preserve

  # What does the CRD of a release lack, by the objects of the cluster?
  kubectl prune suggest -f crds.yaml

  # From files alone, and applied as a patch
  kubectl prune suggest --local -f crds.yaml -f widgets.json -o patch

Options:
    -A, --all-namespaces=false:
        Read the objects of all namespaces, as without -n; -n has no effect then.

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

    -n, --namespace='':
        Read only the objects of this namespace. That of the context does not count.

    -o, --output='':
        yaml (with comments), json, diff (a diff program compares the CRD as it is with the
        suggestion; KUBECTL_EXTERNAL_DIFF names another one) or patch (a JSON Patch for kubectl
        patch --type=json; of one CRD).

    --patience=2m0s:
        How long a request that only reads is tried again where the server or the network has
        trouble for a moment; 0 gives up where kubectl would.

    --prefer='fields':
        How fields are specified: each as deep as it goes (fields), or by one
        x-kubernetes-preserve-unknown-fields at the highest place where all would be lost
        (preserve).

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    -l, --selector='':
        Read only the objects whose labels match, supports '=', '==', '!=', 'in', 'notin' and bare
        keys. (e.g. -l key1=value1,key2=value2).

Exit codes:
  0     by what is suggested no object loses a field or becomes invalid
  1     something is left to a person
  2     something could not be read; what could be suggested is printed all the same

Usage:
  kubectl prune suggest [CRD...] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
