#include "plugin/command/guard_command.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "kube/admission/endpoint.h"
#include "kube/admission/reply.h"
#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/proposals.h"
#include "migrate/guard/crd_watch.h"
#include "migrate/guard/guard_news.h"
#include "migrate/guard/guarded_crds.h"
#include "migrate/guard/writer_tally.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/webhook_run.h"
#include "plugin/report/guard_report_json.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

constexpr std::chrono::seconds kReportPause(10);

}  // namespace

ReportFile::ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
                       LogFunction tell)
    : path_(std::move(path)), clock_(clock), print_(std::move(print)), tell_(std::move(tell)) {}

void ReportFile::WriteFirst(std::uint64_t revision) {
  WriteNow();
  written_revision_ = revision;
  due_ = clock_.Now() + kReportPause;
}

void ReportFile::WriteIfDue(std::uint64_t revision) {
  if (clock_.Now() < due_) return;
  due_ = clock_.Now() + kReportPause;
  if (written_revision_ != revision && TryToWrite()) written_revision_ = revision;
}

void ReportFile::WriteLast() { TryToWrite(); }

void ReportFile::WriteNow() const {
  if (!path_.empty()) migrate::cluster::ReplacePrivateFileIn(path_, print_());
}

// False: it could not be written.
bool ReportFile::TryToWrite() {
  try {
    WriteNow();
    told_problem_.clear();
  } catch (const kube::base::Error& error) {
    if (std::exchange(told_problem_, error.what()) != error.what()) tell_(error.what());
  }
  return told_problem_.empty();
}

namespace {

using migrate::guard::GuardAction;

constexpr char kCommand[] = "guard";
// What configurations are called that are printed.
constexpr char kPrintedName[] = "guard.kubectl-prune.dev";

GuardAction ParseAction(const std::string& text) {
  if (text.empty() || text == "warn") return GuardAction::kWarn;
  if (text == "deny") return GuardAction::kDeny;
  throw cli::UsageError(kCommand,
                        "invalid --action value (" + text + "), must be \"warn\" or \"deny\"");
}

// Requests are held against all of them or none: a schema that is missing would go unnoticed.
std::vector<migrate::cluster::Proposal> ReadProposed(const cli::InputOptions& input) {
  if (input.filenames.empty()) return {};
  migrate::cluster::Proposals proposals =
      migrate::cluster::ReadProposals(input.filenames, input.recursive);
  if (!proposals.errors.empty()) {
    throw kube::base::Error(kube::base::Join(proposals.errors, "\n"));
  }
  if (proposals.AreNone()) throw kube::base::Error("the files of -f hold no CRD");
  for (const std::string& hint : proposals.hints) Log("note: " + hint);
  return std::move(proposals.crds);
}

/// A guard and its report, from the beginning of a run to its end.
class GuardRun {
 public:
  explicit GuardRun(const GuardCommandOptions& options)
      : options_(options),
        crds_({.names = options.input.crds,
               .all = options.all,
               .keeps_rules = !options.mutations.empty()},
              ReadProposed(options.input)),
        guard_(crds_, tally_,
               {.action = options.action,
                .mutation = migrate::check::ReadMutations(options.mutations),
                .contact = options.contact,
                .tell = Log}),
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

  const GuardCommandOptions& options_;
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

void GuardCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues&) {
  AddServingFlags(flag_set, options_.serving, reach_);
  flag_set.String("action", 0, action_);
  flag_set.Bool("all", 0, options_.all);
  flag_set.String("contact", 0, options_.contact);
  flag_set.Strings("filename", 'f', options_.input.filenames);
  flag_set.Bool("recursive", 'R', options_.input.recursive);
  flag_set.Array("mutation", 0, options_.mutations);
  flag_set.String("report-file", 0, options_.report_file);
}

void GuardCommand::SetArguments(std::vector<std::string> arguments) {
  options_.input.crds = std::move(arguments);
}

void GuardCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues&) {
  options_.action = ParseAction(action_);
  if (kube::admission::WarningLine(options_.contact) != options_.contact) {
    throw cli::UsageError(kCommand,
                          "--contact is shown as a warning, which is one line of 120 "
                          "characters at most");
  }
  if (flag_set.IsGiven("namespace")) {
    throw cli::UsageError(kCommand,
                          "--namespace has no meaning here: objects of all namespaces are guarded");
  }
  FinishServing(kCommand, reach_, options_.serving);
  cli::RequireFiles(kCommand, options_.input, flag_set);
  const bool are_named = !options_.input.crds.empty();
  cli::RefuseBoth(kCommand, are_named, "CRD names", options_.all, "--all");
  if (!are_named && !options_.all && options_.input.filenames.empty()) {
    throw cli::UsageError(kCommand, "name the CRDs to guard, or say --all or -f");
  }
}

int GuardCommand::Run() {
  GuardRun(options_).Serve();
  return 0;
}

}  // namespace plugin::command
