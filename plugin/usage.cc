#include "plugin/usage.h"

namespace plugin {
namespace {

constexpr std::string_view kProgram =
    R"(Find out what pruning would remove from custom resources, then migrate them

 Before spec.preserveUnknownFields of a CustomResourceDefinition (CRD) is turned off, "check" reads
the CRDs and custom resources of a cluster, or of files, and tells what keeps the schemas from being
structural and which fields of which objects would be lost; it writes nothing. "migrate" turns
pruning on where it is told to, rewrites every custom resource, so that etcd holds it pruned and in
the storage version, and proves it.

Available Commands:
  check         Report structural problems and the fields that pruning would remove
  completion    Print a script that completes command lines
  diff          Show what pruning changes in each object
  migrate       Rewrite every custom resource, so that etcd holds it pruned
  options       Print the global options, which all commands take
  version       Print the versions of this program and of the server
  help          Print the help of a command

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

constexpr std::string_view kCheck =
    R"(Report structural problems and the fields that pruning would remove

 Reads the CRDs and custom resources of a cluster, or of files, and writes nothing. For each CRD it
reports what keeps its schemas from being structural, in the words of the API server, and what would
make the server refuse it with pruning on. For each version it counts the objects that would lose
fields, and names each field with its JSON types, who writes it, when it was last written, and an
example.

 Without a CRD and without -f all CRDs of the cluster are checked. CRDs in the files of -f are
proposed: they are checked against the objects that the cluster holds, which tells what an upgrade
would lose. Objects are read in chunks, of all namespaces, and only where the answer depends on
them: those of CRDs that still preserve unknown fields, that are named or proposed, or that may be
stored in several versions. With --local no server is contacted, and objects come from the files
too.

 The verdict of a CRD is "blocked" (the server would refuse to turn pruning on), "loses-fields",
"ready" (pruning can be turned on and nothing is lost), "pruning" (it is on already) or "unknown"
(the CRD could not be checked). Of many CRDs those that prune already without a finding are only
counted. Paths show indices of lists as [*] and keys of maps as *.

Examples:
  # Check all CRDs of the cluster
  kubectl prune check

  # Check one CRD, in another context of the kubeconfig
  kubectl prune check widgets --context staging

  # What would the objects of the cluster lose with the CRDs of an upgrade?
  kubectl prune check -f crds.yaml

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

    --crd-selector='':
        Check only the CRDs of the cluster whose labels match, e.g. --crd-selector app=operator.

    --fail-on=[blocked,loses-fields]:
        What makes the exit code 1: blocked, loses-fields, migration-needed (status.storedVersions
        is not just the storage version), or none.

    --field-selector='':
        Read only the objects whose fields match, supports '=', '==', and '!='. (e.g.
        --field-selector metadata.name=frontend).

    -f, --filename=[]:
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.

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
        Output format. One of: (json, jsonpath, jsonpath-as-json, jsonpath-file, name, table, wide,
        yaml). wide shows more columns and shortens nothing. A template of jsonpath finds things in
        what json prints, e.g. jsonpath='{.crds[*].name}'.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    -l, --selector='':
        Read only the objects whose labels match, supports '=', '==', '!=', 'in', 'notin' and bare
        keys. (e.g. -l key1=value1,key2=value2).

    --show-objects=false:
        List each object that would lose fields, with the fields by version.

    --skip-objects=false:
        Check the CRDs only.

Exit codes:
  0   no findings
  1   findings that --fail-on counts
  2   an error: a wrong flag, a file that cannot be read, a server that does not answer, a CRD or
      object that cannot be checked; what could be checked is reported all the same

Usage:
  kubectl prune check [CRD...] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

constexpr std::string_view kDiff =
    R"(Show what pruning changes in each object, as kubectl diff does

 Reads the objects of the named CRDs from a cluster, or from files, and has a diff program compare
each object as it is now with what pruning and a rewrite would leave of it, both as YAML: unknown
fields are removed, nulls dropped, and defaults added. Nothing is written to the cluster.

 Without a CRD and without -f the objects of all CRDs of the cluster that still preserve unknown
fields are compared; of others the API shows them pruned already. CRDs in the files of -f are
proposed: the objects of the cluster are pruned by their schemas. With --local no server is
contacted, and objects come from the files too. Objects are read of all namespaces.

 KUBECTL_EXTERNAL_DIFF environment variable can be used to select your own diff command. Users can
use external commands with params too, example: KUBECTL_EXTERNAL_DIFF="colordiff -N -u"

 By default, the "diff" command available in your path will be run with the "-u" (unified diff) and
"-N" (treat absent files as empty) options.

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

  # Compare objects that were saved before, without a cluster
  kubectl prune diff --local -f crds.yaml -f widgets.json

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

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

constexpr std::string_view kMigrate =
    R"(Rewrite every custom resource, so that etcd holds it pruned and in the storage version

 Reads the metadata of all objects of the named CRDs and sends each object an empty merge patch:
the API server prunes it, sets defaults and stores it anew, and nothing else of it changes. Then
every object is sent another one: that none of these rewrites anything proves that etcd is clean.
After that status.storedVersions of the CRD is set to the storage version alone. A run over some
objects only (-n, -l, --field-selector, --retry-from), with failures, or that is not verified leaves
it as it is. A run that was interrupted or killed goes on where it was when it is begun again.

