#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/yaml.h"

// Whatever is read must print to what reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  kube::json::Document document;
  if (kube::yaml::Parse(text, 1, document)) return 0;
  kube::json::Document back;
  if (kube::yaml::Parse(kube::yaml::Print(document.root()), 1, back)) std::abort();
  if (!kube::json::Equal(document.root(), back.root())) std::abort();
  return 0;
}
