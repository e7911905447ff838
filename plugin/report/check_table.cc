#include "plugin/report/check_table.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "plugin/report/check_sections.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/table.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::Verdict;

bool IsUnread(const CrdReport& crd) { return crd.verdict == Verdict::kUnknown; }

std::string Structural(const CrdReport& crd) {
  if (!crd.problems.empty()) return "no (" + std::to_string(crd.problems.size()) + ")";
  if (crd.versions.empty()) return "<unknown>";
  return std::ranges::all_of(crd.versions, &migrate::report::VersionReport::structural) ? "yes"
                                                                                        : "no";
}

std::string Objects(const CrdReport& crd) {
  if (crd.objects_skipped) return "<none>";
  if (IsUnread(crd) && crd.object_count == 0) return "<unknown>";
  return std::to_string(crd.object_count);
}

std::string LosingFields(const CrdReport& crd) {
  if (crd.objects_losing_fields > 0) return std::to_string(crd.objects_losing_fields);
  // Nothing is read of a CRD that prunes already, since reads would show no loss.
  if (crd.objects_skipped && !crd.preserve_unknown_fields && !IsUnread(crd)) return "<none>";
  if (crd.objects_skipped || IsUnread(crd)) return "<unknown>";
  if (crd.object_count > 0 && !IsDryRunComplete(crd)) return "<unknown>";
  return "0";
}

std::string Preserves(const CrdReport& crd) {
  if (IsUnread(crd) && crd.versions.empty()) return "<unknown>";
  return crd.preserve_unknown_fields ? "true" : "false";
}

}  // namespace

std::vector<std::string> CheckTitles(bool wide) {
  std::vector<std::string> titles = {"NAME",    "PRESERVES",     "STRUCTURAL",
                                     "OBJECTS", "LOSING-FIELDS", "VERDICT"};
  if (wide) {
    for (const char* title :
         {"MIGRATION-NEEDED", "STORAGE-VERSION", "STORED-VERSIONS", "SERVED-VERSIONS", "SOURCE"}) {
      titles.emplace_back(title);
    }
  }
  return titles;
}

std::vector<std::string> CheckCells(const CrdReport& crd, bool wide) {
  std::vector<std::string> cells = {
      crd.name,     Preserves(crd),    Structural(crd),
      Objects(crd), LosingFields(crd), std::string(terminal::VerdictName(crd.verdict))};
  if (wide) {
    cells.push_back(crd.migration_needed ? "true" : "false");
    cells.push_back(crd.storage_version);
    cells.push_back(kube::base::Join(crd.stored_versions, ","));
    cells.push_back(kube::base::Join(crd.served_versions, ","));
    cells.push_back(crd.source);
  }
  return cells;
}

namespace {

using migrate::report::CheckReport;

using Crds = std::vector<const CrdReport*>;

void AppendRows(std::string& out, const Crds& crds, const CheckTableOptions& options) {
  TextTable table(options.rows_only ? std::vector<std::string>() : CheckTitles(options.wide));
  for (const CrdReport* crd : crds) table.AddRow(CheckCells(*crd, options.wide));
  table.AppendTo(out, "", options.rows_only ? Screen() : options.screen);
}

bool ComesBefore(const CrdReport* a, const CrdReport* b) {
  if (terminal::IsQuiet(*a) != terminal::IsQuiet(*b)) return terminal::IsQuiet(*b);
  return a->verdict < b->verdict;
}

void AppendQuietCount(std::string& out, std::size_t quiet) {
  if (quiet == 0) return;
  out += "... and " + kube::base::Count(quiet, "CRD") +
         " without findings, already pruning (-o wide shows ";
  out += quiet == 1 ? "it)\n" : "them)\n";
}

// `crd` is in report.crds, which is sorted by name.
bool HasNamesake(const CheckReport& report, const CrdReport& crd) {
  const CrdReport* first = report.crds.data();
  const CrdReport* last = first + report.crds.size() - 1;
  return (&crd != first && (&crd - 1)->name == crd.name) ||
         (&crd != last && (&crd + 1)->name == crd.name);
}

void AppendSections(std::string& out, const CheckReport& report, const Crds& crds,
                    const CheckTableOptions& options) {
  for (const CrdReport* crd : crds) {
    const SectionOptions section_options = {
        .wide = options.wide,
        .all_fields = options.all_fields,
        .all_causes = options.all_causes,
        .show_objects = options.show_objects,
        .some_objects = !report.object_filter.empty(),
        .show_source = options.wide || HasNamesake(report, *crd),
        .now = options.now,
        .screen = options.screen};
    const std::string section = PrintSection(*crd, section_options);
    if (!section.empty()) out.append("\n").append(section);
  }
}

Crds AllCrds(const CheckReport& report) {
  Crds crds;
  std::ranges::transform(report.crds, std::back_inserter(crds),
                         [](const CrdReport& crd) { return &crd; });
  return crds;
}

struct ShownCrds {
  Crds crds;
  std::size_t quiet = 0;  // that are only counted
};

ShownCrds CrdsToShow(const CheckReport& report, bool wide) {
  ShownCrds shown{AllCrds(report)};
  if (shown.crds.size() <= kFewRows) return shown;
  std::ranges::stable_sort(shown.crds, ComesBefore);
  if (wide) return shown;
  shown.quiet =
      std::erase_if(shown.crds, [](const CrdReport* crd) { return terminal::IsQuiet(*crd); });
  return shown;
}

void AppendExplanations(std::string& out, const CheckReport& report, const Crds& crds,
                        const CheckTableOptions& options) {
  if (const std::string steps = Steps(report); !steps.empty()) out.append("\n").append(steps);
  AppendSections(out, report, crds, options);
  const bool is_stopped = report.not_all_crds_read && !report.crds.empty();
  const bool is_complete = report.file_errors.empty() && !is_stopped;
  const std::string ready = is_complete ? ReadyNote(report) : kIncompleteNote;
  const std::string notes = ready + InterruptedNote(report) + Notes(report, options.wide);
  if (!notes.empty()) out.append(out.empty() ? "" : "\n").append(notes);
}

}  // namespace

std::string PrintCheckTable(const CheckReport& report, const CheckTableOptions& options) {
  std::string out;
  if (options.rows_only) {
    AppendRows(out, AllCrds(report), options);
    return out;
  }
  const ShownCrds shown = CrdsToShow(report, options.wide);
  if (report.crds.size() > kFewRows) out += Summary(report) + "\n";
  if (!shown.crds.empty()) AppendRows(out, shown.crds, options);
  AppendQuietCount(out, shown.quiet);
  AppendExplanations(out, report, shown.crds, options);
  return out;
}

std::string PrintExplanations(const CheckReport& report, const CheckTableOptions& options) {
  std::string out;
  AppendExplanations(out, report, CrdsToShow(report, options.wide).crds, options);
  return out.starts_with('\n') ? out.substr(1) : out;
}

}  // namespace plugin::report