 A CRD that preserves unknown fields is refused, unless --enable-pruning turns pruning on first:
what would be lost is told, the objects that lose something are written to a file of --backup-dir,
spec.preserveUnknownFields is turned off, and objects are rewritten once the API server is seen to
prune. Where several versions are stored all objects are rewritten before as well, so that no field
is lost that only the storage version knows.

 With --local no server is contacted: the custom resources in the files of -f are printed as the API
server would store them, and nothing is written.

Examples:
  # Rewrite all widgets; again, to see that there is nothing left to rewrite
  kubectl prune migrate widgets

  # Turn pruning on for a CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # The same in a script, with the report for programs
  kubectl prune migrate widgets --enable-pruning --yes -o json

  # What would be done?
  kubectl prune migrate widgets --enable-pruning --dry-run=client

  # Would the server take it? Every write is sent, and none is stored
  kubectl prune migrate widgets --enable-pruning --dry-run=server

  # Rewrite the objects of all CRDs that may be stored in an old version
  kubectl prune migrate --all

  # Try the objects again that failed
  kubectl prune migrate --retry-from report.json

  # Rewrite at most 50 objects a second
  kubectl prune migrate widgets --max-rate 50

  # Print the objects of a folder as they would be stored with pruning on
  kubectl prune migrate --local --enable-pruning -f manifests/ -o yaml

  # Compare the objects of one CRD with what would be stored
  kubectl prune migrate widgets.demo.example.com --local -f crds.yaml -f widgets.json -o json

Options:
    --all=false:
        Migrate every CRD whose status.storedVersions is not just the storage version, and with
        --enable-pruning every CRD that pruning can be turned on for.

    -A, --all-namespaces=false:
        Rewrite the objects of all namespaces, as without -n; -n has no effect then.

    --allow-missing-template-keys=true:
        If true, ignore any errors in templates when a field or map key is missing in the template.

    --backup-dir='kubectl-prune-backup':
        Folder for the backup of the objects that lose something when pruning is turned on.

    --chunk-size=500:
        Read large lists of objects in chunks of this size; 0 reads them all at once.

    --concurrency=16:
        The most writes at the same time; there are fewer while the server is slow.

    --crd-selector='':
        With --all: only CRDs whose labels match, e.g. --crd-selector app=operator.

    --dry-run='none':
        Must be "none", "server", or "client". With client nothing is written: what would be done is
        told. With server every write is sent and none is stored.

    --enable-pruning=false:
        Turn off spec.preserveUnknownFields where it is on. With --local: as if it had been turned
        off before.

    --field-selector='':
        Rewrite only the objects whose fields match, supports '=', '==', and '!='. (e.g.
        --field-selector metadata.name=frontend).

    -f, --filename=[]:
        With --local: files or folders with CRDs and custom resources, YAML or JSON, lists included;
        - is stdin.

    -h, --help=false:
        Print this help.

    --keep-stored-versions=false:
        Leave status.storedVersions as it is.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f.

    --max-rate=0:
        The most writes a second; 0 is no limit.

    -n, --namespace='':
        Rewrite only the objects of this namespace. That of the context does not count.

    --no-backup=false:
        Turn pruning on without a backup.

    -o, --output='':
        Output format. One of: (json, jsonpath, jsonpath-as-json, jsonpath-file, name, yaml); with
        --local: (json, yaml).

    -R, --recursive=false:
        With --local: read the folders below the folders of -f too.

    --retry-from='':
        Rewrite only the objects that this file names as failed: a report of -o json or -o yaml.

    --rewrite-unbacked=false:
        Rewrite also the objects that the backup does not have as they were last written.

    -l, --selector='':
        Rewrite only the objects whose labels match, supports '=', '==', '!=', 'in', 'notin' and
        bare keys. (e.g. -l key1=value1,key2=value2).

    --settle-timeout=2m0s:
        How long to wait until every API server prunes.

    --show-managed-fields=false:
        With --local: keep metadata.managedFields of the objects that are printed.

    --single-pass=false:
        Do not rewrite the objects before pruning is turned on; fields may be lost then that an
        older stored version does not know.

    --state-dir='':
        Folder for what a later run needs to go on with this one. Empty:
        $XDG_STATE_HOME/kubectl-prune, or ~/.local/state/kubectl-prune.

    --verify=true:
        Send every object another empty merge patch. Without that status.storedVersions is left as
        it is.

    -y, --yes=false:
        Turn pruning on without being asked.

Exit codes:
  0     done
  1     some object could not be migrated, or what is stored is not verified
  2     an error: a wrong flag, a CRD that cannot be migrated, a server that does not answer
  130   interrupted by SIGINT (143: SIGTERM); the same command goes on where it was

Usage:
  kubectl prune migrate CRD... [options]
  kubectl prune migrate --all [options]
  kubectl prune migrate [CRD...] --local -f FILENAME... [options]

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

 Reads the version of the server of the current context, and writes nothing.

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

}  // namespace

std::string_view Usage(std::string_view command) {
  if (command == "check") return kCheck;
  if (command == "diff") return kDiff;
  if (command == "completion") return kCompletion;
  if (command == "migrate") return kMigrate;
  if (command == "options") return kOptions;
  if (command == "version") return kVersion;
  return kProgram;
}

}  // namespace plugin
