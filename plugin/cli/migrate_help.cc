#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kMigrate =
    R"(Rewrite every custom resource, so that etcd holds it pruned and in the storage version

 Reads the metadata of all objects of the named CRDs and sends each object an empty merge patch:
the API server prunes it, sets defaults and stores it anew, and nothing else of it changes. Then
every object is sent another one: that none of these rewrites anything proves that etcd is clean.
After that status.storedVersions of the CRD is set to the storage version alone. A run over some
objects only (-n, -l, --field-selector, --retry-failed, --retry-from), with failures, or that is not
verified leaves it as it is. A run that was interrupted or killed goes on where it was when it is
begun again. Two runs over one CRD know of each other by a Lease, also from two machines.

 A CRD that preserves unknown fields is refused, unless --enable-pruning turns pruning on first:
what would be lost is told, the objects that lose something are written to a file of --backup-dir,
spec.preserveUnknownFields is turned off, and objects are rewritten once the API server is seen to
prune. Where several versions are stored all objects are rewritten before as well, so that no field
is lost that only the storage version knows.

 With -f the CRD of the file comes with pruning: in the same write the CRD becomes what kubectl
apply would make of it, defaults included, and what is lost is counted by its schemas.

 With --mutation objects are changed as they are written: each document of the file is shaped like
the object, maps are merged by key, scalars and lists replace, null removes, "[key]" replaces a map
as a whole, and (spec.legacyMode) is what the object has there. With --enable-pruning that comes
before pruning is turned on, so that fields can still be moved which then go. Objects that are
changed are written to a file of --backup-dir first, as they are.

 With --contexts several clusters are migrated side by side, each as it would be alone: what fails
in one does not keep the others from being migrated, and the same command goes on where each of them
was. What would be lost in which cluster is told, and asked about, once for all of them. Contexts
that lead to one cluster are migrated once. Each context has its own folder in --backup-dir.

 With --local no server is contacted: the custom resources in the files of -f are printed as the API
server would store them, and nothing is written. The schema's validations are left out.

