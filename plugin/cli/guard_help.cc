#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kGuard =
    R"(Warn of requests, or refuse them, that write what pruning would remove

 Serves admission webhooks, which an API server asks before it stores objects of the named CRDs.
While a CRD preserves unknown fields nothing in Kubernetes warns of a field that its schema lacks;
the guard does, between check and migrate: whoever writes such a field gets a warning, as kubectl
shows it, or with --action=deny an error. Who writes what, by user and field manager, is counted:
a line on stderr the first time, all of it at /report (JSON), in --report-file, and at /metrics.

 Only what a request brings is denied. Fields that the object had before, updates of its status and
finalizers, and objects that are being deleted pass with a warning; what changes nothing, as the
rewrites of migrate, passes without one. Where the guard cannot be reached requests pass, too, at
once or after three seconds; that it is asked at all it says once it is.

 With --managed it keeps a ValidatingWebhookConfiguration, and with --mutation a
MutatingWebhookConfiguration, of that name while it runs, and leaves what others have put there.
Without, it writes nothing to the cluster and prints them for kubectl apply. CRDs that come, change
or go are followed; of those that are all guarded a CRD is left alone once it prunes. By a schema
that is not structural nothing can be pruned, so nothing is said.

 A mutation that would bring what pruning removes, or what the API server refuses, is left out, with
a warning.

Examples:
  # Who still writes fields of the widgets that will be lost? (k3d, minikube: no more is needed)
  kubectl prune guard widgets --managed=guard.example.com

  # The same by the schema of the next release, and nobody may begin to
  kubectl prune guard -f crds.yaml --managed=guard.example.com --action=deny

  # Move the field in each request that still has it
  kubectl prune guard widgets --managed=guard.example.com --mutation move.yaml

  # In a cluster, behind a Service (krew/manifests/guard.yaml has all that belongs to it)
  kubectl prune guard --all --reach=service --host=guard.kubectl-prune.svc

Options:
    --action='warn':
        What is done about a field that a request brings and pruning would remove: warn, or deny the
        request.

    --addr='':
        The IP address of this machine to listen at; empty listens at all.

    --all=false:
        Guard every CRD of the cluster that preserves unknown fields.

    --ca-bundle-file='':
        The certificates (PEM) by which the API server verifies that of --url. Without it, its own
        authorities count.

    --ca-dump='':
        Write the authority of the self-signed certificate (PEM) to this file.

    --ca-file='':
        The certificates (PEM) by which the API server verifies that of --cert-file. Without it, its
        own authorities count. With --url give --ca-bundle-file instead.

    --cert-file='':
        The certificate to serve with (PEM); without it a self-signed one is made. It is read again
        when it changes, as are the files of --key-file, --ca-file and --client-ca-file.

    --client-ca-file='':
        Answer only who shows a certificate that one of these authorities (PEM) has signed. An API
        server shows one only if its --admission-control-config-file says so.

    --contact='':
        Whom to ask: shown behind the warnings of a request, and in errors. One line of 120
        characters at most.

    --extra-san=[]:
        Further names and addresses in the self-signed certificate.

    -f, --filename=[]:
        Files or folders with CRDs, YAML or JSON, whose schemas count in the place of the cluster's;
        - is stdin. Without CRD names those in the files are guarded.

    -h, --help=false:
        Print this help.

    --host='':
        The host by which the API server reaches this machine, or, with --reach=service, the name of
        a Service as NAME.NAMESPACE.svc.

    --insecure=false:
        Serve HTTP, to look at it or behind what does HTTPS.

    --key-file='':
        The key of --cert-file (PEM).

    --key-password='':
        The password of --key-file, if it is encrypted. Others on this machine may see it.

    --managed='':
        The name of the webhook configurations to keep, with a dot in it. Needs the right to get,
        create and patch them.

    --mutation=[]:
        A file of mutation trees that are applied to what is created or changed; - is stdin.

    --port=9443:
        The port to listen at; 0 is any free one.

    --reach='auto':
        How the API server reaches this machine: plain (by --host, or --addr, or as localhost), k3d,
        minikube, service (by a Service: see --host), or auto (k3d, minikube and Docker Desktop are
        recognised by the API server's certificate; else plain).

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    --report-file='':
        Write the report to this file too, every ten seconds and at the end.

    --url='':
        The URL by which the API server reaches this machine, of a tunnel say. What verifies its
        certificate is given with --ca-bundle-file.

Exit codes:
  0     a signal has ended it
  2     an error

Usage:
  kubectl prune guard [CRD...|--all] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
