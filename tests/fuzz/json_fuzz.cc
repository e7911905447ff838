#include <string>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "kube/json/value_scanner.h"
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

/// What is read at a glance is read the same with care: that is how deep nesting is read.
void RequireSameWithin(const kube::json::Document& document, std::string_view text) {
  constexpr std::size_t kDeep = 600;
  if (text.size() + kDeep > kube::json::kMaxDepth) return;
  kube::json::Document deep;
  const std::string nested = std::string(kDeep, '[').append(text).append(std::string(kDeep, ']'));
  Require(!deep.Parse(nested));
  const kube::json::Value* value = &deep.root();
  for (std::size_t i = 0; i < kDeep; ++i) value = &value->elements()[0];
  Require(kube::json::Print(document.root(), kube::json::KeyOrder::kAsWritten) ==
          kube::json::Print(*value, kube::json::KeyOrder::kAsWritten));
}

// Not by recursion, as values may be nested deeper than a sanitized stack.
std::size_t CountValues(const kube::json::Value& root) {
  std::vector<const kube::json::Value*> left = {&root};
  std::size_t count = 0;
  while (!left.empty()) {
    const kube::json::Value* value = left.back();
    left.pop_back();
    ++count;
    for (const auto& element : value->elements()) left.push_back(&element);
    for (const auto& [key, member] : value->members()) {
      ++count;
      left.push_back(&member);
    }
  }
  return count;
}

}  // namespace

// What is read prints, in each way, to what reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube::json::Document document;
  if (const auto error = document.Parse(fuzz::Text(data, size))) {
    Require(error->offset <= size && kube::base::utf8::IsValid(error->message));
    return 0;
  }
  Require(CountValues(document.root()) <= kube::json::MostValues(fuzz::Text(data, size)));
  Require(json::PrintedSize(document.root()) == json::Print(document.root()).size());
  for (const kube::json::KeyOrder order :
       {kube::json::KeyOrder::kSorted, kube::json::KeyOrder::kAsWritten}) {
    RequireSame(document.root(), kube::json::Print(document.root(), order));
    RequireSame(document.root(), kube::json::PrintIndented(document.root(), order));
  }
  StoreAgain(document);
  RequireSameWithin(document, fuzz::Text(data, size));
  return 0;
}
