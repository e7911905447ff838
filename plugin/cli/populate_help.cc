#include "plugin/cli/usage.h"

namespace plugin::cli {

constexpr std::string_view kPopulate =
    R"(Keep namespaces as NamespaceTemplates say

 A NamespaceTemplate (policy.kubectl-prune.dev/v1alpha1) holds objects, as NetworkPolicies, Roles
and ResourceQuotas, that every namespace is to have whose labels its selector selects; an empty one
({}) selects all. kube-system is always left out. Namespaces and templates of the cluster are
watched: whatever is new or changes, each namespace gets its objects by server-side apply, and what
was made of a template and is not in it any more is deleted. With --once that is done once. With
--diff nothing is written: a diff program shows what --once would change, as kubectl diff
--server-side does, each object beside what the server would make of it. With --local no server is
contacted: templates and Namespaces are read from files, and the objects are printed as they would
be applied.

 In texts of the objects $(NAMESPACE) becomes the name of the namespace, and $(CREATOR) the user of
its annotation authorization.k8s.io/creator; an object that needs a creator where none is known is
left out. A template with $(CREATOR) is refused where the webhook creator does not guard that
annotation, unless with --trust-creator-annotation. $$(NAMESPACE) becomes the text $(NAMESPACE), and
all else stays as it is, $$ and $(OTHER) too.

 A template that is refused, as it is invalid or its selector has a field that is none, changes and
deletes nothing: an Event, its condition Refused and the metric populate_templates_refused tell why.

 Where two templates have the same object, the one of the template whose name is the later one
counts, with a warning; where that is refused, or its template disabled, there is none. Left out
with an error are lists, and objects that are in no namespace, or name another one; of what scope
the kinds of CRDs are, and whether it takes an object, only a cluster can tell. What was made of a
template that has policy/namespace-template-apply=disable by now, as annotation or label, or is in a
namespace with policy/namespace-template-opt-out=true, stays as it is.

 What others change of an object is set back when its namespace is looked at next, which --resync
makes regular; an object that is a member of another ApplySet is left to it, with an error. Deleted
is only what is proven to be made of a template: it has the template's label and ApplySet, and its
managedFields name kubectl-prune-populate. Where some object of a template cannot be applied in a
namespace nothing of that template is deleted there. A template is the parent of an ApplySet, and
says in its annotations which kinds to look for. Where nothing watches while you delete a template,
take its objects out of it first, and run this with --once.

 What is done in a namespace, and what fails, is told by Events there, and by the template's status.
What fails is tried again, after a second at first and five minutes at last. Of several replicas one
populates, elected by the Lease kubectl-prune-populate.

 With --webhooks the API server asks before it stores a namespace, or an object in one:
  creator         who makes a namespace becomes its authorization.k8s.io/creator, and stays that
  opt-out         to opt a namespace out, or in again, needs the right to optout
  use             a template with policy/namespace-template-require-permission=true selects the
                  namespaces of those alone who have the right to use it
  initialization  until a namespace has its objects, and those have finished that a
                  NamespaceInitializationConfiguration names, only who has the right to initialize
                  may create others in it, for --initialization-timeout at the most
The rights are verbs on namespacetemplates.policy.kubectl-prune.dev. While nobody answers requests
fail, but for those of initialization, and of --ignore-failures.

Examples:
  # What would be applied and deleted?
  kubectl prune populate --once --dry-run=server

  # Object by object, what would change in it?
  kubectl prune populate --diff

  # Apply and delete it
  kubectl prune populate --once

  # Only in one namespace
  kubectl prune populate --once shop

  # What would a new namespace get?
  kubectl prune populate -f templates.yaml --local team-a

  # And all those of a file, with the labels and annotations that they have there?
  kubectl prune populate -f templates.yaml -f namespaces.yaml --local -o json

  # Keep it so, and set back what others change within ten minutes
  kubectl prune populate --resync=10m

  # With all webhooks; krew/manifests/populate/controller.yaml does it in a cluster
  kubectl prune populate --webhooks=all --managed=populate.example.com

Options:
    --addr='':
        The IP address of this machine to listen at; empty listens at all.

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

    --concurrency='':
        Keep so many namespaces in flight at once, and fewer only after the server says that it has
        too much to do. By default populate searches: it starts with one, adds more while the
        throughput grows, and stops at 16.

