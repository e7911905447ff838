#include <string>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace json = kube::json;
using fuzz::Require;

void RequireSame(const kube::json::Value& value, const std::string& printed) {
  kube::json::Document back;
  Require(!back.Parse(printed) && kube::json::Equal(value, back.root()));
}

std::string Store(kube::json::Value& value, kube::json::Arena& arena) {
  Require(!kube::json::StoreNumbers(value, arena));
  return kube::json::Print(value);
}

/// What is stored already is stored as it is; but that -0.0 becomes -0 and that 0, as in Go.
void StoreAgain(const kube::json::Document& document) {
  kube::json::Arena arena;
  kube::json::Value stored = kube::json::DeepCopy(document.root(), arena);
  if (kube::json::StoreNumbers(stored, arena)) return;
  const std::string once = kube::json::Print(stored);
  const std::string twice = Store(stored, arena);
  RequireSame(stored, once);
  Require(Store(stored, arena) == twice);
}

}  // namespace

// What is read prints, in each way, to what reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube::json::Document document;
  if (const auto error = document.Parse(fuzz::Text(data, size))) {
    Require(error->offset <= size && kube::base::utf8::IsValid(error->message));
    return 0;
  }
  for (const kube::json::KeyOrder order :
       {kube::json::KeyOrder::kSorted, kube::json::KeyOrder::kAsWritten}) {
    RequireSame(document.root(), kube::json::Print(document.root(), order));
    RequireSame(document.root(), kube::json::PrintIndented(document.root(), order));
  }
  StoreAgain(document);
  return 0;
}
