#include "plugin/command/check_command.h"

#include <algorithm>
#include <string_view>

#include "kube/base/error.h"
#include "kube/system/clock.h"
#include "migrate/inspect/cluster_check.h"
#include "migrate/inspect/file_check.h"
#include "migrate/manifests/manifest_crd.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/data/report_json.h"
#include "plugin/report/data/template_output.h"
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
bool FoundNothing(const CheckReport& report, const flags::CheckOptions& options) {
  return report.crds.empty() && options.ignore.empty() && !options.input.filenames.empty();
}

bool IsBlocked(const CrdReport& crd, const flags::FailOn& fail_on) {
  return fail_on.blocked && crd.verdict == Verdict::kBlocked;
}

// What could not be looked at may hide anything: never exit code 0 or 1.
bool IsIncomplete(const CheckReport& report, const flags::FailOn& fail_on) {
  return !report.file_errors.empty() || report.not_all_crds_read ||
         std::ranges::any_of(report.crds, [&](const CrdReport& crd) {
           // Of a schema that the server would refuse it says nothing that an object does not fit
           // it.
           const bool are_objects_missing = !crd.object_errors.empty() && !IsBlocked(crd, fail_on);
           return crd.verdict == Verdict::kUnknown || are_objects_missing;
         });
}

bool IsFinding(const CrdReport& crd, const flags::FailOn& fail_on) {
  return IsBlocked(crd, fail_on) ||
         (fail_on.loses_fields && (crd.objects_losing_fields > 0 || crd.MakesInvalid())) ||
         (fail_on.migration_needed && crd.migration_needed);
}

int ExitCode(const CheckReport& report, const flags::CheckOptions& options) {
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

std::string PrintReport(const CheckReport& report, const flags::CheckOptions& options,
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
    case flags::OutputFormat::kTable:
    case flags::OutputFormat::kWide:
      break;
  }
  return report::text::PrintCheckTable(report,
                                       {.wide = options.output == flags::OutputFormat::kWide,
                                        .rows_only = options.no_headers,
                                        .show_objects = options.show_objects,
                                        .now = now});
}

std::string NothingFound(const flags::CheckOptions& options) {
  if (!options.crd_selector.empty()) {
    return "error: no CustomResourceDefinition of the files is a new one, or one of the cluster "
           "that "
           "--crd-selector chooses\n";
  }
  return "error: " + std::string(migrate::manifests::kNoCrdsFound) + "\n";
}

bool ShowsSections(const flags::CheckOptions& options) {
  return !options.no_headers && (options.output == flags::OutputFormat::kTable ||
                                 options.output == flags::OutputFormat::kWide);
}

std::string PrintErrors(const CheckReport& report, const flags::CheckOptions& options) {
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
  return ShowsSections(options) ? err : err + report::text::IncompleteErrors(report);
}

migrate::inspect::ClusterCheckOptions ClusterOptions(const flags::CheckOptions& options) {
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
          .on_files_read = CatchStopSignals,
          .stop = &StopFlag()};
}

CheckReport CheckLive(const flags::CheckOptions& options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [&progress](const std::string& line) { progress.WriteLine(line); });
  migrate::inspect::ClusterCheckOptions cluster_options = ClusterOptions(options);
  cluster_options.on_progress = [&progress](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  return migrate::inspect::CheckCluster(cluster_options, cluster.client(), clock);
}

migrate::inspect::FileCheckOptions FileOptions(const flags::CheckOptions& options) {
  return {.filenames = options.input.filenames,
          .recursive = options.input.recursive,
          .crd_names = options.input.crds,
          .ignored_crds = options.ignore,
          .skip_objects = options.skip_objects,
          .show_objects = options.show_objects};
}

}  // namespace

int RunCheck(flags::CheckOptions options) {
  report::data::LoadTemplate(options.output_template);
  const CheckReport report =
      options.input.local ? migrate::inspect::CheckFiles(FileOptions(options)) : CheckLive(options);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const CheckOutput output = PrintCheck(report, options, now);
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

CheckOutput PrintCheck(const CheckReport& report, const flags::CheckOptions& options,
                       std::chrono::sys_seconds now) {
  return {.out = PrintReport(report, options, now),
          .err = PrintErrors(report, options),
          .exit_code = ExitCode(report, options)};
}

}  // namespace plugin::command
