#include <string>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace json = kube::json;
using fuzz::Require;

void RequireSame(const json::Value& value, const std::string& printed) {
  json::Document back;
  Require(!back.Parse(printed) && json::Equal(value, back.root()));
}

std::string Store(json::Value& value, json::Arena& arena) {
  Require(!json::StoreNumbers(value, arena));
  return json::Print(value);
}

/// What is stored already is stored as it is; but that -0.0 becomes -0 and that 0, as in Go.
void StoreAgain(const json::Document& document) {
  json::Arena arena;
  json::Value stored = json::DeepCopy(document.root(), arena);
  if (json::StoreNumbers(stored, arena)) return;
  const std::string once = json::Print(stored);
  const std::string twice = Store(stored, arena);
  RequireSame(stored, once);
  Require(Store(stored, arena) == twice);
}

}  // namespace

// What is read prints, in each way, to what reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  json::Document document;
  if (const auto error = document.Parse(fuzz::Text(data, size))) {
    Require(error->offset <= size && kube::utf8::IsValid(error->message));
    return 0;
  }
  for (const json::KeyOrder order : {json::KeyOrder::kSorted, json::KeyOrder::kAsWritten}) {
    RequireSame(document.root(), json::Print(document.root(), order));
    RequireSame(document.root(), json::PrintIndented(document.root(), order));
  }
  StoreAgain(document);
  return 0;
}
