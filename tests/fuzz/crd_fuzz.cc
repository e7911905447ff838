#include <memory>

#include "kube/base/utf8.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_condition.h"
#include "kube/crd/custom_resource.h"
#include "kube/crd/rules/crd_validation.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;

void RequireText(const std::string& text) { Require(!text.empty() && kube::utf8::IsValid(text)); }

void Validate(const kube::Crd& crd) {
  const auto problems = kube::FindStructuralProblems(crd);
  Require(problems.size() == crd.versions.size());
  kube::NonStructuralSchemaCondition(crd, problems);
  kube::schema::PatternChecks patterns = kube::MakePatternChecks();
  for (const kube::CrdFinding& finding : kube::ValidateCrdRequest(crd, nullptr, patterns)) {
    RequireText(finding.error.ToString());
  }
  // Nothing changes: what the server let in once it keeps. It only must not crash here.
  kube::ValidateCrdRequest(crd, &crd, patterns);
}

}  // namespace

// Any JSON is a CRD that can be judged and served, or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto document = std::make_unique<kube::json::Document>();
  if (document->Parse(fuzz::Text(data, size))) return 0;
  kube::IsCrd(document->root());
  const auto crd = kube::ReadCrd(std::move(document));
  if (!crd) {
    RequireText(crd.error());
    return 0;
  }
  Validate(*crd);
  for (const bool preserve : {false, true}) kube::CustomResourceServer(*crd, preserve);
  return 0;
}
