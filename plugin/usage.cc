#include "plugin/usage.h"

namespace plugin {
namespace {

constexpr std::string_view kProgram =
    R"(Find out what pruning would remove from custom resources, then migrate them

 Before spec.preserveUnknownFields of a CustomResourceDefinition (CRD) is turned off, "check" reads
CRDs and custom resources and tells what keeps the schemas from being structural and which fields
of which objects would be lost. "migrate" shows the objects as the API server would store them
with pruning on. Neither writes to a cluster: so far both work on files (--local).

Available Commands:
  check         Report structural problems and the fields that pruning would remove
  migrate       Print custom resources as the API server would store them
  version       Print the version of this program
  help          Print the help of a command

Examples:
  # What would the CRDs and objects of a folder lose?
  kubectl prune check --local -f manifests/ -R

  # How would its objects be stored?
  kubectl prune migrate --local -f manifests/ -R -o yaml

Exit codes:
  0   clean, or done
  1   findings
  2   an error: a wrong flag, a file that cannot be read

Usage:
  kubectl prune COMMAND [options]

Use "kubectl prune COMMAND --help" for more information about a command.
)";

constexpr std::string_view kCheck =
    R"(Report structural problems and the fields that pruning would remove

 Reads CRDs and custom resources and writes nothing. For each CRD it reports what keeps its schemas
from being structural, in the words of the API server, and what would make the server refuse it with
pruning on. For each version it counts the objects that would lose fields, and names each field with
its JSON types, who writes it, when it was last written, and an example.

 The verdict of a CRD is "blocked" (the server would refuse to turn pruning on), "loses-fields",
"ready" (pruning can be turned on and nothing is lost), "pruning" (it is on already) or "unknown"
(the CRD could not be checked). Of many CRDs those that prune already without a finding are only
counted. Paths show indices of lists as [*] and keys of maps as *.

Examples:
  # Check all CRDs and custom resources in a folder and the folders below it
  kubectl prune check --local -f manifests/ -R

  # Check one CRD of many against objects that were saved before
  kubectl get widgets.demo.example.com -A -o json --show-managed-fields > widgets.json
  kubectl prune check widgets.demo.example.com --local -f crds.yaml -f widgets.json

  # Name each object that would lose a field, for a program
  kubectl prune check --local -f crds.yaml,widgets.json --show-objects -o json

  # Fail only where the server would refuse a CRD
  kubectl prune check --local -f manifests/ --fail-on=blocked

Options:
    --all-objects=false:
        Read the objects of every CRD, of those that prune already too. With --local all objects in
        the files are read anyway.

    --fail-on=[blocked,loses-fields]:
        What makes the exit code 1: blocked, loses-fields, migration-needed (status.storedVersions
        is not just the storage version), or none.

    -f, --filename=[]:
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.

    -h, --help=false:
        Print this help.

    --ignore=[]:
        CRDs to leave out.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f.

    --no-headers=false:
        Print only a row for each CRD, for scripts: no titles, nothing left out, no explanations.

    -o, --output='':
        Output format. One of: (json, name, table, wide, yaml). wide shows more columns and
        shortens nothing.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    --show-objects=false:
        List each object that would lose fields, with the fields by version.

    --skip-objects=false:
        Check the CRDs only.

    -v, --v=0:
        Number for the log level verbosity.

Exit codes:
  0   no findings
  1   findings that --fail-on counts
  2   an error: a wrong flag, a file that cannot be read, a CRD or object that cannot be checked;
      what could be checked is reported all the same

Usage:
  kubectl prune check [CRD...] --local -f FILENAME... [options]
)";

constexpr std::string_view kMigrate =
    R"(Print custom resources as the API server would store them

 Reads CRDs and custom resources from files and prints the custom resources as the API server would
store them in etcd after a rewrite: pruned, with defaults, in the storage version. Where a CRD still
preserves unknown fields nothing is pruned, unless --enable-pruning is given. No server is contacted
and no file is changed.

Examples:
  # Print the objects of a folder as they would be stored with pruning on
  kubectl prune migrate --local --enable-pruning -f manifests/ -o yaml

  # Compare the objects of one CRD with what would be stored
  kubectl prune migrate widgets.demo.example.com --local -f crds.yaml -f widgets.json -o json

Options:
    --enable-pruning=false:
        As if spec.preserveUnknownFields had been turned off before.

    -f, --filename=[]:
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.

    -h, --help=false:
        Print this help.

    --local=false:
        Contact no server: CRDs and objects come from the files of -f.

    -o, --output='yaml':
        Output format. One of: (json, yaml).

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    -v, --v=0:
        Number for the log level verbosity.

Exit codes:
  0   done
  1   some object could not be migrated
  2   an error: a wrong flag, a file that cannot be read

Usage:
  kubectl prune migrate [CRD...] --local -f FILENAME... [options]
)";

constexpr std::string_view kVersion =
    R"(Print the version of this program

 Reads nothing and writes nothing.

Examples:
  # Print the version
  kubectl prune version --client

Options:
    --client=false:
        Print the version of this program only, and ask no server.

    -h, --help=false:
        Print this help.

    -o, --output='':
        One of 'yaml' or 'json'.

    -v, --v=0:
        Number for the log level verbosity.

Exit codes:
  0   done
  2   an error: a wrong flag

Usage:
  kubectl prune version [options]
)";

}  // namespace

std::string_view Usage(std::string_view command) {
  if (command == "check") return kCheck;
  if (command == "migrate") return kMigrate;
  if (command == "version") return kVersion;
  return kProgram;
}

}  // namespace plugin
