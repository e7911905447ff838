#include "migrate/report/object_class.h"

#include <catch2/catch.hpp>
#include <string>

namespace migrate::report {
namespace {

TEST_CASE("Classes are spelled as the report promises", "[migrate][object_class]") {
  std::string names, keys, failures;
  for (std::size_t i = 0; i < kObjectClasses; ++i) {
    const auto object_class = static_cast<ObjectClass>(i);
    names.append(ClassName(object_class)).append(" ");
    keys.append(ClassKey(object_class)).append(" ");
    if (IsFailure(object_class)) failures.append(ClassName(object_class)).append(" ");
  }
  CHECK(names ==
        "rewritten mutated unchanged accepted gone invalid denied webhook-unavailable forbidden "
        "too-large "
        "conflict failed held not-tried ");
  CHECK(keys ==
        "rewritten mutated unchanged accepted gone invalid denied webhookUnavailable forbidden "
        "tooLarge "
        "conflict failed held notTried ");
  CHECK(failures ==
        "invalid denied webhook-unavailable forbidden too-large conflict failed held not-tried ");
}

TEST_CASE("Counts add up, and failures are told apart", "[migrate][object_class]") {
  ClassCounts counts;
  counts[ObjectClass::kRewritten] = 3;
  counts[ObjectClass::kGone] = 2;
  counts[ObjectClass::kHeld] = 4;
  ++counts[ObjectClass::kNotTried];
  CHECK(counts.Total() == 10);
  CHECK(counts.Failures() == 5);
}

}  // namespace
}  // namespace migrate::report
