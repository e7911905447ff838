#include "tests/support/fake_apply.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_object.h"

namespace test_support {
namespace fake_apply_test {

using Catch::Matchers::Contains;

FakeApplied Apply(const FakeApplied& before, const std::string& body, const std::string& manager,
                  bool force = false) {
  return ApplyFake(before.object ? &before.object->root() : nullptr, Parse(body)->root(), manager,
                   force);
}

std::string SpecOf(const FakeApplied& applied) {
  return kube::json::Print(*applied.object->root().Find("spec"));
}

TEST_CASE("An apply is of what its manager has", "[support]") {
  FakeApplied applied = Apply({}, R"({"metadata":{"name":"w"},"spec":{"a":1,"b":{"c":2}}})", "jo");
  applied = Apply(applied, R"({"metadata":{"name":"w"},"spec":{"d":3}})", "flo");
  CHECK(SpecOf(applied) == R"({"a":1,"b":{"c":2},"d":3})");
  applied = Apply(applied, R"({"metadata":{"name":"w"},"spec":{"a":1}})", "jo");
  CHECK(SpecOf(applied) == R"({"a":1,"b":{},"d":3})");
  CHECK(kube::json::Print(
            applied.object->root().Find("metadata")->Find("managedFields")->elements()[1]) ==
        R"({"apiVersion":"","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:a":{}}},)"
        R"("manager":"jo","operation":"Apply"})");
}

TEST_CASE("What another manager has is changed by force alone", "[support]") {
  const FakeApplied applied = Apply({}, R"({"metadata":{"name":"w"},"spec":{"a":1}})", "jo");
  const FakeApplied refused = Apply(applied, R"({"metadata":{"name":"w"},"spec":{"a":2}})", "flo");
  CHECK_FALSE(refused.object);
  CHECK(refused.conflict.status == 409);
  CHECK_THAT(refused.conflict.body,
             Contains(R"(Apply failed with 1 conflict: conflict with \"jo\": .spec.a)"));
  CHECK(SpecOf(Apply(applied, R"({"metadata":{"name":"w"},"spec":{"a":2}})", "flo", true)) ==
        R"({"a":2})");
}

}  // namespace fake_apply_test
}  // namespace test_support
