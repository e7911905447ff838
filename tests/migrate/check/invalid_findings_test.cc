#include <catch2/catch.hpp>

#include "kube/meta/make_field_error.h"
#include "migrate/check/version_validity.h"
#include "tests/support/test_schema.h"

namespace migrate::check {
namespace invalid_findings_test {

constexpr std::string_view kSchema = R"({"type":"object","properties":{"spec":{"type":"object",
    "properties":{"map":{"type":"object","additionalProperties":{"type":"integer"}},
                  "list":{"type":"array","items":{"type":"string"}}}}}})";

struct Findings {
  report::ValidityReport report;
  std::vector<std::string> refusals;
  bool is_refused;
};

Findings FindingsOf(std::vector<kube::meta::FieldError> errors, const ServerRules& server = {}) {
  const support::TestSchema schema(kSchema);
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"spec":{"map":{"a.b":"x","c":1},"list":["a","b"]}})"));
  VersionValidity::Findings findings;
  for (kube::meta::FieldError& error : errors) {
    findings.errors.push_back({.error = std::move(error), .tolerated = true});
  }
  report::InvalidTally tally;
  Findings found{};
  found.is_refused = AddFindings(findings, object.root(), schema.props, server,
                                 {{.offset = 1}, "ns/one"}, tally, &found.refusals);
  found.report = tally.Report();
  return found;
}

TEST_CASE("What is said of elements and keys folds to one path", "[migrate][invalid_findings]") {
  const Findings found = FindingsOf({
      kube::meta::Invalid("spec.list[0]", "\"a\"", "spec.list[0] in body should match '^x'"),
      kube::meta::Invalid("spec.list[1]", "\"b\"", "spec.list[1] in body should match '^x'"),
      kube::meta::Invalid("<nil>", "\"\"", R"("spec.map.a.b" must not validate the schema (not))"),
      kube::meta::Invalid("<nil>", "\"\"", R"("spec.map.c" must not validate the schema (not))"),
      kube::meta::Invalid("<nil>", "\"\"",
                          "Checked value must be of type integer (default format) in spec.map.c"),
  });
  REQUIRE(found.report.fields.size() == 3);
  CHECK(found.report.fields[0].path == "spec.list[*]");
  CHECK(found.report.fields[0].objects == 1);
  CHECK(found.report.fields[1].path == "spec.map.*");
  CHECK(found.report.fields[2].path == "spec.map.*");
  CHECK(found.refusals.size() == 5);
}

TEST_CASE("A long value hides neither its error nor those behind it",
          "[migrate][invalid_findings]") {
  const std::string value(std::size_t{2} << 20, 'x');
  const Findings found = FindingsOf(
      {kube::meta::Invalid("spec.a", value, "should match"), kube::meta::Required("spec.z")});
  REQUIRE(found.report.fields.size() == 2);
  CHECK(found.report.fields[0].message.size() < 2000);
  CHECK(found.refusals.size() == 2);
  CHECK(found.is_refused);
}

TEST_CASE("What the server tolerates is no refusal", "[migrate][invalid_findings]") {
  const Findings found = FindingsOf({kube::meta::Required("spec.z")}, {.ratchets = true});
  CHECK(found.report.fields.size() == 1);
  CHECK(found.refusals.empty());
  CHECK_FALSE(found.is_refused);
}

TEST_CASE("What only later servers say is no refusal", "[migrate][invalid_findings]") {
  const auto error = kube::meta::Invalid(
      "<nil>", "5000000000", "Checked value must be of type integer with format int32 in spec.z");
  const auto [release, first, is_refused] =
      GENERATE(table<std::optional<kube::base::Release>, std::string, bool>({
          {kube::base::Release{1, 35}, "1.36", false},
          {kube::base::Release{1, 36}, "", true},
          {std::nullopt, "", true},
      }));
  const Findings found = FindingsOf({error}, {.release = release});
  REQUIRE(found.report.fields.size() == 1);
  CHECK(found.report.fields[0].from_release == first);
  CHECK(found.report.Refuses(found.report.fields[0]) == is_refused);
  CHECK(found.refusals.empty() != is_refused);
  CHECK(found.is_refused == is_refused);
}

}  // namespace invalid_findings_test
}  // namespace migrate::check
