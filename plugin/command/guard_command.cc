#include <chrono>
#include <memory>
#include <utility>

#include "kube/admission/endpoint.h"
#include "kube/admission/reply.h"
#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/proposals.h"
#include "migrate/guard/guard_handlers.h"
#include "migrate/guard/guarded_crds.h"
#include "migrate/guard/writer_tally.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/webhook_run.h"
#include "plugin/report/guard_report_json.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

const std::string_view kGuardHelp =
    R"(Warn of requests, or refuse them, that write what pruning would remove

 Serves admission webhooks, which an API server asks before it stores objects of the named CRDs.
While a CRD preserves unknown fields nothing in Kubernetes warns of a field that its schema lacks;
the guard does, between check and migrate: whoever writes such a field gets a warning, as kubectl
shows it, or with --action=deny an error. Who writes what, by user and field manager, is counted:
a line on stderr the first time, all of it at /report (JSON), in --report-file, and at /metrics.

 Only what a request brings is denied. Fields that the object had before, updates of its status and
finalizers, and objects that are being deleted pass with a warning. What changes nothing, as the
rewrites of migrate, passes without one. Where the guard cannot be reached, requests pass, too, at
once or after three seconds. Once the server asks it for the first time, it says so.

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
{flags}
Exit codes:
  0     a signal has ended it
  2     an error

Usage:
  kubectl prune guard [CRD...|--all] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

namespace {

using migrate::guard::GuardAction;

// What configurations are called that are printed.
constexpr char kPrintedName[] = "guard.kubectl-prune.dev";

void AddActionFlag(cli::FlagSet& flags, GuardAction& action) {
  const auto read = [&flags, &action](const std::string& text) {
    if (text == "deny") {
      action = GuardAction::kDeny;
    } else if (!text.empty() && text != "warn") {
      flags.Refuse("invalid --action value (" + text + "), must be \"warn\" or \"deny\"");
    }
  };
  flags
      .Text("action", "'warn'", read, R"(
        What is done about a field that a request brings and pruning would remove: warn, or deny the
        request.)")
      .values = {"deny", "warn"};
}

void Finish(const cli::FlagSet& flags, GuardOptions& options) {
  if (kube::admission::WarningLine(options.guard.contact) != options.guard.contact) {
    flags.Refuse("--contact is shown as a warning, which is one line of 120 characters at most");
  }
  if (flags.IsGiven("namespace")) {
    flags.Refuse("--namespace has no meaning here: objects of all namespaces are guarded");
  }
  FinishServing(flags, options.serving);
  cli::RequireFiles(flags, options.filenames, /*local=*/false);
  const bool are_named = !options.selection.names.empty();
  flags.RefuseBoth(are_named, "CRD names", options.selection.all, "--all");
  if (!are_named && !options.selection.all && options.filenames.empty()) {
    flags.Refuse("name the CRDs to guard, or say --all or -f");
  }
}

}  // namespace

void DeclareFlags(cli::FlagSet& flags, GuardOptions& options) {
  flags.Arguments(options.selection.names);
  AddServingFlags(flags, options.serving);
  AddActionFlag(flags, options.guard.action);
  flags.Bool("all", options.selection.all, R"(
        Guard every CRD of the cluster that preserves unknown fields.)");
  flags.String("contact", options.guard.contact, R"(
        Whom to ask: shown behind the warnings of a request, and in errors. One line of 120
        characters at most.)");
  cli::AddFileFlags(flags, options.filenames, options.recursive, R"(
        Files or folders with CRDs, YAML or JSON, whose schemas count in the place of the cluster's;
        - is stdin. Without CRD names those in the files are guarded.)");
  flags.Array("mutation", options.mutations, cli::CandidateSource::kFiles, R"(
        A file of mutation trees that are applied to what is created or changed; - is stdin.)");
  flags.String("report-file", options.report_file, cli::CandidateSource::kFiles, R"(
        Write the report to this file too, every ten seconds and at the end.)");
  flags.Check([&flags, &options] { Finish(flags, options); });
}

