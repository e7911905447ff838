#include <algorithm>
#include <chrono>
#include <memory>

#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/meta/names.h"
#include "migrate/populate/refusal.h"
#include "plugin/command/commands.h"

/// The command line of populate.
namespace plugin::command {

const std::string_view kPopulateHelp =
    R"(Keep namespaces as NamespaceTemplates say

 A NamespaceTemplate (policy.kubectl-prune.dev/v1alpha1) holds objects, as NetworkPolicies, Roles
and ResourceQuotas. Every namespace whose labels its selector selects is to have them. An empty
selector ({}) selects all. kube-system is always left out. Namespaces and templates of the cluster
are watched. Whatever is new or changes, each namespace gets its objects by server-side apply. What
was made of a template and is no longer in it is deleted.

 With --once that is done once. With --diff nothing is written: a diff program shows what --once
would change, as kubectl diff --server-side does. It shows each object beside what the server would
make of it. With --local no server is contacted. Templates and Namespaces are read from files, and
the objects are printed as they would be applied.

 In texts of the objects $(NAMESPACE) becomes the name of the namespace. $(CREATOR) becomes the
user of its annotation authorization.k8s.io/creator. An object that needs a creator is left out
where none is known. A template with $(CREATOR) is refused where the webhook creator does not guard
that annotation, unless with --trust-creator-annotation. $$(NAMESPACE) becomes the text
$(NAMESPACE), and all else stays as it is, $$ and $(OTHER) too.

 A template that is refused, as it is invalid or its selector has a field that is none, changes and
deletes nothing: an Event, its condition Refused and the metric populate_templates_refused tell why.

 Where two templates have the same object, that of the template with the later name counts, with a
warning. Where that is refused, or its template disabled, there is none. Lists, and objects that
are in no namespace or name another one, are left out with an error. Only a cluster can tell the
scope of the kinds of CRDs, and whether it takes an object.

 A template may be disabled by policy/namespace-template-apply=disable, a namespace may opt out by
policy/namespace-template-opt-out=true, each as annotation or label. What was made before stays as
it is then.

 What others change of an object is set back when its namespace is looked at next. --resync makes
that regular. An object that is a member of another ApplySet is left to it, with an error. Deleted
is only what is proven to be made of a template: it has the template's label and ApplySet, and its
managedFields name kubectl-prune-populate. Where some object of a template cannot be applied in a
namespace nothing of that template is deleted there. A template is the parent of an ApplySet, and
says in its annotations which kinds to look for. Where nothing watches while you delete a template,
take its objects out of it first, and run this with --once.

 What is done in a namespace, and what fails, is told by Events there, and by the template's status.
What fails is tried again, after a second at first and five minutes at last. Of several replicas one
populates, elected by the Lease kubectl-prune-populate.