Examples:
  # Rewrite all widgets; again, to see that there is nothing left to rewrite
  kubectl prune migrate widgets

  # Turn pruning on for a CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # The same with the CRD of an upgrade, which may have defaults, in the place of the present one
  kubectl prune migrate widgets --enable-pruning -f new-crd.yaml

  # Move a value out of a field that goes, before it goes
  kubectl prune migrate widgets --enable-pruning --mutation move-mode.yaml

  # The same in a script, with the report for programs
  kubectl prune migrate widgets --enable-pruning --yes -o json

  # What would be done?
  kubectl prune migrate widgets --enable-pruning --dry-run=client

  # Would the server take the writes? Each is sent for the object as it is now, and none is stored
  kubectl prune migrate widgets --enable-pruning --dry-run=server

  # Rewrite the objects of all CRDs that may be stored in an old version
  kubectl prune migrate --all

  # Try the objects again that failed in the last run
  kubectl prune migrate widgets --retry-failed

  # The same on another machine, by the report of that run
  kubectl prune migrate --retry-from report.json

  # Rewrite all managedFields in the storage version, also where a plain write would keep them
  kubectl prune migrate widgets --clean-managed-fields=always

  # Have the cluster's own engine rewrite the objects, and verify what it did
  kubectl prune migrate widgets --engine=in-cluster

  # Migrate several clusters side by side: those whose contexts have such a name
  kubectl prune migrate widgets --enable-pruning --contexts 'prod-*'

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
        Folder for the backup of the objects that lose something when pruning is turned on, and for
        that of those that --mutation changes.

    --chunk-size=500:
        Read large lists of objects in chunks of this size; 0 reads them all at once. The first
        chunk has 100 objects at most. Without the flag the rest of up to 10,000 objects comes in
        one piece from the server's watch cache where it can, which costs the server least; give it
        where the API server runs with --watch-cache=false.

    --clean-managed-fields='auto':
        Must be "auto", "always" or "never". Any write of an object makes the API server empty its
        metadata.managedFields if an entry names a version that the CRD lost, or a version whose
        schema lacks fields of the object. With auto the same write moves these entries to the
        storage version. Each owner keeps its fields, except those that the storage version does not
        have. With always (--clean-managed-fields alone) it moves the entries of every version that
        lacks fields of the storage version. With never it moves none, and names the objects whose
        managedFields were emptied.

    --concurrency='':
        Keep so many writes in flight at once, and fewer only after the server says that it has too
        much to do. By default migrate searches: it starts with one write in flight, adds more while
        the throughput grows, and stops at 16. With --contexts in each cluster.

    --connections=1:
        Spread the requests in flight over so many TCP connections, or a few more, so that a
        balancer before several API servers gives each of them some. 32 at most. It takes as many in
        flight: --concurrency. With --contexts to each cluster.

    --contexts=[]:
        Migrate the clusters of these contexts of the kubeconfig side by side: names, or patterns in
        which * stands for any characters, ? for one, [a-z] for one of these. @FILE stands for the
        lines of a file. (e.g. --contexts 'prod-*,staging' or --contexts @clusters.txt).

    --crd-selector='':
        With --all: only CRDs whose labels match, e.g. --crd-selector app=operator.

    --dry-run='none':
        Must be "none", "server", or "client". With client nothing is written: what would be done is
        told. With server every write is sent and none is stored.

    --enable-pruning=false:
        Turn off spec.preserveUnknownFields where it is on. With --local: as if it had been turned
        off before.

    --engine='own':
        Who rewrites the objects: "own", this program; "in-cluster", the cluster's own engine, by a
        StorageVersionMigration (storagemigration.k8s.io, Kubernetes 1.35 and later), after which
        this program verifies every object, and rewrites all of them where that has failed; or
        "auto", the latter where the server has it and status.storedVersions tells that objects are
        stored in another version. From 1.36 on the cluster trims status.storedVersions by itself,
        verified or not; where it should not have, that is put back at the end of the run.

    --engine-timeout=5m0s:
        How long a StorageVersionMigration may stay as it is before the objects are rewritten from
        here; while it runs at least 20 ms an object.

    --field-selector='':
        Rewrite only the objects whose fields match, supports '=', '==', and '!='. (e.g.
        --field-selector metadata.name=frontend).

    -f, --filename=[]:
        With --enable-pruning: files or folders with the CRDs that come with it. With --local: files
        or folders with CRDs and custom resources. YAML or JSON, lists included; - is stdin.

    -h, --help=false:
        Print this help.

    --keep-stored-versions=false:
        Leave status.storedVersions as it is.

    --lease-namespace='default':
        Namespace of the Leases, one a CRD, by which runs on several machines know of each other.

    --lease-timeout=0s:
        How long to wait for another run over the same CRD to end. 0 gives up as soon as that is
        seen to be alive; one that is not is followed after 30 s.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f.

    --max-rate=0:
        The most writes a second; 0 is no limit. With --mutation the reads of single objects count.
        With --contexts in each cluster.

    --mutation=[]:
        File with mutation trees, YAML or JSON, by which objects are changed; - is stdin. May be
        given several times: they come one after the other. docs/MUTATION.md tells the rules.

    -n, --namespace='':
        Rewrite only the objects of this namespace. That of the context does not count.

    --no-backup=false:
        Turn pruning on, or mutate objects, without a backup.

    -o, --output='':
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, yaml); with --local: (json, yaml). html is one page for a browser or a mail,
        markdown fits a comment, junit is for CI.

    --parallel-clusters=10:
        With --contexts, how many clusters are migrated at once.

    --patience=2m0s:
        How long a request is tried again where the server, a webhook or the network has trouble
        for a moment; 0 gives up where kubectl would.

    --record=false:
        Write into an annotation of the CRD (kubectl-prune/verified) that all objects were verified,
        so that check tells it where this --state-dir is not: as somebody's word, which stops no
        warning.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    --retry-failed=false:
        Rewrite only the objects that failed in the last run over each CRD, as the --state-dir of
        that run tells: of the CRDs that are named, else of all. Those that it held are not written,
        unless it tells that somebody wrote them since, or with --rewrite-unbacked.

    --retry-from='':
        Rewrite only the objects that this file names as failed: a report of -o json or -o yaml.
        Those that it names as held are not written, unless the --state-dir of that run tells that
        somebody wrote them since, or with --rewrite-unbacked.

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
  1     some object could not be migrated, the verifying pass did not verify that all are (with
        --verify=false there is none), or status.storedVersions could not be trimmed
  2     an error: a wrong flag, a CRD that cannot be migrated, a server that does not answer; with
        --contexts the worst of all clusters counts
  130   interrupted by SIGINT (143: SIGTERM); the same command goes on where it was

Usage:
  kubectl prune migrate CRD... [options]
  kubectl prune migrate --all [options]
  kubectl prune migrate CRD... --contexts PATTERN... [options]
  kubectl prune migrate [CRD...] --enable-pruning -f FILENAME... [options]
  kubectl prune migrate [CRD...] --retry-failed [options]
  kubectl prune migrate [CRD...] --local -f FILENAME... [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
