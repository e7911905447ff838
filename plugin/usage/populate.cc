#include "plugin/usage/texts.h"

namespace plugin::usage {

constexpr std::string_view kPopulate =
    R"(Print the objects that namespaces get by NamespaceTemplates

 A NamespaceTemplate (policy.kubectl-prune.dev/v1alpha1) holds objects, as NetworkPolicies, Roles
and ResourceQuotas, that every namespace is to have whose labels its selector selects; without a
selector all have them. kube-system is always left out. Templates and Namespaces are read from
files, no server is contacted, and the objects are printed as they would be applied.

 In texts of the objects $(NAMESPACE) becomes the name of the namespace, and $(CREATOR) the user of
its annotation authorization.k8s.io/creator; an object that needs a creator where none is known is
left out. $$(NAMESPACE) becomes the text $(NAMESPACE), and what is no variable stays as it is.

 Where two templates have the same object, the one of the template whose name is the later one
counts, with a warning. Left out with an error are objects that are in no namespace, or name another
one; of what scope the kinds of CRDs are only a cluster can tell. What a template with the label
policy/namespace-template-apply=disable, or a namespace with policy/namespace-template-opt-out=true,
would keep as it is, is not printed.

Examples:
  # What would a new namespace get?
  kubectl prune populate -f templates.yaml --local team-a

  # And all those of a file, with the labels and annotations that they have there?
  kubectl prune populate -f templates.yaml -f namespaces.yaml --local -o json

Options:
    -f, --filename=[]:
        Files or folders with NamespaceTemplates and Namespaces, YAML or JSON, lists included; - is
        stdin.

    -h, --help=false:
        Print this help.

    --local=false:
        Contact no server: templates and namespaces come from the files of -f. Has to be given.

    -o, --output='yaml':
        yaml, documents separated by ---, or json, one List.

    -R, --recursive=false:
        Read the folders below the folders of -f too.

Exit codes:
  0     all objects are printed
  1     some were left out, with an error each
  2     something could not be read, or there is no template or no namespace; what there is is
        printed all the same

Usage:
  kubectl prune populate -f FILENAME... --local [NAMESPACE...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::usage
