#include "plugin/command/check_command.h"

#include <algorithm>
#include <utility>

#include "kube/base/error.h"
#include "kube/system/clock.h"
#include "migrate/inspect/cluster_check.h"
#include "migrate/inspect/file_check.h"
#include "migrate/inspect/transitional_crds.h"
#include "migrate/manifests/manifest_crd.h"
#include "migrate/state/migration_state.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/connection_words.h"
#include "plugin/access/run_facts.h"
#include "plugin/access/stop_signal.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"
#include "plugin/report/data/check_report_json.h"
#include "plugin/report/data/guard_writers.h"
#include "plugin/report/data/template_output.h"
#include "plugin/report/data/upgrade_way.h"
#include "plugin/report/format/print_page.h"
#include "plugin/report/page/check_page.h"
#include "plugin/report/text/check_summary.h"
#include "plugin/report/text/check_table.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::Verdict;

// As a rule a pipeline broke that should have given CRDs. A cluster may have none.
bool FoundNothing(const CheckReport& report, const CheckOptions& options) {
  return report.crds.empty() && options.ignore.empty() && !options.input.filenames.empty();
}

bool IsBlocked(const CrdReport& crd, const FailOn& fail_on) {
  const bool is_refused = crd.apply && !crd.apply->accepted;
  return fail_on.blocked && (crd.verdict == Verdict::kBlocked || is_refused);
}

// What could not be looked at may hide anything: never exit code 0 or 1.
bool IsIncomplete(const CheckReport& report, const FailOn& fail_on) {
  return !report.file_errors.empty() || report.not_all_crds_read ||
         std::ranges::any_of(report.crds, [&](const CrdReport& crd) {
           // Of a schema that the server would refuse it says nothing that an object does not fit
           // it.
           const bool are_objects_missing = !crd.object_errors.empty() && !IsBlocked(crd, fail_on);
           return crd.verdict == Verdict::kUnknown || are_objects_missing;
         });
}

bool IsFindingOfFiles(const CrdReport& crd, const FailOn& fail_on) {
  if (!crd.file_objects) return false;
  return (fail_on.loses_fields && crd.file_objects->objects_losing_fields > 0) ||
         (fail_on.invalid && crd.file_objects->validity.objects > 0);
}

bool IsFinding(const CrdReport& crd, const FailOn& fail_on) {
  return IsBlocked(crd, fail_on) ||
         (fail_on.loses_fields &&
          (crd.objects_losing_fields > 0 || crd.MakesInvalid() || crd.DropsConversion())) ||
         (fail_on.invalid && crd.HasInvalid()) || IsFindingOfFiles(crd, fail_on) ||
         (fail_on.migration_needed && crd.migration_needed);
}

int ExitCode(const CheckReport& report, const CheckOptions& options) {
  if (IsIncomplete(report, options.fail_on) || FoundNothing(report, options)) return 2;
  return std::ranges::any_of(report.crds,
                             [&](const CrdReport& c) { return IsFinding(c, options.fail_on); });
}

std::string PrintNames(const CheckReport& report) {
  std::string out;
  for (const CrdReport& crd : report.crds) {
    out += "customresourcedefinition.apiextensions.k8s.io/" + terminal::Printable(crd.name) + "\n";
  }
  return out;
}

std::string PrintReport(const CheckReport& report, const CheckOptions& options,
                        std::chrono::sys_seconds now) {
  switch (options.output) {
    case flags::OutputFormat::kJson:
    case flags::OutputFormat::kYaml: {
      kube::json::Arena arena;
      return terminal::PrintValue(report::data::ToJson(report, options.show_objects, arena),
                                  options.output);
    }
    case flags::OutputFormat::kTemplate: {
      kube::json::Arena arena;
      auto printed = report::data::PrintByTemplate(
          report::data::ToJson(report, options.show_objects, arena), options.output_template);
      if (!printed) throw kube::base::Error(printed.error());
      return *std::move(printed);
    }
    case flags::OutputFormat::kName:
      return PrintNames(report);
    case flags::OutputFormat::kHtml:
    case flags::OutputFormat::kJunit:
    case flags::OutputFormat::kMarkdown: {
      kube::json::Arena arena;
      return report::format::PrintPage(report::page::PageOf(report),
                                       report::data::ToJson(report, options.show_objects, arena),
                                       options.output);
    }
    case flags::OutputFormat::kTable:
    case flags::OutputFormat::kWide:
    case flags::OutputFormat::kDiff:  // of other commands
    case flags::OutputFormat::kPatch:
      break;
  }
  return report::text::PrintCheckTable(report,
                                       {.wide = options.output == flags::OutputFormat::kWide,
                                        .rows_only = options.no_headers,
                                        // Who names a CRD wants to know all of it.
                                        .all_fields = !options.input.crds.empty(),
                                        .show_objects = options.show_objects,
                                        .now = now});
}

