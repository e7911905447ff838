#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/base/result.h"
#include "kube/client/curl_transport.h"
#include "kube/client/kubeconfig.h"
#include "migrate/check/rule_explaining.h"
#include "migrate/check/transitional_crds.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/fleet_report.h"
#include "migrate/report/program_name.h"
#include "migrate/rewrite/migration_state.h"
#include "plugin/cli/flag_set.h"
#include "plugin/command/check_output.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/fleet_clusters.h"
#include "plugin/command/fleet_console.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/side_by_side.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/guard_report_json.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/rule_explanation_json.h"
#include "plugin/report/rule_explanation_text.h"
#include "plugin/report/upgrade_plan.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {

const std::string_view kCheckHelp =
    R"(Report structural problems and the fields that pruning would remove

 Reads the CRDs and custom resources of a cluster, or of files, and writes nothing. For each CRD it
reports what keeps its schemas from being structural, in the words of the API server. It reports,
too, why the server would refuse the CRD with pruning on. For each version it counts the objects
that would lose fields. It names each field with its JSON types, who writes it, when it was last
written, and an example.

 Without a CRD and without -f all CRDs of the cluster are checked. Objects are read from all
namespaces, in chunks, and only if the answer depends on them. That is so for CRDs that preserve
unknown fields, are named or in -f, or may have objects stored in several versions. With --local no
server is contacted, and objects come from the files, too.

 CRDs in the files of -f are checked as a proposed upgrade, against the objects of the cluster: what
it would lose, what it changes, and how many objects each change touches. A server-side dry run
checks whether kubectl apply of each CRD would be accepted, and stores nothing. The report includes
a plan: the steps that bring all these CRDs into the cluster. A CRD that is named and not in the
files is checked as the cluster has it, with a note.

 The verdict of a CRD is the first of these that fits. "unknown": the CRD could not be checked.
"blocked": the server would refuse to turn pruning on, or kubectl apply of the file.
"loses-fields": objects would lose fields, or be invalid once they are pruned. "invalid": the
server would refuse the next write of some object. "ready": pruning can be turned on and nothing is
lost. "pruning": it is on already. If there are many CRDs, those that prune already and have no
findings are only counted. Paths show indices of lists as [*] and keys of maps as *.

If the report is longer than one screen, a terminal shows a summary: the answer, where to begin,
and the CRDs that need something. To see the whole report there, give --details or name a CRD.
Tables fit the width of the terminal. A pipe gets everything.

With --contexts several clusters are checked side by side, each as it would be alone. There is one
table, one report and one exit code, the highest of all. Where one cluster cannot be asked, the
others are checked all the same. A CRD that is not the same in all clusters is shown as such.

Examples:
  # Check all CRDs of the cluster
  kubectl prune check

  # Check one CRD, in another context of the kubeconfig
  kubectl prune check widgets --context staging

  # What would the objects of the cluster lose with the CRDs of an upgrade?
  kubectl prune check -f crds.yaml

  # If the files lack a version that objects are stored in: apply these CRDs, then migrate, first
  kubectl prune check -f crds.yaml --print-transitional | kubectl apply -f -

  # Check several clusters side by side: all contexts that match a pattern, or those in a file
  kubectl prune check --contexts 'prod-*'
  kubectl prune check --contexts @clusters.txt

  # Check the objects with a label in one namespace only
  kubectl prune check widgets.demo.example.com -n shop -l app=frontend

  # Check all CRDs and custom resources in a folder and the folders below it, without a cluster
  kubectl prune check --local -f manifests/ -R

  # Check one CRD of many against objects that were saved before
  kubectl get widgets.demo.example.com -A -o json --show-managed-fields > widgets.json
  kubectl prune check widgets.demo.example.com --local -f crds.yaml -f widgets.json

  # Name each object that would lose a field, for a program
  kubectl prune check --local -f crds.yaml,widgets.json --show-objects -o json

  # Name the CRDs that would lose fields
  kubectl prune check -o jsonpath='{.crds[?(@.verdict=="loses-fields")].name}'

  # Look into lost fields that hold whole JSON objects
  kubectl prune check widgets --expand .spec

  # Why does a rule refuse an object?
  kubectl prune check widgets --explain '.spec[0]' --object shop/frontend

  # A page for those who decide about the upgrade
  kubectl prune check -f crds.yaml -o html > report.html

  # Fail only where the server would refuse a CRD
  kubectl prune check --local -f manifests/ --fail-on=blocked

