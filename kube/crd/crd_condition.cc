#include "kube/crd/crd_condition.h"

#include "kube/schema/structural.h"
#include "kube/schema/validation.h"

namespace kube::crd {
namespace {

VersionProblems FindProblems(const CrdVersion& version, std::size_t index) {
  VersionProblems problems{version.name, std::nullopt, {}};
  if (version.schema == nullptr) return problems;
  problems.conversion_error = schema::ConversionError(*version.schema);
  if (!problems.conversion_error) {
    const std::string path = meta::Index("spec.versions", index) + ".schema.openAPIV3Schema";
    problems.errors = schema::ValidateStructural(*version.schema, path);
  }
  return problems;
}

}  // namespace

std::vector<VersionProblems> FindStructuralProblems(const Crd& crd) {
  std::vector<VersionProblems> problems;
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    problems.push_back(FindProblems(crd.versions[i], i));
  }
  return problems;
}

std::optional<CrdCondition> NonStructuralSchemaCondition(
    const Crd& crd, const std::vector<VersionProblems>& problems) {
  std::vector<std::string> messages;
  if (crd.preserve_unknown_fields) {
    messages.emplace_back("spec.preserveUnknownFields: Invalid value: true: must be false");
  }
  for (const VersionProblems& version : problems) {
    // The first schema that cannot be converted ends the controller's work, findings are lost.
    if (version.conversion_error) {
      return CrdCondition{"Unknown", "StructuralError",
                          "failed to check validation schema for version " + version.version +
                              ": " + *version.conversion_error};
    }
    for (const meta::FieldError& error : version.errors) messages.push_back(error.ToString());
  }
  if (messages.empty()) return std::nullopt;
  return CrdCondition{"True", "Violations", meta::Aggregate(messages)};
}

}  // namespace kube::crd
