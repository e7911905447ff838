#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kCheck =
    R"(Report structural problems and the fields that pruning would remove

 Reads the CRDs and custom resources of a cluster, or of files, and writes nothing. For each CRD it
reports what keeps its schemas from being structural, in the words of the API server, and what would
make the server refuse it with pruning on. For each version it counts the objects that would lose
fields, and names each field with its JSON types, who writes it, when it was last written, and an
example.

 Without a CRD and without -f all CRDs of the cluster are checked. CRDs in the files of -f are
proposed: they are checked against the objects that the cluster holds, which tells what an upgrade
would lose, what it changes, and how many objects each change touches; one that is named and not in
the files is checked as the cluster has it, with a note. What kubectl apply of each would be
answered is asked of the server by a dry run, which stores nothing, and the steps are listed that
bring them all into the cluster. Objects are read in chunks, of all namespaces, and only where the
answer depends on them: those of CRDs that still preserve unknown fields, that are named or
proposed, or that may be stored in several versions. With --local no server is contacted, and
objects come from the files too.

 The verdict of a CRD is "blocked" (the server would refuse to turn pruning on, or kubectl apply of
the file), "loses-fields" (or some object would be invalid once it is pruned), "invalid" (the server
would refuse the next write of some object), "ready" (pruning can be turned on and nothing is lost),
"pruning" (it is on already) or "unknown" (the CRD could not be checked). Of many CRDs those that
prune already without a finding are only counted. Paths show indices of lists as [*] and keys of
maps as *.

With --contexts several clusters are checked side by side, each as it would be alone: there is one
table, one report and one exit code, the highest of all. What a cluster cannot be asked does not
keep the others from being checked, and a CRD that is not the same in all of them is shown as such.

Examples:
  # Check all CRDs of the cluster
  kubectl prune check

  # Check one CRD, in another context of the kubeconfig
  kubectl prune check widgets --context staging

  # What would the objects of the cluster lose with the CRDs of an upgrade?
  kubectl prune check -f crds.yaml

  # The CRDs between two releases, where one lacks a version that objects are stored in
  kubectl prune check -f crds.yaml --print-transitional | kubectl apply -f -

  # Check several clusters side by side: all contexts with such a name, or those that a file names
  kubectl prune check --contexts 'prod-*'
  kubectl prune check --contexts @clusters.txt

  # Check the objects with a label in one namespace only
  kubectl prune check widgets.demo.example.com -n shop -l app=frontend

  # Check all CRDs and custom resources in a folder and the folders below it, without a cluster
  kubectl prune check --local -f manifests/ -R

  # Check one CRD of many against objects that were saved before
  kubectl get widgets.demo.example.com -A -o json --show-managed-fields > widgets.json
  kubectl prune check widgets.demo.example.com --local -f crds.yaml -f widgets.json

  # Name each object that would lose a field, for a program
  kubectl prune check --local -f crds.yaml,widgets.json --show-objects -o json

  # Name the CRDs that would lose fields
  kubectl prune check -o jsonpath='{.crds[?(@.verdict=="loses-fields")].name}'

  # What is in the objects that would be lost as a whole?
  kubectl prune check widgets --expand .spec

  # A page for those who decide about the upgrade
  kubectl prune check -f crds.yaml -o html > report.html

  # Fail only where the server would refuse a CRD
  kubectl prune check --local -f manifests/ --fail-on=blocked

Options:
    -A, --all-namespaces=false:
        Read the objects of all namespaces, as without -n; -n has no effect then.

    --all-objects=false:
        Read the objects of every CRD, of those that prune already too.

    --allow-missing-template-keys=true:
        If true, ignore any errors in templates when a field or map key is missing in the template.

    --chunk-size=500:
        Read large lists of objects in chunks of this size; 0 reads them all at once.

    --contexts=[]:
        Check the clusters of these contexts of the kubeconfig side by side: names, or patterns in
        which * stands for any characters, ? for one, [a-z] for one of these. @FILE stands for the
        lines of a file. (e.g. --contexts 'prod-*,staging' or --contexts @clusters.txt).

    --crd-selector='':
        Check only the CRDs of the cluster whose labels match, e.g. --crd-selector app=operator.

    --expand=[]:
        Tell of lost fields that hold objects or arrays what is in them, at and below these paths,
        written as the tables show them; * stands for the keys of a map. (e.g. --expand .spec.files
        or --expand '.spec.files.*').

    --fail-on=[blocked,loses-fields,invalid]:
        What makes the exit code 1: blocked, loses-fields, invalid (the API server would refuse the
        next write of some object), migration-needed (status.storedVersions is not just the storage
        version), or none.

    --field-selector='':
        Read only the objects whose fields match, supports '=', '==', and '!='. (e.g.
        --field-selector metadata.name=frontend).

    -f, --filename=[]:
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.

    --guard-report=[]:
        A file of "guard --report-file": who was seen to write what would be lost is shown, too.

    -h, --help=false:
        Print this help.

    --ignore=[]:
        CRDs to leave out.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f, and all of them count.

    -n, --namespace='':
        Read only the objects of this namespace. That of the context does not count.

    --no-headers=false:
        Print only a row for each CRD, for scripts: no titles, nothing left out, no explanations.

    -o, --output='':
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, table, wide, yaml). wide shows more columns and shortens nothing. html is
        one page for a browser or a mail, markdown fits a comment, junit is for CI. A template of
        jsonpath finds things in what json prints, e.g. jsonpath='{.crds[*].name}'.

    --parallel-clusters=10:
        With --contexts, how many clusters are checked at once.

    --patience=2m0s:
        How long a request that only reads is tried again where the server or the network has
        trouble for a moment; 0 gives up where kubectl would.

    --print-transitional=false:
        Print, in the place of a report, the CRDs that have to be applied and migrated before the
        files. A file that lacks a version which objects may be stored in gets that version as the
        cluster has it. Unknown fields stay preserved where they are. As yaml, or json by -o.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    -l, --selector='':
        Read only the objects whose labels match, supports '=', '==', '!=', 'in', 'notin' and bare
        keys. (e.g. -l key1=value1,key2=value2).

    --server-version=1.36:
        With --local, the release of Kubernetes whose rules count, as 1.30. What only later ones
        refuse is told as that. Objects count as new ones, for which no server ratchets. A cluster
        tells its own release.

    --show-objects=false:
        List each object that would lose fields, with the fields by version, and each whose next
        write the API server would refuse, with the reasons.

    --skip-objects=false:
        Check the CRDs only.

    --state-dir='':
        Folder in which migrate has left what it proved of objects. Empty:
        $XDG_STATE_HOME/kubectl-prune, or ~/.local/state/kubectl-prune.

Exit codes:
  0   no findings
  1   findings that --fail-on counts
  2   an error: a wrong flag, a file that cannot be read, a server that does not answer, a CRD or
      object that cannot be checked; what could be checked is reported all the same

Usage:
  kubectl prune check [CRD...] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
