#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kRestore =
    R"(Put back what pruning took from the objects of a backup

 Reads the backup that kubectl prune migrate --enable-pruning wrote, and each of its objects as it
is now, and puts back what pruning took from it and what is missing still; nothing else changes.
What others have set, changed or removed since stays so; into an object that somebody has set anew
what it had then comes back beside what it has now, and one that somebody has emptied stays empty.
Which fields pruning took is told by the CustomResourceDefinition that is kept beside the backup
(.crd.json); without it, everything comes back that an object had then and lacks now.

 The schema has to specify the fields by now: where the API server would prune them again nothing
is written, and they are named. An object gets one merge patch, for the resource version that was
read alone, and another one for the status subresource where there is one. Elements of lists belong
together by their place where the rest of the list is as it was, else by x-kubernetes-list-map-keys;
where neither tells, the object is left alone, and is told to be in conflict. Afterwards what was
put back is read once more. Run again, the command goes on with what is missing: also with what
somebody removed on purpose once it was back, as nothing tells that from what pruning took.

Examples:
  # What would be put back?
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --dry-run=client

  # Put it back
  kubectl prune restore kubectl-prune-backup/widgets.ndjson

  # Only one object
  kubectl prune restore kubectl-prune-backup/widgets.ndjson widgets/frontend -n shop

  # Only one field, also where somebody has set it anew since
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --fields .spec.legacyMode --overwrite

  # Make anew what was deleted since, too
  kubectl prune restore kubectl-prune-backup/widgets.ndjson --recreate

  # A backup without its CustomResourceDefinition beside it
  kubectl prune restore widgets.json --pruned-by crds.yaml

Options:
    -A, --all-namespaces=false:
        Restore the objects of all namespaces, as without -n; -n has no effect then.

    --allow-missing-template-keys=true:
        If true, ignore any errors in templates when a field or map key is missing in the template.

    --chunk-size=500:
        With -l or --field-selector: read large lists of objects in chunks of this size; 0 reads
        them all at once.

    --concurrency='':
        Keep so many objects in flight at once, and fewer only after the server says that it has
        too much to do. By default restore searches: it starts with one, adds more while the
        throughput grows, and stops at 16.

    --dry-run='none':
        Must be "none", "server", or "client". With client nothing is written: what would be put
        back is told, object by object. With server every write is sent and none is stored.

    --field-selector='':
        Restore only the objects whose fields match as they are now, supports '=', '==', and '!='.
        (e.g. --field-selector metadata.name=frontend).

    --fields=[]:
        Put back only these fields and what is below them, written as the tables show them: e.g.
        --fields .spec.legacyMode,.spec.ports[*].proto
        Of a list that is missing as a whole no part comes back alone. Not with --recreate.

    -h, --help=false:
        Print this help.

    --lease-namespace='default':
        Namespace of the Leases, one a CRD, by which runs on several machines know of each other.

    --lease-timeout=0s:
        How long to wait for another run over the same CRD to end. 0 gives up as soon as that is
        seen to be alive; one that is not is followed after 30 s.

    --max-rate=0:
        The most objects a second; 0 is no limit.

    -n, --namespace='':
        Restore only the objects of this namespace. That of the context does not count.

    -o, --output='':
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, wide, yaml); wide names every object and its fields.

    --overwrite=false:
        Put back also what pruning took and somebody has set anew since. Needs to know by which
        CustomResourceDefinition objects were pruned (--pruned-by).

    --patience=2m0s:
        How long a request is tried again where the server, a webhook or the network has trouble
        for a moment; 0 gives up where kubectl would.

    --pruned-by='':
        A file with the CustomResourceDefinition by which the objects were pruned. Empty: that
        beside the backup, whose name ends in .crd.json in the place of .ndjson, if it is there.

    --recreate=false:
        Make anew the objects that were deleted since the backup, whole. They get another uid. One
        of which the schema would prune any field is not made.

    -l, --selector='':
        Restore only the objects whose labels match as they are now, supports '=', '==', '!=', 'in',
        'notin' and bare keys. (e.g. -l key1=value1,key2=value2).

    --verify=true:
        Read back what was put back.

Exit codes:
  0     every object that was chosen has back what was taken from it, but for what others have set
        or removed since
  1     some object has not: it was deleted, is in conflict, could not be written, or lacked it
        again when it was read back
  2     an error: a wrong flag, a backup that cannot be read, a schema that would prune the fields
        again, a missing right, a server that does not answer, a CustomResourceDefinition that was
        changed meanwhile
  130   interrupted by SIGINT (143: SIGTERM); the same command goes on where it was

Usage:
  kubectl prune restore BACKUP [CRD[/NAME]...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