Options:
{flags}
Exit codes:
  0   no findings
  1   findings that --fail-on counts
  2   an error: a wrong flag, a file that cannot be read, a server that does not answer, a CRD or
      object that cannot be checked. What could be checked is reported all the same

Usage:
  kubectl prune check [CRD...] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

namespace {

using kube::crd::RuleExplanation;
using migrate::check::ExplainOptions;
using migrate::check::ObjectExplanation;
using migrate::report::CheckReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;
using terminal::OutputFormat;

void AddFailOnFlag(cli::FlagSet& flags, report::FailOn& fail_on) {
  const auto refuse = [&flags](const std::string& word) {
    flags.Refuse("invalid --fail-on value (" + word +
                 "), must be \"blocked\", \"loses-fields\", \"invalid\", \"migration-needed\" or "
                 "\"none\"");
  };
  const auto read = [&flags, &fail_on, refuse](const std::vector<std::string>& words) {
    if (words.empty()) refuse("");
    fail_on = {
        .blocked = false, .loses_fields = false, .invalid = false, .migration_needed = false};
    for (const std::string& word : words) {
      if (word == "blocked") {
        fail_on.blocked = true;
      } else if (word == "loses-fields") {
        fail_on.loses_fields = true;
      } else if (word == "invalid") {
        fail_on.invalid = true;
      } else if (word == "migration-needed") {
        fail_on.migration_needed = true;
      } else if (word != "none") {
        refuse(word);
      } else if (words.size() > 1) {
        flags.Refuse("--fail-on=none cannot be combined with other values");
      }
    }
  };
  cli::Flag& flag = flags.List("fail-on", cli::FlagKind::kStrings, read, R"(
        What makes the exit code 1: blocked, loses-fields, invalid (the API server would refuse the
        next write of some object), migration-needed (status.storedVersions is not just the storage
        version), or none.)");
  flag.default_text = "[blocked,loses-fields,invalid]";
  flag.values = {"blocked", "invalid", "loses-fields", "migration-needed", "none"};
}

void AddServerVersionFlag(cli::FlagSet& flags, const bool& local, kube::base::Release& release) {
  const auto read = [&flags, &local, &release](const std::string& text) {
    if (!local) flags.Refuse("--server-version is for --local: a cluster tells its own version");
    const auto parsed = kube::base::ParseRelease(text);
    if (!parsed) {
      flags.Invalid("--server-version", text, "must be a release of Kubernetes, as 1.30");
    }
    release = *parsed;
  };
  flags.Text("server-version", release.ToString(), read, R"(
        With --local, the release of Kubernetes whose rules apply, e.g. 1.30. What only later
        releases refuse is marked so. Objects are validated as new ones, without ratcheting.
        With a cluster, its own release applies.)");
}

void CheckObjectChoice(const cli::FlagSet& flags, const CheckOptions& options) {
  const migrate::check::CheckOptions& check = options.check;
  const std::string skip = "--skip-objects";
  flags.RefuseBoth(check.skip_objects, skip, check.all_objects, "--all-objects");
  flags.RefuseBoth(check.skip_objects, skip, check.show_objects, "--show-objects");
  flags.RefuseBoth(check.skip_objects, skip, check.opened.has_value(), "--expand");
  cli::RefuseIfLocal(flags, options.local, check.objects, check.crd_selector);
  flags.RefuseBoth(options.local, "--local", check.all_objects, "--all-objects");
}

void RequireFleet(const cli::FlagSet& flags, const CheckOptions& options) {
  flags.RefuseBoth(true, "--contexts", options.local, "--local");
  flags.RefuseBoth(true, "--contexts", options.print_transitional, "--print-transitional");
  flags.RefuseBoth(true, "--contexts", !options.guard_reports.empty(), "--guard-report");
  cli::RequireFilesForMany(flags, options.check.filenames);
}

void RequireTransitional(const cli::FlagSet& flags, const CheckOptions& options) {
  flags.RefuseBoth(options.local, "--local", true, "--print-transitional");
  if (options.check.filenames.empty()) {
    flags.Refuse("--print-transitional needs the CRDs of an upgrade by -f");
  }
  if (options.output != terminal::OutputFormat::kTable &&
      options.output != terminal::OutputFormat::kJson &&
      options.output != terminal::OutputFormat::kYaml) {
    flags.Refuse("--print-transitional prints yaml or json");
  }
}

/// True where --explain is given: a rule is explained in the place of a report.
bool Explains(const CheckOptions& options) { return !options.explain.rule_path.empty(); }

/// Takes "NAMESPACE/NAME" or "NAME" apart.
void ReadObject(const cli::FlagSet& flags, const std::string& text, ExplainOptions& explain) {
  const std::size_t slash = text.find('/');
  if (slash != text.npos) explain.namespace_ = text.substr(0, slash);
  explain.object_name = slash == text.npos ? text : text.substr(slash + 1);
  const bool is_whole = !explain.object_name.empty() && slash != 0 &&
                        explain.object_name.find('/') == std::string::npos;
  if (!is_whole) flags.Invalid("--object", text, "must be NAME or NAMESPACE/NAME");
}

void RequireAlone(const cli::FlagSet& flags, const CheckOptions& options) {
  const migrate::check::CheckOptions& check = options.check;
  const auto refuse = [&flags](bool is_given, std::string_view name) {
    flags.RefuseBoth(true, "--explain", is_given, name);
  };
  refuse(!options.fleet.contexts.empty(), "--contexts");
  refuse(options.print_transitional, "--print-transitional");
  refuse(!options.guard_reports.empty(), "--guard-report");
  refuse(check.skip_objects, "--skip-objects");
  refuse(check.all_objects, "--all-objects");
  refuse(check.show_objects, "--show-objects");
  refuse(check.opened.has_value(), "--expand");
  refuse(!check.ignored_crds.empty(), "--ignore");
  refuse(!check.crd_selector.empty(), "--crd-selector");
  refuse(check.objects.has_selectors(), "a selector");
}

void RequireOutput(const cli::FlagSet& flags, OutputFormat output) {
  constexpr OutputFormat kFormats[] = {OutputFormat::kTable, OutputFormat::kWide,
                                       OutputFormat::kJson, OutputFormat::kYaml,
                                       OutputFormat::kTemplate};
  if (std::ranges::find(kFormats, output) != std::end(kFormats)) return;
  flags.Refuse("--explain prints a table, json, yaml or a template of jsonpath");
}

/// What the other flags of check say goes to `explain`.
void FinishExplain(const cli::FlagSet& flags, CheckOptions& options) {
  ExplainOptions& explain = options.explain;
  if (!Explains(options)) {
    if (flags.IsGiven("explain"))
      flags.Refuse("--explain needs the place of a rule, as '.spec[0]'");
    if (!explain.object_name.empty()) flags.Refuse("--object needs a rule by --explain");
    if (!explain.version.empty()) flags.Refuse("--version needs a rule by --explain");
    return;
  }
  if (explain.object_name.empty()) {
    flags.Refuse("--explain needs an object by --object, as NAMESPACE/NAME or NAME");
  }
  RequireAlone(flags, options);
  RequireOutput(flags, options.output);
  const migrate::check::CheckOptions& check = options.check;
  if (check.crd_names.size() > 1 || (check.crd_names.empty() && check.filenames.empty())) {
    flags.Refuse("--explain needs one CRD");
  }
  const std::string& chosen = check.objects.namespace_;
  if (!chosen.empty() && !explain.namespace_.empty() && chosen != explain.namespace_) {
    flags.Refuse("--object names the namespace " + explain.namespace_ + ", and --namespace is " +
                 chosen);
  }
  if (explain.namespace_.empty()) explain.namespace_ = chosen;
  if (!check.crd_names.empty()) explain.crd_name = check.crd_names.front();
  explain.filenames = check.filenames;
  explain.recursive = check.recursive;
  explain.release = check.release;
}

/// --explain, --object and --version of check.
void AddExplainFlags(cli::FlagSet& flags, CheckOptions& options) {
  ExplainOptions& explain = options.explain;
  flags.String("explain", explain.rule_path, R"(
        Instead of a report, evaluate a rule of x-kubernetes-validations on an object, and show each
        step. Give the rule's path as the API server's errors have it, or its field and index, e.g.
        '.spec[0]'. A field without an index, e.g. '.spec.items[*]', means all of its rules.)");
  const auto read = [&flags, &explain](const std::string& text) {
    ReadObject(flags, text, explain);
  };
  flags.Text("object", "", read, R"(
        With --explain, the object, as NAMESPACE/NAME or NAME.)");
  flags.String("version", explain.version, R"(
        With --explain, read the object by the schema of this version. Empty: the version in the
        path given to --explain, if any, else the storage version.)");
  flags.Check([&flags, &options] { FinishExplain(flags, options); });
}

}  // namespace

