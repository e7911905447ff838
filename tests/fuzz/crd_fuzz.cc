#include <memory>

#include "kube/base/utf8.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_condition.h"
#include "kube/crd/crd_validation.h"
#include "kube/crd/custom_resource.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;

void RequireText(const std::string& text) {
  Require(!text.empty() && kube::base::utf8::IsValid(text));
}

void Validate(const kube::crd::Crd& crd) {
  const auto problems = kube::crd::FindStructuralProblems(crd);
  Require(problems.size() == crd.versions.size());
  kube::crd::NonStructuralSchemaCondition(crd, problems);
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  for (const kube::crd::CrdFinding& finding :
       kube::crd::ValidateCrdRequest(crd, nullptr, patterns)) {
    RequireText(finding.error.ToString());
  }
  // Nothing changes: what the server let in once it keeps. It only must not crash here.
  kube::crd::ValidateCrdRequest(crd, &crd, patterns);
}

}  // namespace

// Any JSON is a CRD that can be judged and served, or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto document = std::make_unique<kube::json::Document>();
  if (document->Parse(fuzz::Text(data, size))) return 0;
  kube::crd::IsCrd(document->root());
  const auto crd = kube::crd::ReadCrd(std::move(document));
  if (!crd) {
    RequireText(crd.error());
    return 0;
  }
  Validate(*crd);
  for (const bool preserve : {false, true}) kube::crd::CustomResourceServer(*crd, preserve);
  return 0;
}
