#include "plugin/command/check_command.h"

#include <utility>

#include "kube/system/clock.h"
#include "migrate/inspect/transitional_crds.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/run_facts.h"
#include "plugin/access/stop_signal.h"
#include "plugin/check/check_output.h"
#include "plugin/check/check_run.h"
#include "plugin/check/fleet_check.h"
#include "plugin/check/fleet_output.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/fleet_flags.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"
#include "plugin/report/data/guard_writers.h"
#include "plugin/report/data/template_output.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using check::CheckOptions;
using check::CheckOutput;
using check::FailOn;
using migrate::report::CheckReport;

void RequireTransitional(const CheckOptions& options) {
  flags::RefuseBoth("check", options.input.local, "--local", true, "--print-transitional");
  if (options.input.filenames.empty()) {
    throw flags::UsageError("check", "--print-transitional needs the CRDs of an upgrade by -f");
  }
  if (options.output != flags::OutputFormat::kTable &&
      options.output != flags::OutputFormat::kJson &&
      options.output != flags::OutputFormat::kYaml) {
    throw flags::UsageError("check", "--print-transitional prints yaml or json");
  }
}

// Nothing is printed where a CRD is missing: what is piped into kubectl is all or nothing.
int PrintTransitional(const CheckOptions& options) {
  const kube::system::SystemClock clock;
  access::ClusterAccess cluster(
      options.common, access::ClusterAccess::Right::kRead, clock,
      [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  access::CatchStopSignals();
  const migrate::inspect::TransitionalCrds found = migrate::inspect::FindTransitionalCrds(
      options.input.filenames, options.input.recursive, options.input.crds, cluster.session());
  if (const int stopped = access::StopExitCode(); stopped != 0) return stopped;
  for (const std::string& error : found.errors) {
    terminal::WriteStderr("error: " + terminal::Printable(error) + "\n");
  }
  if (!found.errors.empty()) return 2;
  if (found.crds.empty()) {
    terminal::WriteStderr("No CRD of the files lacks a version that objects may be stored in\n");
    return 0;
  }
  ManifestWriter writer(options.output == flags::OutputFormat::kJson ? flags::OutputFormat::kJson
                                                                     : flags::OutputFormat::kYaml);
  for (const auto& crd : found.crds) writer.Write(crd->root());
  writer.Finish();
  return 0;
}

void RequireFleet(const CheckOptions& options) {
  flags::RefuseBoth("check", true, "--contexts", options.input.local, "--local");
  flags::RefuseBoth("check", true, "--contexts", options.print_transitional,
                    "--print-transitional");
  flags::RefuseBoth("check", true, "--contexts", !options.guard_reports.empty(), "--guard-report");
  flags::RequireFilesForMany("check", options.input);
}

CheckReport CheckOne(const CheckOptions& options) {
  // Before anything is asked: a wrong file should not cost a whole check.
  const auto guards = report::data::ReadGuardReports(options.guard_reports);
  CheckReport report = options.input.local ? check::CheckLocal(options) : check::CheckLive(options);
  report::data::AddGuardWriters(guards, report);
  return report;
}

CheckOutput CheckAndPrint(const CheckOptions& options) {
  if (options.fleet.contexts.empty()) {
    const CheckReport report = CheckOne(options);
    return check::PrintCheck(report, options, access::TimeOfDay());
  }
  const migrate::report::FleetReport report = check::CheckFleet(options);
  return check::PrintFleet(report, options, access::TimeOfDay());
}

flags::UsageError InvalidFailOn(const std::string& word) {
  return flags::UsageError("check", "invalid --fail-on value (" + word +
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
      throw flags::UsageError("check", "--fail-on=none cannot be combined with other values");
    }
  }
  return result;
}

}  // namespace

void CheckCommand::AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) {
  flags::AddInputFlags(flag_set, options_.input);
  flags::AddPatienceFlag(flag_set, raw);
  flags::AddReportFlags(flag_set, raw);
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
  flags::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.String("crd-selector", 0, options_.crd_selector);
  flags::AddFleetFlags(flag_set, options_.fleet);
}

void CheckCommand::TakeArguments(std::vector<std::string> arguments) {
  options_.input.crds = std::move(arguments);
}

void CheckCommand::Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) {
  flags::Finish("check", options_.objects, options_.common.connection, flag_set, raw);
  flags::ValidateLabelSelector("check", "--crd-selector", options_.crd_selector);
  options_.output = flags::ParseCheckOutput(raw.output);
  if (options_.output == flags::OutputFormat::kTemplate) {
    options_.output_template = flags::ParseTemplate("check", raw.output, raw.allow_missing_keys);
  }
  if (!expand_.empty()) {
    auto opened = kube::meta::FieldChoice::Parse(expand_);
    if (!opened) throw flags::UsageError("check", "--expand: " + opened.error());
    options_.opened = *std::move(opened);
  }
  if (flag_set.IsGiven("fail-on") && fail_on_.empty()) throw InvalidFailOn("");
  if (flag_set.IsGiven("fail-on")) options_.fail_on = ParseFailOn(fail_on_);
  flags::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.all_objects,
                    "--all-objects");
  flags::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.show_objects,
                    "--show-objects");
  flags::RefuseBoth("check", options_.skip_objects, "--skip-objects", options_.opened.has_value(),
                    "--expand");
  flags::RefuseIfLocal("check", options_.input, options_.objects, options_.crd_selector);
  flags::RefuseBoth("check", options_.input.local, "--local", options_.all_objects,
                    "--all-objects");
  if (flag_set.IsGiven("server-version")) FinishServerVersion();
  flags::RequireFiles("check", options_.input, flag_set);
  flags::FinishFleet("check", options_.fleet, options_.common.connection, flag_set);
  if (!options_.fleet.contexts.empty()) RequireFleet(options_);
  if (options_.print_transitional) RequireTransitional(options_);
}

void CheckCommand::FinishServerVersion() {
  if (!options_.input.local) {
    throw flags::UsageError("check",
                            "--server-version is for --local: a cluster tells its own version");
  }
  const auto release = kube::base::ParseRelease(server_version_);
  if (!release) {
    throw flags::InvalidArgument("check", "--server-version", server_version_,
                                 "must be a release of Kubernetes, as 1.30");
  }
  options_.server_release = *release;
}

int CheckCommand::Run() {
  if (options_.print_transitional) return PrintTransitional(options_);
  report::data::LoadTemplate(options_.output_template);
  const CheckOutput output = CheckAndPrint(options_);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = access::StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

}  // namespace plugin::command