void DeclareFlags(cli::FlagSet& flags, CheckOptions& options) {
  migrate::check::CheckOptions& check = options.check;
  flags.Arguments(check.crd_names);
  cli::AddObjectFlags(flags, options.common, check.objects);
  cli::AddCrdSelectorFlag(flags, check.crd_selector, R"(
        Check only the CRDs of the cluster whose labels match, e.g. --crd-selector app=operator.)");
  cli::AddReportFlags(
      flags, options.output, options.output_template, [] { return std::span(cli::kCheckOutputs); },
      R"(
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, table, wide, yaml). wide shows more columns and shortens nothing. html is
        one page for a browser or a mail, markdown fits a comment, junit is for CI. A template of
        jsonpath finds things in what json prints, e.g. jsonpath='{.crds[*].name}'.)");
  const auto open = [&flags, &check](const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    auto opened = kube::meta::FieldChoice::Parse(paths);
    if (!opened) flags.Refuse("--expand: " + opened.error());
    check.opened = *std::move(opened);
  };
  flags.List("expand", cli::FlagKind::kStrings, open, R"(
        Look into lost fields that hold objects or arrays, at and below these paths. Paths are
        written as the tables show them. * stands for the keys of a map. (e.g. --expand .spec.files
        or --expand '.spec.files.*').)");
  AddFailOnFlag(flags, options.fail_on);
  flags.Bool("show-objects", check.show_objects, R"(
        List the objects that would lose fields, with these fields by version. Also list objects
        whose next write the API server would refuse, with the reasons.)");
  flags.Bool("skip-objects", check.skip_objects, R"(
        Check the CRDs only.)");
  flags.Bool("all-objects", check.all_objects, R"(
        Read the objects of every CRD, including those that already prune.)");
  flags.Check([&flags, &options] { CheckObjectChoice(flags, options); });
  AddServerVersionFlag(flags, options.local, check.release);
  cli::AddInputFlags(flags, check.filenames, check.recursive, options.local);
  flags.Path("state-dir", check.state_dir, R"(
        The folder where migrate recorded which objects it verified. Empty:
        $XDG_STATE_HOME/kubectl-prune, or ~/.local/state/kubectl-prune.)");
  flags.Strings("guard-report", options.guard_reports, cli::CandidateSource::kFiles, R"(
        A file of "guard --report-file". The report then also shows which clients the guard saw
        writing fields that would be lost.)");
  flags.Strings("ignore", check.ignored_crds, cli::CandidateSource::kCrds, R"(
        CRDs to leave out.)");
  flags.Bool("details", options.details, R"(
        On a terminal, print the whole report for every CRD, and refusals in the server's own words.
        Without it a terminal gets one screen: the answer, where to begin, and the CRDs that need
        something.)");
  flags.Bool("no-headers", options.no_headers, R"(
        Print only a row for each CRD, for scripts: no titles, nothing left out, no explanations.)");
  flags.Bool("print-transitional", options.print_transitional, R"(
        Instead of a report, print transitional CRDs. Apply these, and migrate, before you apply the
        files. If a file lacks a version that objects may be stored in, its transitional CRD has
        that version as the cluster has it. CRDs that preserve unknown fields still do so. The
        output is yaml, or json by -o.)");
  AddExplainFlags(flags, options);
  cli::AddFleetFlags(flags, options.fleet, "Check", "checked");
  flags.Check([&flags, &options] {
    cli::RequireFiles(flags, options.check.filenames, options.local);
    cli::FinishFleet(flags, options.fleet, options.common.connection);
    if (!options.fleet.contexts.empty()) RequireFleet(flags, options);
    if (options.print_transitional) RequireTransitional(flags, options);
  });
}

