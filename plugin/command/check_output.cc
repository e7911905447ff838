#include "plugin/command/check_output.h"

#include <algorithm>
#include <set>

#include "migrate/cluster/proposals.h"
#include "migrate/report/program_name.h"
#include "plugin/command/fleet_console.h"
#include "plugin/command/side_by_side.h"
#include "plugin/report/check_report_json.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/check_table.h"
#include "plugin/report/first_screen.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/pages.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using kube::json::Arena;
using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;
using migrate::report::Verdict;

// As a rule a pipeline broke that should have given CRDs. A cluster may have none.
bool FoundNothing(const CheckReport& report, const CheckOptions& options) {
  return report.crds.empty() && options.check.ignored_crds.empty() &&
         !options.check.filenames.empty();
}

// What could not be looked at may hide anything: never exit code 0 or 1.
bool IsIncomplete(const CheckReport& report, const report::FailOn& fail_on) {
  return !report.file_errors.empty() || report.not_all_crds_read ||
         std::ranges::any_of(report.crds, [&](const CrdReport& crd) {
           // Of a schema that the server would refuse it says nothing that an object does not fit
           // it.
           const bool are_objects_missing =
               !crd.object_errors.empty() && !report::IsBlocked(crd, fail_on);
           return crd.verdict == Verdict::kUnknown || are_objects_missing;
         });
}

std::string NothingFound(const CheckOptions& options) {
  if (!options.check.crd_selector.empty()) {
    return "error: no CustomResourceDefinition of the files is a new one, or one of the cluster "
           "that "
           "--crd-selector chooses\n";
  }
  return "error: " + std::string(migrate::cluster::kNoCrdsFound) + "\n";
}

// A person who named no CRD, and asked for no details, gets what fits a screen.
template <typename Report>
std::string FitToScreen(const Report& report, std::string whole, const CheckOptions& options,
                        const report::CheckTableOptions& table) {
  const bool is_asked_for = options.details || options.check.show_objects ||
                            options.check.opened.has_value() || !options.check.crd_names.empty();
  const bool fits = !table.screen.width ||
                    report::LinesOn(whole, *table.screen.width) <= report::kFirstScreenLines;
  if (fits || is_asked_for) return whole;
  return report::PrintFirstScreen(report, table);
}

/// True where what was found is explained below its rows.
bool ShowsSections(const CheckOptions& options) {
  return !options.no_headers && (options.output == terminal::OutputFormat::kTable ||
                                 options.output == terminal::OutputFormat::kWide);
}

// Names and rows say nothing of what they do not vouch for; reports for programs have it all.
std::string PrintNotes(const CheckReport& report, const CheckOptions& options) {
  const bool is_for_people = options.output == terminal::OutputFormat::kTable ||
                             options.output == terminal::OutputFormat::kWide ||
                             options.output == terminal::OutputFormat::kName;
  return is_for_people && !ShowsSections(options) ? report::Notes(report, /*all=*/false) : "";
}

// Wide tables are as wide as they are, and a script may count on rows.
report::Screen ScreenOf(const CheckOptions& options) {
  const bool is_whole = options.output != terminal::OutputFormat::kTable || options.no_headers;
  if (is_whole) return {};
  return {.width = terminal::StdoutWidth(), .has_colours = terminal::CanColourStdout()};
}

// The flags that lead a command to the same CRDs.
std::string ScopeWords(const CheckOptions& options) {
  std::string words = options.local ? " --local" : "";
  if (options.check.recursive) words += " -R";
  for (const std::string& name : options.check.filenames) {
    words += " -f " + (name == "-" ? "FILE" : terminal::ShellWord(name));
  }
  return words + migrate::report::ClusterFlags();
}

report::CheckTableOptions TableOptions(const CheckOptions& options, std::chrono::sys_seconds now) {
  return {.wide = options.output == terminal::OutputFormat::kWide,
          .rows_only = options.no_headers,
          // Who names a CRD wants to know all of it.
          .all_fields = !options.check.crd_names.empty(),
          .all_causes = options.details,
          .show_objects = options.check.show_objects,
          .now = now,
          .screen = ScreenOf(options),
          .scope = ScopeWords(options)};
}

