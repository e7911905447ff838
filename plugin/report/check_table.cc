#include "plugin/report/check_table.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "plugin/report/check_rows.h"
#include "plugin/report/check_sections.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/table.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;

constexpr const char* kIncompleteNote =
    "Some of the input could not be read (see the errors): what was not read may lose fields\n";

using Crds = std::vector<const CrdReport*>;

void AppendRows(std::string& out, const Crds& crds, bool wide, bool titles) {
  TextTable table(titles ? CheckTitles(wide) : std::vector<std::string>());
  for (const CrdReport* crd : crds) table.AddRow(CheckCells(*crd, wide));
  table.AppendTo(out);
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
        .show_objects = options.show_objects,
        .some_objects = !report.object_filter.empty(),
        .show_source = options.wide || HasNamesake(report, *crd),
        .now = options.now};
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
    AppendRows(out, AllCrds(report), options.wide, /*titles=*/false);
    return out;
  }
  const ShownCrds shown = CrdsToShow(report, options.wide);
  if (report.crds.size() > kFewRows) out += Summary(report) + "\n";
  if (!shown.crds.empty()) AppendRows(out, shown.crds, options.wide, /*titles=*/true);
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