namespace {

// Nothing is printed where a CRD is missing: what is piped into kubectl is all or nothing.
int PrintTransitional(const CheckOptions& options) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  CatchStopSignals();
  const migrate::check::TransitionalCrds found = migrate::check::FindTransitionalCrds(
      options.check.filenames, options.check.recursive, options.check.crd_names, cluster.session());
  if (const int stopped = StopExitCode(); stopped != 0) return stopped;
  for (const std::string& error : found.errors) terminal::WriteLine("error", error);
  if (!found.errors.empty()) return 2;
  if (found.crds.empty()) {
    terminal::WriteStderr("No CRD of the files lacks a version that objects may be stored in\n");
    return 0;
  }
  ManifestWriter writer(options.output == terminal::OutputFormat::kJson
                            ? terminal::OutputFormat::kJson
                            : terminal::OutputFormat::kYaml);
  for (const auto& crd : found.crds) writer.Write(crd->root());
  writer.Finish();
  return 0;
}

/// Checks the cluster of `options.common`; `write_line` is given warnings and requests, for stderr.
/// Throws as migrate::check::CheckCluster and ClusterAccess.
CheckReport CheckCluster(const CheckOptions& options,
                         const std::function<void(const std::string&)>& write_line) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  auto report = migrate::check::CheckCluster(options.check, cluster.session());
  // The plan of one cluster of a fleet is for that cluster alone; other texts are told of several.
  const migrate::report::ClusterFlagsOfThread flags(ConnectionWords(options.common.connection));
  report::UpgradePlan plan = report::FindUpgradePlan(
      report, {.filenames = options.check.filenames, .recursive = options.check.recursive});
  report.steps = std::move(plan.steps);
  report.steps_done = std::move(plan.done);
  WarnOfMissingNamespace(options.check.objects.namespace_, cluster, write_line);
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

