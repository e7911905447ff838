#include "plugin/report/population_lines.h"

#include <algorithm>
#include <string_view>

#include "kube/base/text.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::PopulatedObject;
using migrate::report::PopulationClass;
using migrate::report::PopulationRemark;

// "rolebinding.rbac.authorization.k8s.io/owner" (cli-runtime pkg/printers/name.go)
std::string NameOf(const PopulatedObject& object) {
  std::string name = kube::base::ToLower(object.kind);
  if (!object.group.empty()) name += "." + object.group;
  return name + "/" + object.name;
}

// Empty: nothing was done to it.
std::string_view VerbOf(PopulationClass population_class) {
  switch (population_class) {
    case PopulationClass::kApplied:
      return "serverside-applied";
    case PopulationClass::kUnchanged:
      return "unchanged";
    case PopulationClass::kPruned:
      return "pruned";
    case PopulationClass::kGone:
    case PopulationClass::kKept:
    case PopulationClass::kRefused:
    case PopulationClass::kFailed:
      return "";
  }
  return "";
}

std::string_view NameOf(PopulationRemark::Kind kind) {
  switch (kind) {
    case PopulationRemark::Kind::kNote:
      return "note: ";
    case PopulationRemark::Kind::kWarning:
      return "Warning: ";
    case PopulationRemark::Kind::kError:
      return "error: ";
  }
  return "";
}

std::string PopulationRemarkOf(const PopulatedObject& object) {
  const std::string what =
      object.namespace_ + ": " + NameOf(object) + " of the template " + object.template_name;
  switch (object.population_class) {
    case PopulationClass::kRefused:
      return "error: " + what + " is left out: " + object.message;
    case PopulationClass::kFailed:
      return "error: " + what + ": " + object.message;
    case PopulationClass::kKept:
      return "note: " + what + " is not wanted any more, and stays: " + object.message;
    case PopulationClass::kApplied:
    case PopulationClass::kUnchanged:
      return object.message.empty() ? "" : "Warning: " + what + " " + object.message;
    case PopulationClass::kPruned:
    case PopulationClass::kGone:
      return "";
  }
  return "";
}

void AddLine(std::string& to, const std::string& line) {
  if (!line.empty()) to += terminal::Printable(line) + "\n";
}

}  // namespace

Output PrintPopulation(const migrate::report::PopulationReport& report) {
  Output output{};
  for (const PopulationRemark& remark : report.remarks) {
    AddLine(output.err, std::string(NameOf(remark.kind)) + remark.text);
  }
  for (const PopulatedObject& object : report.objects) {
    const std::string_view verb = VerbOf(object.population_class);
    if (!verb.empty()) {
      AddLine(output.out, NameOf(object).append(" ").append(verb).append(" in namespace ") +
                              object.namespace_ +
                              std::string(terminal::DryRunSuffix(report.dry_run)));
    }
    AddLine(output.err, PopulationRemarkOf(object));
  }
  if (report.is_interrupted) {
    AddLine(output.err, "interrupted: run again, and the rest is done");
  }
  const bool has_failures = std::ranges::any_of(report.objects, [](const PopulatedObject& object) {
    return IsFailure(object.population_class);
  });
  output.exit_code = has_failures || report.has_errors || report.is_interrupted ? 1 : 0;
  return output;
}

}  // namespace plugin::report
