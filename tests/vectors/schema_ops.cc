// The ops that say what is wrong with a schema or CRD: structural, validate-schema,
// nonstructural-condition, validate-crd.
#include "kube/crd/crd_condition.h"
#include "kube/crd/crd_validation.h"
#include "kube/schema/validation.h"
#include "tests/vectors/inputs.h"
#include "tests/vectors/ops.h"

namespace vectors {
namespace {

std::vector<std::string> Strings(const std::vector<kube::meta::FieldError>& errors) {
  std::vector<std::string> strings;
  for (const auto& error : errors) strings.push_back(error.ToString());
  return strings;
}

std::vector<std::string> Strings(const std::vector<kube::crd::CrdFinding>& findings) {
  std::vector<std::string> strings;
  for (const auto& finding : findings) strings.push_back(finding.error.ToString());
  return strings;
}

/// Absent means null.
void CompareCondition(const kube::json::Value& expected,
                      const std::optional<kube::crd::CrdCondition>& got, Mismatches& mismatches) {
  if (expected.is_null() || !got) {
    if (!expected.is_null()) mismatches.Add("condition", kube::json::Print(expected), "none");
    if (got) mismatches.Add("condition", "none", got->message);
    return;
  }
  mismatches.CompareErrors("status", FindString(expected, "status"), got->status);
  mismatches.CompareErrors("reason", FindString(expected, "reason"), got->reason);
  mismatches.CompareErrors("message", FindString(expected, "message"), got->message);
}

void CompareVersion(const kube::json::Value& expected, const kube::crd::VersionProblems& got,
                    Mismatches& mismatches) {
  const std::string name(GetText(expected, "name"));
  mismatches.CompareErrors("version", name, got.version);
  auto conversion_error = got.conversion_error;
  if (conversion_error) {
    conversion_error =
        "failed to check validation schema for version " + name + ": " + *conversion_error;
  }
  mismatches.CompareErrors("conversionError of " + name, FindString(expected, "conversionError"),
                           conversion_error);
  mismatches.CompareStrings("errors of " + name, FindStrings(expected, "errors"),
                            Strings(got.errors));
}

/// conditionErrors and conditionMessage of the CRD's one version.
void CompareConditionOfVersion(const Vector& vector, const kube::crd::Crd& crd,
                               Mismatches& mismatches) {
  const auto problems = kube::crd::FindStructuralProblems(crd);
  if (problems.size() != 1) throw BadVector("not one version");
  mismatches.CompareStrings("conditionErrors", FindStrings(vector.expected, "conditionErrors"),
                            Strings(problems.front().errors));
  const auto condition = kube::crd::NonStructuralSchemaCondition(crd, problems);
  mismatches.CompareErrors("conditionMessage", FindString(vector.expected, "conditionMessage"),
                           condition ? std::optional(condition->message) : std::nullopt);
}

void CompareCrdErrors(const Vector& vector, const kube::crd::Crd& crd, const kube::crd::Crd* old,
                      Mismatches& mismatches) {
  Get(vector.expected, "errors");
  mismatches.CompareAsSets("errors", FindStrings(vector.expected, "errors"),
                           Strings(kube::crd::ValidateCrd(crd, old)));
}

}  // namespace

void ReplayStructural(const Vector& vector, Mismatches& mismatches) {
  Get(vector.expected, vector.expected.Find("inputError") ? "inputError" : "errors");
  const auto expected_conversion_error = FindString(vector.expected, "conversionError");
  // null is what a version without a schema has: there is nothing to read.
  if (!Get(vector.input, "schema").is_null()) {
    const auto props = ReadSchema(vector, mismatches);
    if (!props) return;
    const auto conversion_error = kube::schema::ConversionError(*props);
    mismatches.CompareErrors("conversionError", expected_conversion_error, conversion_error);
    if (conversion_error) return;
    mismatches.CompareStrings("errors", FindStrings(vector.expected, "errors"),
                              Strings(kube::schema::ValidateStructural(*props, "")));
  }
  const auto crd = ReadCrdOrSchema(vector, mismatches);
  if (crd && !expected_conversion_error) CompareConditionOfVersion(vector, *crd, mismatches);
}

void ReplayValidateSchema(const Vector& vector, Mismatches& mismatches) {
  // Of no schema at all there is nothing to say; that a CRD needs one is another rule.
  if (Get(vector.input, "schema").is_null()) {
    Get(vector.expected, "errors");
    return mismatches.CompareAsSets("errors", FindStrings(vector.expected, "errors"), {});
  }
  const auto crd = ReadCrdOrSchema(vector, mismatches);
  if (crd) CompareCrdErrors(vector, *crd, nullptr, mismatches);
}

void ReplayNonStructuralCondition(const Vector& vector, Mismatches& mismatches) {
  const auto crd = ReadCrd(Get(vector.input, "crd"), vector, mismatches);
  if (!crd) return;
  const auto problems = kube::crd::FindStructuralProblems(*crd);
  CompareCondition(Get(vector.expected, "condition"),
                   kube::crd::NonStructuralSchemaCondition(*crd, problems), mismatches);
  const kube::json::Value* versions = vector.expected.Find("versions", kube::json::Type::kArray);
  if (versions == nullptr) return;
  if (versions->size() != problems.size()) throw BadVector("other number of versions");
  for (std::size_t i = 0; i < problems.size(); ++i) {
    CompareVersion(versions->elements()[i], problems[i], mismatches);
  }
}

void ReplayValidateCrd(const Vector& vector, Mismatches& mismatches) {
  const auto crd = ReadCrd(Get(vector.input, "crd"), vector, mismatches);
  if (!crd) return;
  const kube::json::Value* old_value = vector.input.Find("old");
  if (old_value == nullptr) return CompareCrdErrors(vector, *crd, nullptr, mismatches);
  const auto old = ReadCrd(*old_value, vector, mismatches);
  if (old) CompareCrdErrors(vector, *crd, &*old, mismatches);
}

}  // namespace vectors
