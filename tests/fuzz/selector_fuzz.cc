#include "kube/client/label_selector.h"
#include "tests/fuzz/fuzz.h"

// A selector is one, or it is told what is wrong with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  for (const auto& problem :
       {kube::client::LabelSelectorProblem(text), kube::client::FieldSelectorProblem(text)}) {
    fuzz::Require(!problem || !problem->empty());
  }
  return 0;
}
