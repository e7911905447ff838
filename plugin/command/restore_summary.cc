#include "plugin/command/restore_summary.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/meta/object_path.h"
#include "plugin/report/restore_report_json.h"
#include "plugin/report/table.h"
#include "plugin/report/template_output.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoredObject;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;
using terminal::OutputFormat;

constexpr std::size_t kMostFailuresShown = 20, kMostObjectsShown = 40;
// A message of a webhook may be a page long.
constexpr std::size_t kMostMessageBytes = 400;

std::string CrdTypedName(const CrdRestore& crd) {
  return "customresourcedefinition.apiextensions.k8s.io/" + terminal::Printable(crd.name);
}

std::string RestoreLine(const CrdRestore& crd) {
  const std::string_view verb = crd.outcome == Outcome::kDone ? "restored" : "not wholly restored";
  const std::string read_back = migrate::report::ReadBackText(crd.verification);
  return CrdTypedName(crd) + " " + std::string(verb) + " (" +
         migrate::report::CountsText(crd.counts) + (read_back.empty() ? "" : "; " + read_back) +
         ")" + std::string(terminal::DryRunSuffix(crd.dry_run)) + "\n";
}

// What was refused has nothing to count.
bool HasObjects(const CrdRestore& crd) {
  const RestoreCounts& counts = crd.counts;
  return crd.outcome != Outcome::kError ||
         counts.Total() > counts[RestoreClass::kNotTried] + counts[RestoreClass::kNotChosen];
}

void AppendObjects(std::string& out, const CrdRestore& crd) {
  if (crd.objects.empty()) return;
  report::TextTable table({"NAMESPACE", "NAME", "CLASS", "FIELDS", "KEPT"});
  for (const RestoredObject& object : crd.objects) {
    table.AddRow({object.namespace_, object.name,
                  std::string(migrate::report::ClassName(object.restore_class)),
                  migrate::report::JoinPaths(object.restored, object.restored_count),
                  migrate::report::JoinPaths(object.kept, object.kept_count)});
  }
  table.AppendTo(out);
}

void AppendFields(std::string& out, const CrdRestore& crd) {
  if (crd.restored.empty()) return;
  report::TextTable table({"FIELD", "OBJECTS", "EXAMPLE"});
  for (const RestoredField& field : crd.restored) {
    table.AddRow(
        {kube::meta::WithLeadingDot(field.path), std::to_string(field.objects), field.example});
  }
  table.AppendTo(out);
}

// Of very many their fields say more.
bool ShowsObjects(const CrdRestore& crd, OutputFormat format) {
  return !crd.objects.empty() &&
         (format == OutputFormat::kWide || crd.objects.size() <= kMostObjectsShown);
}

std::string PrintForPeople(const RestoreReport& report, OutputFormat format) {
  std::string out;
  for (const CrdRestore& crd : report.crds) {
    if (!HasObjects(crd)) continue;
    ShowsObjects(crd, format) ? AppendObjects(out, crd) : AppendFields(out, crd);
    out += RestoreLine(crd);
  }
  return out;
}

std::string PrintRestoredNames(const RestoreReport& report) {
  std::string out;
  for (const CrdRestore& crd : report.crds) {
    if (crd.outcome == Outcome::kDone) out += CrdTypedName(crd) + "\n";
  }
  return out;
}

std::string PrintInFormat(const RestoreReport& report, OutputFormat format) {
  if (format == OutputFormat::kTable || format == OutputFormat::kWide)
    return PrintForPeople(report, format);
  if (format == OutputFormat::kName) return PrintRestoredNames(report);
  if (format != OutputFormat::kJson && format != OutputFormat::kYaml) return "";
  kube::json::Arena arena;
  return terminal::PrintValue(report::ToJson(report, arena), format);
}

std::string FailureText(const RestoreFailure& failure) {
  const std::string slash = failure.namespace_.empty() ? "" : "/";
  return "  " + terminal::Printable(failure.namespace_ + slash + failure.name) + ": " +
         std::string(migrate::report::ClassName(failure.restore_class)) + ": " +
         terminal::Printable(kube::base::utf8::Shortened(failure.message, kMostMessageBytes)) +
         "\n";
}

std::string PrintRestoreAdvice(const CrdRestore& crd) {
  std::string text;
  for (const std::string& advice : migrate::report::AdviceOf(crd)) text += "Next: " + advice + "\n";
  return text;
}

