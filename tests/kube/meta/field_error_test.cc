#include "kube/meta/field_error.h"

#include <catch2/catch.hpp>

namespace kube::meta {
namespace {

TEST_CASE("Only some types of error print the bad value", "[schema][field_error]") {
  const auto [type, want] = GENERATE(table<ErrorType, std::string>({
      {ErrorType::kRequired, "a.b: Required value: why"},
      {ErrorType::kInvalid, "a.b: Invalid value: \"x\": why"},
      {ErrorType::kForbidden, "a.b: Forbidden: why"},
      {ErrorType::kNotSupported, "a.b: Unsupported value: \"x\": why"},
      {ErrorType::kDuplicate, "a.b: Duplicate value: \"x\": why"},
      {ErrorType::kTooLong, "a.b: Too long: why"},
      {ErrorType::kInternal, "a.b: Internal error: why"},
  }));
  CHECK(FieldError{type, "a.b", "\"x\"", "why"}.ToString() == want);
}

TEST_CASE("An empty detail leaves no colon", "[schema][field_error]") {
  CHECK(FieldError{ErrorType::kRequired, "a", "", ""}.ToString() == "a: Required value");
}

TEST_CASE("Paths are joined without quoting or escaping", "[schema][field_error]") {
  CHECK(Child("", "spec") == "spec");
  CHECK(Child("spec", "type") == "spec.type");
  CHECK(Key("properties", "a.b/c[0]") == "properties[a.b/c[0]]");
  CHECK(Index("spec.versions", 10) == "spec.versions[10]");
}

TEST_CASE("Errors are sorted by the whole string, so a child may come first",
          "[schema][field_error]") {
  std::vector<FieldError> errors = {{ErrorType::kForbidden, "a", "", "x"},
                                    {ErrorType::kRequired, "a.type", "", "y"},
                                    {ErrorType::kForbidden, "a", "", "w"}};
  SortByString(errors);
  CHECK(errors[0].ToString() == "a.type: Required value: y");
  CHECK(errors[1].ToString() == "a: Forbidden: w");
  CHECK(SortedStrings(errors)[2] == "a: Forbidden: x");
}

TEST_CASE("An aggregate drops duplicates and brackets several messages", "[schema][field_error]") {
  CHECK(Aggregate({}).empty());
  CHECK(Aggregate({"a", "a"}) == "a");
  CHECK(Aggregate({"b", "a", "b"}) == "[b, a]");
}

}  // namespace
}  // namespace kube::meta