 With --webhooks the API server asks before it stores a namespace, or an object in one:
  creator         Who makes a namespace becomes its authorization.k8s.io/creator, and stays that.
  opt-out         To opt a namespace out, or in again, needs the right to optout.
  use             A template with policy/namespace-template-require-permission=true selects the
                  namespaces of those alone who have the right to use it.
  initialization  A namespace first gets its objects, and those have to finish that a
                  NamespaceInitializationConfiguration names. Until then others may be created in
                  it only with the right to initialize, for --initialization-timeout at the most.
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
{flags}
Exit codes:
  0     namespaces have all that templates say, or all objects are printed, or with --diff there
        are no differences. Without these flags: a signal has ended it
  1     some object, template or namespace was left out, or failed, with an error each; with --diff:
        there are differences
  2     an error: a wrong flag, a file that cannot be read, no template or no namespace in files.
        Or a cluster without NamespaceTemplates, a server that does not answer
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

namespace {

/// What each of them is for; the rest is for all.
constexpr const char* kOnlyLocal[] = {"filename", "output", "recursive"};
constexpr const char* kNotLocal[] = {"concurrency", "max-rate", "trust-creator-annotation"};
constexpr const char* kOnlyService[] = {"leader-elect", "leader-elect-resource-namespace",
                                        "metrics-port", "resync", "webhooks"};

std::vector<std::string> OnlyWebhooks() {
  std::vector<std::string> names = ServingFlagNames();
  names.insert(names.end(), {"ignore-failures", "initialization-timeout", "opt-out-service-account",
                             "persistent"});
  std::ranges::sort(names);
  return names;
}

template <typename Names>
void RefuseGiven(const cli::FlagSet& flags, bool is_mode, std::string_view mode,
                 const Names& names) {
  for (const auto& name : names) {
    flags.RefuseBoth(is_mode, mode, flags.IsGiven(name), std::string("--") + name);
  }
}

// Of what is in files nothing is written, and what is in a cluster is not printed.
void RefuseOfOther(const cli::FlagSet& flags, const PopulateOptions& options) {
  const bool is_local = options.local;
  flags.RefuseBoth(options.once, "--once", options.diff, "--diff");
  flags.RefuseBoth(options.once, "--once", is_local, "--local");
  flags.RefuseBoth(options.diff, "--diff", is_local, "--local");
  RefuseGiven(flags, options.once, "--once", kOnlyLocal);
  RefuseGiven(flags, options.diff, "--diff", kOnlyLocal);
  RefuseGiven(flags, is_local, "--local", kNotLocal);
  const std::pair<bool, const char*> modes[] = {
      {options.once, "--once"}, {options.diff, "--diff"}, {is_local, "--local"}};
  for (const auto& [is_mode, mode] : modes) {
    RefuseGiven(flags, is_mode, mode, kOnlyService);
    RefuseGiven(flags, is_mode, mode, OnlyWebhooks());
  }
  const bool has_dry_run = flags.IsGiven("dry-run");
  flags.RefuseBoth(is_local, "--local", has_dry_run, "--dry-run");
  flags.RefuseBoth(options.diff, "--diff", has_dry_run, "--dry-run");
  if (options.once || options.diff || is_local) return;
  for (const char* name : kOnlyLocal) {
    if (!flags.IsGiven(name)) continue;
    flags.Refuse(std::string("--") + name + " needs --local");
  }
  if (has_dry_run) flags.Refuse("--dry-run needs --once");
  if (!options.control.population.namespaces.empty()) {
    flags.Refuse("names of namespaces need --once, --diff or --local");
  }
}

void RequireNames(const cli::FlagSet& flags, const std::vector<std::string>& namespaces) {
  for (const std::string& name : namespaces) {
    const auto problems = kube::meta::Dns1123LabelProblems(name);
    if (problems.empty()) continue;
    flags.Refuse("invalid namespace " + kube::go::GoQuote(name) + ": [" +
                 kube::base::Join(problems, " ") + "]");
  }
}

void CheckModes(const cli::FlagSet& flags, const PopulateOptions& options) {
  if (flags.IsGiven("namespace")) {
    flags.Refuse("--namespace has no meaning here; name namespaces as arguments");
  }
  RefuseOfOther(flags, options);
  if (options.local && !flags.IsGiven("filename")) {
    flags.Refuse("--local needs -f: the files with NamespaceTemplates");
  }
  if (options.local) cli::RequireFiles(flags, options.filenames, /*local=*/true);
  RequireNames(flags, options.control.population.namespaces);
}

using migrate::populate::WebhookChoice;
using migrate::populate::WebhookOptions;

std::vector<WebhookChoice*> ChoicesOf(const cli::FlagSet& flags, const std::string& name,
                                      std::string_view flag, WebhookOptions& webhooks) {
  if (name == "creator") return {&webhooks.creator};
  if (name == "opt-out") return {&webhooks.opt_out};
  if (name == "use") return {&webhooks.use};
  if (name == "initialization") return {&webhooks.initialization};
  if (name == "all") {
    return {&webhooks.creator, &webhooks.opt_out, &webhooks.use, &webhooks.initialization};
  }
  flags.Refuse(std::string("invalid ").append(flag) + " value (" + name +
               "), must be \"creator\", \"opt-out\", \"use\", "
               "\"initialization\" or \"all\"");
}

void Set(const cli::FlagSet& flags, bool WebhookChoice::*member, bool value,
         const std::vector<std::string>& names, std::string_view flag, WebhookOptions& webhooks) {
  for (const std::string& name : names) {
    for (WebhookChoice* choice : ChoicesOf(flags, name, flag, webhooks)) choice->*member = value;
  }
}

// Less than a second is as good as none.
std::chrono::seconds ParseSeconds(const cli::FlagSet& flags, const std::string& name,
                                  std::chrono::seconds otherwise) {
  if (!flags.IsGiven(name)) return otherwise;
  return std::chrono::ceil<std::chrono::seconds>(
      flags.ParseDuration("--" + name, flags.TextOf(name)));
}

/// Of webhooks, as they are given.
struct WebhookWords {
  std::vector<std::string> wanted, ignored_failures, opt_out_accounts;
  bool persistent = false;
};

void FinishWebhooks(const cli::FlagSet& flags, const WebhookWords& words,
                    WebhookOptions& webhooks) {
  Set(flags, &WebhookChoice::is_wanted, false, {"all"}, "--webhooks", webhooks);
  Set(flags, &WebhookChoice::is_wanted, true, words.wanted, "--webhooks", webhooks);
  Set(flags, &WebhookChoice::ignore_failures, true, words.ignored_failures, "--ignore-failures",
      webhooks);
  for (const std::string& account : words.opt_out_accounts) {
    auto user = migrate::populate::UserOfServiceAccount(account);
    if (!user) flags.Invalid("--opt-out-service-account", account, user.error());
    webhooks.opt_out_users.insert(*std::move(user));
  }
  webhooks.persistent = words.persistent;
  webhooks.initialization_timeout =
      ParseSeconds(flags, "initialization-timeout", webhooks.initialization_timeout);
}

void FinishService(const cli::FlagSet& flags, const WebhookWords& words, PopulateOptions& options) {
  migrate::populate::ControlOptions& control = options.control;
  control.resync = ParseSeconds(flags, "resync", control.resync);
  cli::RequirePort(flags, "--metrics-port", options.metrics_port);
  const auto problems = kube::meta::Dns1123LabelProblems(options.lease_namespace);
  if (!problems.empty()) {
    flags.Invalid("--leader-elect-resource-namespace", options.lease_namespace,
                  kube::base::Join(problems, " "));
  }
  if (words.wanted.empty()) {
    for (const std::string& name : OnlyWebhooks()) {
      if (flags.IsGiven(name)) flags.Refuse("--" + name + " needs --webhooks");
    }
    return;
  }
  WebhookOptions& webhooks = options.webhooks.emplace();
  FinishWebhooks(flags, words, webhooks);
  control.marks_populated = webhooks.initialization.is_wanted;
  control.initialization_timeout = webhooks.initialization_timeout;
  FinishServing(flags, options.serving);
}

void AddServiceFlags(cli::FlagSet& flags, PopulateOptions& options) {
  const auto ignore = [](const std::string&) {};
  flags.Text("resync", "0", ignore, R"(
        How often everything is applied again, as in 10m or 1h; 0 is never.)");
  flags.Bool("leader-elect", options.leader_elect, R"(
        Populate only while this replica holds the Lease. Without it there must be no other one.)");
  flags.String("leader-elect-resource-namespace", options.lease_namespace, R"(
        The namespace of the Lease.)");
  flags.Int("metrics-port", options.metrics_port, R"(
        Serve /metrics, /healthz and /readyz by HTTP at this port; 0 is nowhere. With --webhooks
        they are at --port too.)");
  const auto words = std::make_shared<WebhookWords>();
  flags.Strings("webhooks", words->wanted, R"(
        Serve these webhooks: creator, opt-out, use, initialization, or all.)");
  flags.Strings("ignore-failures", words->ignored_failures, R"(
        The webhooks whose requests pass while nobody answers: creator, opt-out, use,
        initialization, or all. Those of initialization always do.)");
  flags.Array("opt-out-service-account", words->opt_out_accounts, R"(
        NAMESPACE:NAME of a service account whose namespaces opt out, as they are populated by
        another system. May be given several times.)");
  flags.Text("initialization-timeout", "30s", ignore, R"(
        At this age a namespace takes objects of everybody, whether it has its own or not.)");
  flags.Bool("persistent", words->persistent, R"(
        The webhooks stay in the configurations of --managed when the program ends.)");
  AddServingFlags(flags, options.serving);
  flags.Check([&flags, &options, words] {
    if (!options.once && !options.diff && !options.local) FinishService(flags, *words, options);
  });
}

}  // namespace

void DeclareFlags(cli::FlagSet& flags, PopulateOptions& options) {
  migrate::populate::PopulationOptions& population = options.control.population;
  flags.Arguments(population.namespaces);
  flags.Check([&flags, &options] { CheckModes(flags, options); });
  flags.Bool("once", options.once, R"(
        Bring the namespaces of the cluster to what its NamespaceTemplates say, and end. Their
        CustomResourceDefinition is krew/manifests/populate/crd.yaml.)");
  flags.Bool("diff", options.diff, R"(
        Show what --once would change. Objects are compared as YAML, without managed fields and the
        values of Secrets, by "diff -u -N", or what the environment variable KUBECTL_EXTERNAL_DIFF
        says. As nothing is stored, what needs another object that is only to be made, as a
        RoleBinding its Role, may be refused. Needs the right to get them all.)");
  flags.Bool("local", options.local, R"(
        Contact no server: templates and namespaces come from the files of -f.)");
  cli::AddFileFlags(flags, options.filenames, options.recursive, R"(
        With --local: files or folders with NamespaceTemplates and Namespaces, YAML or JSON, lists
        included; - is stdin.)");
  cli::AddOutputFlag(flags, options.output, cli::kYamlOrJson, R"(
        With --local: yaml, documents separated by ---, or json, one List.)")
      .default_text = "'yaml'";
  cli::AddDryRunFlag(flags, population.dry_run, options.dry_run_warning, R"(
        With --once: must be "none", "server", or "client". With client nothing is sent: what would
        be applied or deleted is told. With server every write is sent and none is stored.)");
  cli::AddMaxRateFlag(flags, population.pace.max_rate, R"(
        The most writes a second; 0 is no limit.)");
  cli::AddConcurrencyFlag(flags, population.pace.concurrency, R"(
        Keep this many namespaces in flight, and fewer only after the server says that it has
        too much to do. By default populate searches: it starts with one, adds more while the
        throughput grows, and stops at 16.)");
  flags.Bool("trust-creator-annotation", population.trusts_creator, R"(
        Go by authorization.k8s.io/creator though it is not proven that the webhook creator guards
        it: whoever may annotate a namespace gets what templates give to $(CREATOR).)");
  AddServiceFlags(flags, options);
}

}  // namespace plugin::command