// With progress on stderr; signals are caught once the files are read.
CheckReport CheckLive(CheckOptions& options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  options.check.on_progress = [&](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  options.check.on_files_read = CatchStopSignals;
  return CheckCluster(options, [&](const std::string& line) { progress.WriteLine(line); });
}

CheckReport CheckLocal(const CheckOptions& options) {
  CheckReport report = migrate::check::CheckFiles(options.check);
  report.run = LocalFactsAt(TimeOfDay());
  return report;
}

CheckReport CheckOne(CheckOptions& options) {
  // Before anything is asked: a wrong file should not cost a whole check.
  const auto guards = report::ReadGuardReports(options.guard_reports);
  CheckReport report = options.local ? CheckLocal(options) : CheckLive(options);
  report::AddGuardWriters(guards, report);
  return report;
}

/// One run of CheckFleet.
class FleetCheck {
 public:
  FleetCheck(const CheckOptions& options, const std::vector<std::string>& contexts,
             const kube::client::Kubeconfig& kubeconfig)
      : options_(options),
        kubeconfig_(kubeconfig),
        parallel_(std::min(static_cast<std::size_t>(options.fleet.parallel), contexts.size())),
        console_(contexts.size(), terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock_) {
    for (const std::string& context : contexts) report_.clusters.push_back({.name = context});
  }

  FleetReport Run() {
    RunSideBySide(report_.clusters.size(), parallel_,
                  [this](std::size_t i) { Check(report_.clusters[i]); });
    report_.differences = migrate::report::FindDifferences(report_.clusters);
    // One that the selector leaves out is not missing.
    if (!options_.check.crd_selector.empty()) migrate::report::ForgetMissing(report_.differences);
    report_.run = LocalFactsAt(TimeOfDay());
    return std::move(report_);
  }

 private:
  void Check(FleetCluster& cluster) {
    try {
      if (StopFlag()) throw kube::base::Error("interrupted");
      const std::string why = WhyNowhere(cluster.name, kubeconfig_);
      if (!why.empty()) throw kube::base::Error(why);
      cluster.check = CheckCluster(OptionsOf(cluster), [&](const std::string& line) {
        console_.WriteLine(cluster.name, line);
      });
      cluster.exit_code = ExitCode(cluster.check, options_);
    } catch (const std::exception& error) {
      cluster.error = error.what();
      cluster.is_interrupted = StopFlag();
      cluster.exit_code = kFailedExitCode;
    }
    console_.End(cluster.name);
  }

  CheckOptions OptionsOf(FleetCluster& cluster) {
    CheckOptions options = options_;
    options.common.connection.context = cluster.name;
    options.check.on_progress = [this, &cluster](const std::string& what, const auto& counts) {
      console_.Show(cluster.name, what, counts);
    };
    options.check.on_schemas = [&cluster](const std::string& crd,
                                          const migrate::report::CrdSchemas& schemas) {
      cluster.schemas[crd] = schemas;
    };
    // The cores are for all of them: more threads would only take memory.
    options.check.workers = std::max<std::size_t>(migrate::cluster::WorkerCount() / parallel_, 1);
    return options;
  }

  const CheckOptions& options_;
  const kube::client::Kubeconfig& kubeconfig_;
  const std::size_t parallel_;
  const kube::base::SystemClock clock_;
  FleetConsole console_;
  FleetReport report_;
};

/// Checks each cluster that `options.fleet` chooses as it would be checked alone, several at once,
/// with progress on stderr. What goes wrong with one is its error in the report; once a signal
/// comes those that were not begun are interrupted. Throws kube::base::Error where the kubeconfig
/// cannot be read, or nothing in it is chosen.
FleetReport CheckFleet(const CheckOptions& options) {
  const kube::client::Kubeconfig kubeconfig = kube::client::LoadKubeconfig(
      options.common.connection.kubeconfig, kube::base::ProcessEnvironment());
  const std::vector<std::string> contexts =
      ChooseContexts(ReadPatterns(options.fleet.contexts), kubeconfig);
  kube::client::CurlTransport::PrepareForThreads();
  CatchStopSignals();
  return FleetCheck(options, contexts, kubeconfig).Run();
}

report::Output CheckAndPrint(CheckOptions& options) {
  if (options.fleet.contexts.empty()) return PrintCheck(CheckOne(options), options, TimeOfDay());
  return PrintFleet(CheckFleet(options), options, TimeOfDay());
}

ObjectExplanation ExplainLive(const CheckOptions& options) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  CatchStopSignals();
  ObjectExplanation explanation =
      migrate::check::ExplainInCluster(options.explain, cluster.session());
  explanation.run = cluster.FactsAt(TimeOfDay());
  return explanation;
}

