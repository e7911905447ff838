#include "plugin/usage/texts.h"

namespace plugin::usage {

constexpr std::string_view kPopulate =
    R"(Bring namespaces to what NamespaceTemplates say

 A NamespaceTemplate (policy.kubectl-prune.dev/v1alpha1) holds objects, as NetworkPolicies, Roles
and ResourceQuotas, that every namespace is to have whose labels its selector selects; without a
selector all have them. kube-system is always left out. With --once each namespace of the cluster
gets them by server-side apply, and what was made of a template and is not in it any more is
deleted. With --local no server is contacted: templates and Namespaces are read from files, and the
objects are printed as they would be applied.

 In texts of the objects $(NAMESPACE) becomes the name of the namespace, and $(CREATOR) the user of
its annotation authorization.k8s.io/creator; an object that needs a creator where none is known is
left out. $$(NAMESPACE) becomes the text $(NAMESPACE), and all else stays as it is, $$ and $(OTHER)
too.

 Where two templates have the same object, the one of the template whose name is the later one
counts, with a warning; where that is refused, or its template disabled, there is none. Left out
with an error are lists, and objects that are in no namespace, or name another one; of what scope
the kinds of CRDs are, and whether it takes an object, only a cluster can tell. What was made of a
template that has the label policy/namespace-template-apply=disable by now, or is in a namespace
with policy/namespace-template-opt-out=true, stays as it is.

 What others change of an object is set back; an object that is a member of another ApplySet is left
to it, with an error. Deleted is only what is proven to be made of a template: it has the template's
label and ApplySet, and its managedFields name kubectl-prune-populate. Where some object of a
template cannot be applied in a namespace nothing of that template is deleted there. A template is
the parent of an ApplySet, and says in its annotations which kinds to look for; so before you delete
a template, take its objects out of it and run this once more.

Examples:
  # What would be applied and deleted?
  kubectl prune populate --once --dry-run=server

  # Apply and delete it
  kubectl prune populate --once

  # Only in one namespace
  kubectl prune populate --once shop

  # What would a new namespace get?
  kubectl prune populate -f templates.yaml --local team-a

  # And all those of a file, with the labels and annotations that they have there?
  kubectl prune populate -f templates.yaml -f namespaces.yaml --local -o json

Options:
    --concurrency=16:
        With --once: the most namespaces at the same time; there are fewer while the server is slow.

    --dry-run='none':
        With --once: must be "none", "server", or "client". With client nothing is sent: what would
        be applied or deleted is told. With server every write is sent and none is stored.

    -f, --filename=[]:
        With --local: files or folders with NamespaceTemplates and Namespaces, YAML or JSON, lists
        included; - is stdin.

    -h, --help=false:
        Print this help.

    --local=false:
        Contact no server: templates and namespaces come from the files of -f.

    --max-rate=0:
        With --once: the most writes a second; 0 is no limit.

    --once=false:
        Bring the namespaces of the cluster to what its NamespaceTemplates say, and end. Their
        CustomResourceDefinition is krew/manifests/populate/crd.yaml.

    -o, --output='yaml':
        With --local: yaml, documents separated by ---, or json, one List.

    --patience=2m0s:
        How long a request that only reads is tried again where the server or the network has
        trouble for a moment; 0 gives up where kubectl would.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

Exit codes:
  0     namespaces have all that templates say, or all objects are printed
  1     some object, template or namespace was left out, or failed, with an error each
  2     an error: a wrong flag, a file that cannot be read, no template or no namespace in files, a
        cluster without NamespaceTemplates, a server that does not answer
  130   interrupted by SIGINT (143: SIGTERM); the same command does the rest

Usage:
  kubectl prune populate --once [NAMESPACE...] [options]
  kubectl prune populate -f FILENAME... --local [NAMESPACE...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::usage