namespace {

// Requests are held against all of them or none: a schema that is missing would go unnoticed.
std::vector<migrate::cluster::Proposal> ReadProposed(const GuardOptions& options) {
  if (options.filenames.empty()) return {};
  migrate::cluster::Proposals proposals =
      migrate::cluster::ReadProposals(options.filenames, options.recursive);
  if (!proposals.errors.empty()) {
    throw kube::base::Error(kube::base::Join(proposals.errors, "\n"));
  }
  if (proposals.AreNone()) throw kube::base::Error("the files of -f hold no CRD");
  for (const std::string& hint : proposals.hints) Log("note: " + hint);
  return std::move(proposals.crds);
}

migrate::guard::GuardOptions Completed(const GuardOptions& options) {
  migrate::guard::GuardOptions guard = options.guard;
  guard.mutation = migrate::check::ReadMutations(options.mutations);
  guard.tell = Log;
  return guard;
}

/// A guard and its report, from the beginning of a run to its end.
class GuardRun {
 public:
  explicit GuardRun(const GuardOptions& options)
      : options_(options),
        crds_(options.selection, ReadProposed(options)),
        guard_(crds_, tally_, Completed(options)),
        handlers_(guard_.ServedHandlers()),
        cluster_(options.common,
                 options.serving.managed.empty() ? ClusterAccess::Right::kRead
                                                 : ClusterAccess::Right::kWrite,
                 clock_, Log),
        endpoint_(handlers_, clock_) {
    endpoint_.AddPage(
        "/report", [this] { return kube::serve::Response{.status = 200, .body = PrintReport()}; });
    endpoint_.AddMetrics([this] { return tally_.PrintMetrics(); });
  }

  void Serve() {
    CatchStopSignals();
    const kube::client::Session session = cluster_.session();
    migrate::guard::CrdWatch watch(crds_, migrate::check::FindCrdsTarget(session.client), session,
                                   Log);
    if (!watch.Begin()) return;
    news_.Begin();
    report_file_.WriteFirst(Revision());
    ServeWebhooks(options_.serving,
                  {.endpoint = endpoint_,
                   .configured = [this] { return guard_.ConfiguredHandlers(); },
                   .revision = [this] { return crds_.revision(); },
                   .advance =
                       [this, &watch] {
                         watch.Advance();
                         news_.Advance();
                         report_file_.WriteIfDue(Revision());
                       },
                   .server_certificate = [this] { return cluster_.ServerCertificate(); },
                   .printed_name = kPrintedName},
                  session, Log, PrintOnce);
    report_file_.WriteLast();
  }

 private:
  // Of the report. Both only grow.
  std::uint64_t Revision() const { return tally_.requests() + crds_.revision(); }

  std::string PrintReport() const {
    migrate::report::GuardReport report = guard_.Report();
    report.run = cluster_.FactsAt(TimeOfDay());
    kube::json::Arena arena;
    return terminal::PrintJson(report::ToJson(report, arena)) + "\n";
  }

  const GuardOptions& options_;
  const kube::base::SystemClock clock_;
  migrate::guard::GuardedCrds crds_;
  migrate::guard::WriterTally tally_;
  const migrate::guard::Guard guard_;
  const kube::admission::Handlers handlers_;
  ClusterAccess cluster_;
  kube::admission::Endpoint endpoint_;
  migrate::guard::GuardNews news_{crds_, tally_, clock_, Log};
  ReportFile report_file_{options_.report_file, clock_, [this] { return PrintReport(); }, Log};
};

}  // namespace

int RunCommand(GuardOptions& options) {
  LeadCommandsTo(options.common.connection);
  options.selection.keeps_schemas = !options.mutations.empty();
  GuardRun(options).Serve();
  return 0;
}

}  // namespace plugin::command
