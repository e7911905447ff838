#include <string>
#include <string_view>

#include "kube/yaml/yaml.h"
#include "tests/fuzz/fuzz.h"

// Whatever is read must print to what reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  kube::json::Document document;
  if (kube::yaml::Parse(text, 1, document)) return 0;
  kube::json::Document back;
  fuzz::Require(!kube::yaml::Parse(kube::yaml::Print(document.root()), 1, back));
  fuzz::Require(kube::json::Equal(document.root(), back.root()));
  return 0;
}