/// What is told on stderr of `report`, as whole lines: what could not be read, and, where `options`
/// want no sections, what they would have said of it.
std::string PrintErrors(const CheckReport& report, const CheckOptions& options) {
  std::string err;
  if (report.not_all_crds_read) {
    err += "error: interrupted: not all CRDs were read\n";
  } else if (FoundNothing(report, options) && report.file_errors.empty()) {
    err += NothingFound(options);
  } else if (report.crds.empty() && options.check.filenames.empty()) {
    err += "No resources found\n";
  }
  for (const std::string& error : report.file_errors)
    err += "error: " + terminal::Printable(error) + "\n";
  for (const std::string& hint : report.file_hints)
    err += "Warning: " + terminal::Printable(hint) + "\n";
  if (ShowsSections(options)) return err;
  return err + report::IncompleteErrors(report) + PrintNotes(report, options);
}

/// The tables that `options` want; on a terminal the first screen, where all would not fit one
/// (plugin/report/first_screen.h). `now` is what ages are counted to.
std::string PrintTable(const CheckReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now) {
  const report::CheckTableOptions table = TableOptions(options, now);
  return FitToScreen(report, report::PrintCheckTable(report, table), options, table);
}

std::string PrintTable(const FleetReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now) {
  const report::CheckTableOptions table = TableOptions(options, now);
  return FitToScreen(report, report::PrintFleetTable(report, table), options, table);
}

// What is handed on to kubectl: a CRD that several clusters have is named once.
std::string PrintCheckedNames(const FleetReport& report) {
  std::set<std::string> names;
  for (const FleetCluster& cluster : report.clusters) {
    for (const CrdReport& crd : cluster.check.crds) names.insert(report::TypedName(crd.name));
  }
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

std::string PrintRemarks(const FleetReport& report, const CheckOptions& options) {
  DeduplicatedMessages remarks;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) remarks.Add(cluster.name, PrintErrors(cluster.check, options));
  }
  return remarks.Print(report.clusters.size());
}

std::string PrintFleetErrors(const FleetReport& report, const CheckOptions& options) {
  std::string err;
  if (!ShowsSections(options)) {
    for (const std::string& line : terminal::LinesOf(report::FleetErrors(report))) {
      err += "error: " + line + "\n";
    }
  }
  return err + PrintRemarks(report, options);
}

}  // namespace

int ExitCode(const CheckReport& report, const CheckOptions& options) {
  if (IsIncomplete(report, options.fail_on) || FoundNothing(report, options)) return 2;
  return std::ranges::any_of(
      report.crds, [&](const CrdReport& c) { return report::IsFinding(c, options.fail_on); });
}

report::Output PrintCheck(const CheckReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now) {
  const auto names = [&report] {
    std::string out;
    for (const CrdReport& crd : report.crds) out += report::TypedName(crd.name) + "\n";
    return out;
  };
  const report::ReportForms forms = {
      .json =
          [&](Arena& arena) { return report::ToJson(report, options.check.show_objects, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = names,
      .table = [&] { return PrintTable(report, options, now); }};
  return {.out = report::PrintForm(forms, options.output, options.output_template),
          .err = PrintErrors(report, options),
          .exit_code = ExitCode(report, options)};
}

report::Output PrintFleet(const FleetReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now) {
  const report::ReportForms forms = {
      .json =
          [&](Arena& arena) { return report::ToJson(report, options.check.show_objects, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return PrintCheckedNames(report); },
      .table = [&] { return PrintTable(report, options, now); }};
  return {.out = report::PrintForm(forms, options.output, options.output_template),
          .err = PrintFleetErrors(report, options),
          .exit_code = WorstExitCode(report.clusters)};
}

}  // namespace plugin::command