    --diff=false:
        Show what --once would change. Objects are compared as YAML, without managed fields and the
        values of Secrets, by "diff -u -N", or what the environment variable KUBECTL_EXTERNAL_DIFF
        says. As nothing is stored, what needs another object that is only to be made, as a
        RoleBinding its Role, may be refused. Needs the right to get them all.

    --dry-run='none':
        With --once: must be "none", "server", or "client". With client nothing is sent: what would
        be applied or deleted is told. With server every write is sent and none is stored.

    --extra-san=[]:
        Further names and addresses in the self-signed certificate.

    -f, --filename=[]:
        With --local: files or folders with NamespaceTemplates and Namespaces, YAML or JSON, lists
        included; - is stdin.

    -h, --help=false:
        Print this help.

    --host='':
        The host by which the API server reaches this machine, or, with --reach=service, the name of
        a Service as NAME.NAMESPACE.svc.

    --ignore-failures=[]:
        The webhooks whose requests pass while nobody answers: creator, opt-out, use,
        initialization, or all. Those of initialization always do.

    --initialization-timeout=30s:
        The age from which on a namespace takes objects of everybody, whether it has its own or not.

    --insecure=false:
        Serve HTTP, to look at it or behind what does HTTPS.

    --key-file='':
        The key of --cert-file (PEM).

    --key-password='':
        The password of --key-file, if it is encrypted. Others on this machine may see it.

    --leader-elect=true:
        Populate only while this replica holds the Lease. Without it there must be no other one.

    --leader-elect-resource-namespace='kube-system':
        The namespace of the Lease.

    --local=false:
        Contact no server: templates and namespaces come from the files of -f.

    --managed='':
        The name of the webhook configurations to keep, with a dot in it. Needs the right to get,
        create and patch them.

    --max-rate=0:
        The most writes a second; 0 is no limit.

    --metrics-port=0:
        Serve /metrics, /healthz and /readyz by HTTP at this port; 0 is nowhere. With --webhooks
        they are at --port too.

    --once=false:
        Bring the namespaces of the cluster to what its NamespaceTemplates say, and end. Their
        CustomResourceDefinition is krew/manifests/populate/crd.yaml.

    --opt-out-service-account=[]:
        NAMESPACE:NAME of a service account whose namespaces opt out, as they are populated by
        another system. May be given several times.

    -o, --output='yaml':
        With --local: yaml, documents separated by ---, or json, one List.

    --patience=2m0s:
        How long a request that only reads is tried again where the server or the network has
        trouble for a moment; 0 gives up where kubectl would.

    --persistent=false:
        The webhooks stay in the configurations of --managed when the program ends.

    --port=9443:
        The port to listen at; 0 is any free one.

    --reach='auto':
        How the API server reaches this machine: plain (by --host, or --addr, or as localhost), k3d,
        minikube, service (by a Service: see --host), or auto (k3d, minikube and Docker Desktop are
        recognised by the API server's certificate; else plain).

    -R, --recursive=false:
        Read the folders below the folders of -f too.

    --resync=0:
        How often everything is applied again, as in 10m or 1h; 0 is never.

    --trust-creator-annotation=false:
        Go by authorization.k8s.io/creator though it is not proven that the webhook creator guards
        it: whoever may annotate a namespace gets what templates give to $(CREATOR).

    --url='':
        The URL by which the API server reaches this machine, of a tunnel say. What verifies its
        certificate is given with --ca-bundle-file.

    --webhooks=[]:
        Serve these webhooks: creator, opt-out, use, initialization, or all.

Exit codes:
  0     namespaces have all that templates say, or all objects are printed, or with --diff there
        are no differences; without these flags, a signal has ended it
  1     some object, template or namespace was left out, or failed, with an error each; with --diff:
        there are differences
  2     an error: a wrong flag, a file that cannot be read, no template or no namespace in files, a
        cluster without NamespaceTemplates, a server that does not answer
  >1    with --diff, as of kubectl diff: the same, or diff failed, or something could not be
        compared; what could be compared is shown all the same
  130   with --diff, or --once, where the same command does the rest: interrupted by SIGINT (143:
        SIGTERM)

Usage:
  kubectl prune populate [options]
  kubectl prune populate --once [NAMESPACE...] [options]
  kubectl prune populate --diff [NAMESPACE...] [options]
  kubectl prune populate -f FILENAME... --local [NAMESPACE...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