std::string PrintRestoreFailures(const CrdRestore& crd) {
  if (crd.failures.empty()) return "";
  const bool is_one = crd.failures.size() == 1;
  std::string text = terminal::Printable(crd.name) + ": " +
                     kube::base::Count(crd.failures.size(), "object") +
                     (crd.dry_run != DryRun::kNone ? " would not be"
                      : is_one                     ? " was not"
                                                   : " were not") +
                     " restored:\n";
  const std::size_t shown = std::min(crd.failures.size(), kMostFailuresShown);
  for (std::size_t i = 0; i < shown; ++i) text += FailureText(crd.failures[i]);
  if (shown < crd.failures.size()) {
    text += "  and " + std::to_string(crd.failures.size() - shown) +
            " more; -o json names all of them\n";
  }
  return text + PrintRestoreAdvice(crd);
}

std::string PrintKept(const CrdRestore& crd) {
  std::string text;
  for (const RestoredField& field : crd.kept) {
    text += "note: " + terminal::Printable(crd.name) + ": " +
            terminal::Printable(kube::meta::WithLeadingDot(field.path)) + " of " +
            kube::base::Count(field.objects, "object") +
            " stays as others have set or removed it since (" + terminal::Printable(field.example) +
            ")\n";
  }
  return text;
}

std::string PrintRestoreError(const CrdRestore& crd) {
  if (crd.outcome == Outcome::kInterrupted) {
    return terminal::Printable(crd.name) + ": interrupted; the same command goes on where it was\n";
  }
  if (crd.error.empty()) return "";
  return "error: " + terminal::Printable(crd.name) + ": " + terminal::PrintableLines(crd.error) +
         "\n";
}

std::string PrintWideNote(const CrdRestore& crd, OutputFormat format) {
  if (crd.objects.empty() || ShowsObjects(crd, format) || format == OutputFormat::kName) return "";
  return "note: -o wide lists each of the " + std::to_string(crd.objects.size()) + " objects of " +
         terminal::Printable(crd.name) + "\n";
}

// With several CRDs in a backup those that are not named have none that was chosen either.
bool NamesSome(const RestoreReport& report) {
  return std::ranges::any_of(report.crds, [](const CrdRestore& crd) {
    return crd.counts.Total() > crd.counts[RestoreClass::kNotChosen];
  });
}

// As migrate: a namespace that does not exist has no objects either.
std::string PrintNoneChosen(const CrdRestore& crd, const cli::RestoreOptions& options) {
  const bool is_none = crd.counts.Total() == crd.counts[RestoreClass::kNotChosen];
  if (crd.outcome != Outcome::kDone || !is_none) return "";
  const std::string& name = options.objects.namespace_;
  return terminal::Printable(crd.name) + ": no objects found" +
         (name.empty() ? "" : " in namespace " + terminal::Printable(name)) + "\n";
}

std::string PrintRestoreErrors(const RestoreReport& report, const cli::RestoreOptions& options) {
  const OutputFormat format = options.output;
  const bool is_for_people = format == OutputFormat::kTable || format == OutputFormat::kWide ||
                             format == OutputFormat::kName;
  std::string err;
  for (const CrdRestore& crd : report.crds) {
    if (is_for_people && HasObjects(crd)) {
      err += PrintWideNote(crd, format) + PrintKept(crd) + PrintRestoreFailures(crd);
    }
    if (is_for_people && !NamesSome(report)) err += PrintNoneChosen(crd, options);
    err += PrintRestoreError(crd);
  }
  return err;
}

int RestoreExitCode(const RestoreReport& report) {
  int code = 0;
  for (const CrdRestore& crd : report.crds) {
    if (crd.outcome == Outcome::kError) code = 2;
    if (crd.outcome == Outcome::kFailures) code = std::max(code, 1);
  }
  return code;
}

}  // namespace

RestoreOutput PrintRestore(const RestoreReport& report, const cli::RestoreOptions& options) {
  const std::string err = PrintRestoreErrors(report, options);
  const int code = RestoreExitCode(report);
  if (options.output != OutputFormat::kTemplate)
    return {.out = PrintInFormat(report, options.output), .err = err, .exit_code = code};
  kube::json::Arena arena;
  auto printed = report::PrintByTemplate(report::ToJson(report, arena), options.output_template);
  if (printed) return {.out = *std::move(printed), .err = err, .exit_code = code};
  // People are told what was done: it cannot be asked for again.
  return {.out = "",
          .err = PrintForPeople(report, options.output) + err +
                 "error: " + terminal::PrintableLines(printed.error()) + "\n",
          .exit_code = 2};
}

}  // namespace plugin::command
