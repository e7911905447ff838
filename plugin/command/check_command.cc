#include "plugin/command/check_command.h"

#include <utility>

#include "kube/base/clock.h"
#include "migrate/check/transitional_crds.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/fleet_flags.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/check_output.h"
#include "plugin/command/check_run.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/fleet_check.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/guard_writers.h"
#include "plugin/report/report_forms.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {
using migrate::report::CheckReport;

void RequireTransitional(const CheckOptions& options) {
  cli::RefuseBoth("check", options.input.local, "--local", true, "--print-transitional");
  if (options.input.filenames.empty()) {
    throw cli::UsageError("check", "--print-transitional needs the CRDs of an upgrade by -f");
  }
  if (options.output != terminal::OutputFormat::kTable &&
      options.output != terminal::OutputFormat::kJson &&
      options.output != terminal::OutputFormat::kYaml) {
    throw cli::UsageError("check", "--print-transitional prints yaml or json");
  }
}

// Nothing is printed where a CRD is missing: what is piped into kubectl is all or nothing.
int PrintTransitional(const CheckOptions& options) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  CatchStopSignals();
  const migrate::check::TransitionalCrds found = migrate::check::FindTransitionalCrds(
      options.input.filenames, options.input.recursive, options.input.crds, cluster.session());
  if (const int stopped = StopExitCode(); stopped != 0) return stopped;
  for (const std::string& error : found.errors) {
    terminal::WriteStderr("error: " + terminal::Printable(error) + "\n");
  }
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

void RequireFleet(const CheckOptions& options) {
  cli::RefuseBoth("check", true, "--contexts", options.input.local, "--local");
  cli::RefuseBoth("check", true, "--contexts", options.print_transitional, "--print-transitional");
  cli::RefuseBoth("check", true, "--contexts", !options.guard_reports.empty(), "--guard-report");
  cli::RequireFilesForMany("check", options.input);
}

CheckReport CheckOne(const CheckOptions& options) {
  // Before anything is asked: a wrong file should not cost a whole check.
  const auto guards = report::ReadGuardReports(options.guard_reports);
  CheckReport report = options.input.local ? CheckLocal(options) : CheckLive(options);
  report::AddGuardWriters(guards, report);
  return report;
}

CheckOutput CheckAndPrint(const CheckOptions& options) {
  if (options.fleet.contexts.empty()) {
    const CheckReport report = CheckOne(options);
    return PrintCheck(report, options, TimeOfDay());
  }
  const migrate::report::FleetReport report = CheckFleet(options);
  return PrintFleet(report, options, TimeOfDay());
}

cli::UsageError InvalidFailOn(const std::string& word) {
  return cli::UsageError("check", "invalid --fail-on value (" + word +
                                      "), must be \"blocked\", \"loses-fields\", "
                                      "\"invalid\", \"migration-needed\" or \"none\"");
}

FailOn ParseFailOn(const std::vector<std::string>& words) {
  FailOn result{
      .blocked = false, .loses_fields = false, .invalid = false, .migration_needed = false};
  for (const std::string& word : words) {
    if (word == "blocked") {
      result.blocked = true;
    } else if (word == "loses-fields") {
      result.loses_fields = true;
    } else if (word == "invalid") {
      result.invalid = true;
    } else if (word == "migration-needed") {
      result.migration_needed = true;
    } else if (word != "none") {
      throw InvalidFailOn(word);
    } else if (words.size() > 1) {
      throw cli::UsageError("check", "--fail-on=none cannot be combined with other values");
    }
  }
  return result;
}

}  // namespace

void CheckCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddInputFlags(flag_set, options_.input);
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddReportFlags(flag_set, raw);
  flag_set.Bool("show-objects", 0, options_.show_objects);
  flag_set.Strings("expand", 0, expand_);
  flag_set.Bool("skip-objects", 0, options_.skip_objects);
  flag_set.Bool("all-objects", 0, options_.all_objects);
  flag_set.String("state-dir", 0, options_.state_dir);
  flag_set.Strings("fail-on", 0, fail_on_);
  flag_set.Strings("guard-report", 0, options_.guard_reports);
  flag_set.Strings("ignore", 0, options_.ignore);
  flag_set.Bool("no-headers", 0, options_.no_headers);
  flag_set.String("server-version", 0, server_version_);
  flag_set.Bool("print-transitional", 0, options_.print_transitional);
  cli::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.String("crd-selector", 0, options_.crd_selector);
  cli::AddFleetFlags(flag_set, options_.fleet);
}

void CheckCommand::SetArguments(std::vector<std::string> arguments) {
  options_.input.crds = std::move(arguments);
}

void CheckCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  cli::Finish("check", options_.objects, options_.common.connection, flag_set, raw);
  cli::ValidateLabelSelector("check", "--crd-selector", options_.crd_selector);
  options_.output = cli::ParseCheckOutput(raw.output);
  if (options_.output == terminal::OutputFormat::kTemplate) {
    options_.output_template = cli::ParseTemplate("check", raw.output, raw.allow_missing_keys);
  }
  if (!expand_.empty()) {
    auto opened = kube::meta::FieldChoice::Parse(expand_);
    if (!opened) throw cli::UsageError("check", "--expand: " + opened.error());
    options_.opened = *std::move(opened);
  }
  if (flag_set.IsGiven("fail-on") && fail_on_.empty()) throw InvalidFailOn("");
  if (flag_set.IsGiven("fail-on")) options_.fail_on = ParseFailOn(fail_on_);
  cli::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.all_objects,
                  "--all-objects");
  cli::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.show_objects,
                  "--show-objects");
  cli::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.opened.has_value(),
                  "--expand");
  cli::RefuseIfLocal("check", options_.input, options_.objects, options_.crd_selector);
  cli::RefuseBoth("check", options_.input.local, "--local", options_.all_objects, "--all-objects");
  if (flag_set.IsGiven("server-version")) FinishServerVersion();
  cli::RequireFiles("check", options_.input, flag_set);
  cli::FinishFleet("check", options_.fleet, options_.common.connection, flag_set);
  if (!options_.fleet.contexts.empty()) RequireFleet(options_);
  if (options_.print_transitional) RequireTransitional(options_);
}

void CheckCommand::FinishServerVersion() {
  if (!options_.input.local) {
    throw cli::UsageError("check",
                          "--server-version is for --local: a cluster tells its own version");
  }
  const auto release = kube::base::ParseRelease(server_version_);
  if (!release) {
    throw cli::InvalidArgument("check", "--server-version", server_version_,
                               "must be a release of Kubernetes, as 1.30");
  }
  options_.server_release = *release;
}

int CheckCommand::Run() {
  if (options_.print_transitional) return PrintTransitional(options_);
  report::LoadTemplate(options_.output_template);
  const CheckOutput output = CheckAndPrint(options_);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