std::string NothingFound(const CheckOptions& options) {
  if (!options.crd_selector.empty()) {
    return "error: no CustomResourceDefinition of the files is a new one, or one of the cluster "
           "that "
           "--crd-selector chooses\n";
  }
  return "error: " + std::string(migrate::manifests::kNoCrdsFound) + "\n";
}

bool ShowsSections(const CheckOptions& options) {
  return !options.no_headers && (options.output == flags::OutputFormat::kTable ||
                                 options.output == flags::OutputFormat::kWide);
}

// Names and rows say nothing of what they do not vouch for; reports for programs have it all.
std::string PrintNotes(const CheckReport& report, const CheckOptions& options) {
  const bool is_for_people = options.output == flags::OutputFormat::kTable ||
                             options.output == flags::OutputFormat::kWide ||
                             options.output == flags::OutputFormat::kName;
  return is_for_people && !ShowsSections(options) ? report::text::Notes(report, /*all=*/false) : "";
}

std::string PrintErrors(const CheckReport& report, const CheckOptions& options) {
  std::string err;
  if (report.not_all_crds_read) {
    err += "error: interrupted: not all CRDs were read\n";
  } else if (FoundNothing(report, options) && report.file_errors.empty()) {
    err += NothingFound(options);
  } else if (report.crds.empty() && options.input.filenames.empty()) {
    err += "No resources found\n";
  }
  for (const std::string& error : report.file_errors)
    err += "error: " + terminal::Printable(error) + "\n";
  for (const std::string& hint : report.file_hints)
    err += "Warning: " + terminal::Printable(hint) + "\n";
  if (ShowsSections(options)) return err;
  return err + report::text::IncompleteErrors(report) + PrintNotes(report, options);
}

migrate::inspect::ClusterCheckOptions ClusterOptions(const CheckOptions& options) {
  return {.crd_names = options.input.crds,
          .ignored_crds = options.ignore,
          .crd_selector = options.crd_selector,
          .filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .namespace_ = options.objects.namespace_,
          .label_selector = options.objects.selector,
          .field_selector = options.objects.field_selector,
          .chunk_size = options.objects.chunk_size,
          .skip_objects = options.skip_objects,
          .all_objects = options.all_objects,
          .show_objects = options.show_objects,
          .opened = options.opened,
          .state_dir = options.state_dir.empty() ? migrate::state::FindStateDir()
                                                 : std::filesystem::path(options.state_dir),
          .on_files_read = access::CatchStopSignals};
}

CheckReport CheckLive(const CheckOptions& options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  access::ClusterAccess cluster(options.common, access::ClusterAccess::Right::kRead, clock,
                                write_line);
  migrate::inspect::ClusterCheckOptions cluster_options = ClusterOptions(options);
  cluster_options.on_progress = [&progress](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  CheckReport report = migrate::inspect::CheckCluster(cluster_options, cluster.session());
  report.steps = report::data::FindUpgradeWay(
      report, {.filenames = options.input.filenames,
               .recursive = options.input.recursive,
               .connection = access::ConnectionWords(options.common.connection)});
  access::WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  report.run = cluster.FactsAt(access::TimeOfDay());
  return report;
}

migrate::inspect::FileCheckOptions FileOptions(const CheckOptions& options) {
  return {.filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .crd_names = options.input.crds,
          .ignored_crds = options.ignore,
          .skip_objects = options.skip_objects,
          .show_objects = options.show_objects,
          .opened = options.opened};
}

CheckReport CheckLocal(const CheckOptions& options) {
  CheckReport report = migrate::inspect::CheckFiles(FileOptions(options));
  report.run = access::LocalFactsAt(access::TimeOfDay());
  return report;
}

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
  flag_set.Bool("print-transitional", 0, options_.print_transitional);
  flags::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.String("crd-selector", 0, options_.crd_selector);
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
  flags::RequireFiles("check", options_.input, flag_set);
  if (options_.print_transitional) RequireTransitional(options_);
}

int CheckCommand::Run() {
  if (options_.print_transitional) return PrintTransitional(options_);
  report::data::LoadTemplate(options_.output_template);
  // Before anything is asked: a wrong file should not cost a whole check.
  const auto guards = report::data::ReadGuardReports(options_.guard_reports);
  CheckReport report = options_.input.local ? CheckLocal(options_) : CheckLive(options_);
  report::data::AddGuardWriters(guards, report);
  const CheckOutput output = PrintCheck(report, options_, access::TimeOfDay());
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = access::StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

CheckOutput PrintCheck(const CheckReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now) {
  return {.out = PrintReport(report, options, now),
          .err = PrintErrors(report, options),
          .exit_code = ExitCode(report, options)};
}

}  // namespace plugin::command
