#include "plugin/report/guard_report_json.h"

#include <catch2/catch.hpp>

namespace plugin::report {
namespace guard_report_json_test {

using migrate::report::GuardReport;

GuardReport SomeReport() {
  return {.run = {.cluster = "https://10.0.0.1:6443",
                  .context = "",
                  .time = "2026-11-25T10:00:00Z",
                  .version = "v0.1.0"},
          .action = "deny",
          .since = "2026-11-25T09:00:00Z",
          .requests = 12,
          .requests_losing_fields = 3,
          .requests_denied = 1,
          .crds = {{.name = "widgets.demo.example.com",
                    .source = "widgets.yaml",
                    .preserve_unknown_fields = true,
                    .unusable_versions = {"v1beta1"}}},
          .writers = {{.crd = "widgets.demo.example.com",
                       .user = "system:serviceaccount:shop:operator",
                       .manager = "operator",
                       .path = "spec.legacyMode",
                       .version = "v1",
                       .requests = 3,
                       .added = 2,
                       .denied = 1,
                       .moved = 0,
                       .first_seen = "2026-11-25T09:10:00Z",
                       .last_seen = "2026-11-25T09:20:00Z",
                       .example_object = "shop/a",
                       .example_path = "spec.legacyMode"}},
          .left_out = 4};
}

TEST_CASE("A GuardReport has its contract's keys", "[plugin][guard_report]") {
  const GuardReport report = SomeReport();
  kube::json::Arena arena;
  CHECK(
      kube::json::Print(ToJson(report, arena), kube::json::KeyOrder::kAsWritten) ==
      R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"GuardReport",)"
      R"("cluster":"https://10.0.0.1:6443","time":"2026-11-25T10:00:00Z","programVersion":"v0.1.0",)"
      R"("since":"2026-11-25T09:00:00Z","action":"deny","summary":{"requests":12,)"
      R"("requestsLosingFields":3,"requestsDenied":1,"fieldsLeftOut":4},)"
      R"("crds":[{"name":"widgets.demo.example.com","source":"widgets.yaml",)"
      R"("preserveUnknownFields":true,"unusableVersions":["v1beta1"]}],)"
      R"("writers":[{"crd":"widgets.demo.example.com","path":"spec.legacyMode",)"
      R"("user":"system:serviceaccount:shop:operator","manager":"operator","version":"v1",)"
      R"("requests":3,"added":2,"denied":1,"moved":0,"firstSeen":"2026-11-25T09:10:00Z",)"
      R"("lastSeen":"2026-11-25T09:20:00Z","exampleObject":"shop/a",)"
      R"("examplePath":"spec.legacyMode"}]})");
}

TEST_CASE("The writers of a printed GuardReport can be read again", "[plugin][guard_report]") {
  const GuardReport report = SomeReport();
  kube::json::Arena arena;
  const auto read = ReadGuardReport(kube::json::Print(ToJson(report, arena)));
  REQUIRE(read);
  CHECK(read->run == report.run);
  CHECK(read->since == report.since);
  CHECK(read->action == "deny");
  CHECK(read->writers == report.writers);
}

TEST_CASE("What is no GuardReport is said to be none", "[plugin][guard_report]") {
  const auto [text, why] = GENERATE(table<std::string, std::string>({
      {"[]", "it is no GuardReport of kubectl-prune/v1alpha1"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"CheckReport"})",
       "it is no GuardReport of kubectl-prune/v1alpha1"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"GuardReport","writers":{}})",
       "it has no list of writers"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"GuardReport","writers":[5]})",
       "a writer in it has no crd or no path"},
  }));
  const auto read = ReadGuardReport(text);
  REQUIRE_FALSE(read);
  CHECK(read.error() == why);
  CHECK(ReadGuardReport("{").error().starts_with("it is no JSON: "));
}

}  // namespace guard_report_json_test
}  // namespace plugin::report