ObjectExplanation ExplainLocal(const CheckOptions& options) {
  ObjectExplanation explanation = migrate::check::ExplainInFiles(options.explain);
  explanation.run = LocalFactsAt(TimeOfDay());
  return explanation;
}

bool IsFinding(const RuleExplanation& rule, const report::FailOn& fail_on) {
  return rule.compile_error.empty() ? fail_on.invalid && !rule.holds() : fail_on.blocked;
}

/// Prints what the rules say of the object. The exit code: 0 they hold, 1 one does not, or does not
/// compile, and --fail-on counts that. Throws kube::base::Error for all else.
int RunExplain(const CheckOptions& options) {
  const ObjectExplanation explanation =
      options.local ? ExplainLocal(options) : ExplainLive(options);
  if (const int stopped = StopExitCode(); stopped != 0) return stopped;
  const report::ReportForms forms = {
      .json = [&](kube::json::Arena& arena) { return report::ToJson(explanation, arena); },
      .page = {},
      .names = {},
      .table = [&] { return report::PrintExplanation(explanation); }};
  terminal::WriteStdout(report::PrintForm(forms, options.output, options.output_template));
  const bool has_finding = std::ranges::any_of(
      explanation.rules,
      [&options](const RuleExplanation& rule) { return IsFinding(rule, options.fail_on); });
  return has_finding ? 1 : 0;
}

}  // namespace

int RunCommand(CheckOptions& options) {
  if (!options.local) LeadCommandsTo(options.common.connection);
  if (options.check.state_dir.empty()) options.check.state_dir = migrate::rewrite::FindStateDir();
  if (options.print_transitional) return PrintTransitional(options);
  report::LoadTemplate(options.output_template);
  if (Explains(options)) return RunExplain(options);
  return EndRun(CheckAndPrint(options));
}

}  // namespace plugin::command
