#include "plugin/report/migration_report_json.h"

#include <catch2/catch.hpp>

#include "plugin/terminal/output.h"

namespace plugin::report {
namespace {

using Catch::Matchers::Contains;
using kube::json::Value;
using migrate::report::CrdMigration;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::rewrite::RetriedObject;

MigrationReport SomeReport() {
  MigrationReport report;
  CrdMigration& crd = report.crds.emplace_back();
  crd.name = "widgets.demo.example.com";
  crd.outcome = migrate::report::Outcome::kFailures;
  crd.storage_version = "v1";
  crd.counts[ObjectClass::kRewritten] = 5;
  crd.counts[ObjectClass::kWebhookUnavailable] = 1;
  crd.counts[ObjectClass::kInvalid] = 1;
  crd.before_pruning.emplace();
  (*crd.before_pruning)[ObjectClass::kUnchanged] = 7;
  crd.stored_before = {"v1beta1", "v1"};
  crd.stored_after = {"v1beta1", "v1"};
  crd.kept_because = "some objects were not rewritten";
  crd.backup = "b.ndjson";
  crd.seconds = 1.23456;
  crd.failures = {{"shop", "w1", ObjectClass::kInvalid, 422, "Invalid", "spec.a: Invalid value"},
                  {"", "w2", ObjectClass::kWebhookUnavailable, 0, "", "no answer"}};
  report.crds.emplace_back().name = "gizmos.demo.example.com";
  report.crds[1].counts[ObjectClass::kRewritten] = 2;
  report.seconds = 2;
  return report;
}

TEST_CASE("How the cluster's own engine did is in the report, where the server has one",
          "[plugin][migration_report]") {
  using migrate::report::EngineEnd;
  MigrationReport report = SomeReport();
  report.crds[0].engine = {.end = EngineEnd::kStuck,
                           .migration = "storageversionmigrations.storagemigration.k8s.io/m",
                           .reason = "nothing of it has changed for 300 s",
                           .seconds = 301.5};
  std::string printed =
      R"({"end":"stuck","migration":"storageversionmigrations.storagemigration.k8s.io/m",)"
      R"("reason":"nothing of it has changed for 300 s","seconds":301.5})";
  SECTION("it was stuck") {}
  SECTION("it was not used") {
    report.crds[0].engine = {.reason = "--engine=own"};
    printed = R"({"end":"not-used","reason":"--engine=own","seconds":0})";
  }
  SECTION("it has succeeded") {
    report.crds[0].engine = {.end = EngineEnd::kSucceeded, .migration = "m", .not_rewritten = 2};
    printed = R"({"end":"succeeded","migration":"m","notRewritten":2,"seconds":0})";
  }
  kube::json::Arena arena;
  const Value json = ToJson(report, arena);
  CHECK(kube::json::Print(*json.Find("crds")->elements()[0].Find("engine")) == printed);
  CHECK(json.Find("crds")->elements()[1].Find("engine") == nullptr);
}

TEST_CASE("What was foretold to be lost, and whether somebody agreed, is in the report",
          "[plugin][migration_report]") {
  MigrationReport report = SomeReport();
  report.run.cluster = "https://10.0.0.1:6443";
  report.crds[0].foretold_loss = {.objects = 9,
                                  .objects_losing_fields = 2,
                                  .pruned_fields = {{.path = "spec.a",
                                                     .objects = 2,
                                                     .types = {"string"},
                                                     .managers = {"helm"},
                                                     .last_written = "",
                                                     .examples = {"shop/w1"}}},
                                  .plan = {"2 of 9 objects would lose 1 field"},
                                  .is_agreed = true};
  kube::json::Arena arena;
  const Value json = ToJson(report, arena);
  CHECK(json.FindText("cluster") == "https://10.0.0.1:6443");
  CHECK(kube::json::Print(*json.Find("crds")->elements()[0].Find("foretoldLoss")) ==
        R"({"agreed":true,"objects":9,"objectsLosingFields":2,)"
        R"("plan":["2 of 9 objects would lose 1 field"],"prunedFields":[{"examples":["shop/w1"],)"
        R"("managers":["helm"],"objects":2,"path":"spec.a","types":["string"]}]})");
  CHECK(json.Find("crds")->elements()[1].Find("foretoldLoss") == nullptr);
}

TEST_CASE("A MigrationReport is as its contract says", "[plugin][migration_report]") {
  kube::json::Arena arena;
  const MigrationReport report = SomeReport();
  const Value json = ToJson(report, arena);
  CHECK(json.FindText("apiVersion") == "kubectl-prune/v1alpha1");
  CHECK(json.FindText("kind") == "MigrationReport");
  CHECK(kube::json::Print(*json.Find("summary")) ==
        R"({"accepted":0,"conflict":0,"denied":0,"failed":0,"forbidden":0,"gone":0,"held":0,)"
        R"("invalid":1,"listed":9,"mutated":0,"notTried":0,"rewritten":7,"seconds":2,"tooLarge":0,)"
        R"("unchanged":0,"webhookUnavailable":1})");
  REQUIRE(json.Find("crds")->size() == 2);
  const Value& crd = json.Find("crds")->elements()[0];
  CHECK(crd.FindText("name") == "widgets.demo.example.com");
  CHECK(crd.FindText("outcome") == "failures");
  CHECK(crd.FindText("storageVersion") == "v1");
  CHECK(crd.FindText("backup") == "b.ndjson");
  CHECK(crd.Find("seconds")->text() == "1.235");
  CHECK_FALSE(crd.Find("verified")->AsBool());
  CHECK(crd.Find("beforeFlip")->Find("unchanged")->text() == "7");
  CHECK(kube::json::Print(*crd.Find("storedVersions")) ==
        R"({"after":["v1beta1","v1"],"before":["v1beta1","v1"],)"
        R"("keptBecause":"some objects were not rewritten"})");
  CHECK(kube::json::Print(*crd.Find("failures")) ==
        R"([{"class":"invalid","code":422,"message":"spec.a: Invalid value","name":"w1",)"
        R"("namespace":"shop","reason":"Invalid"},{"class":"webhook-unavailable",)"
        R"("message":"no answer","name":"w2"}])");
  CHECK(json.Find("crds")->elements()[1].Find("beforeFlip") == nullptr);
}

TEST_CASE("CRDs that are left out are named with the reason", "[plugin][migration_report]") {
  using migrate::report::LeftOutReason;
  kube::json::Arena arena;
  MigrationReport report = SomeReport();
  CHECK(ToJson(report, arena).Find("leftOut") == nullptr);
  report.left_out = {{"a.demo.example.com", LeftOutReason::kPreserves},
                     {"b.demo.example.com", LeftOutReason::kBlocked}};
  CHECK(kube::json::Print(*ToJson(report, arena).Find("leftOut")) ==
        R"([{"name":"a.demo.example.com","reason":"preserves-unknown-fields"},)"
        R"({"name":"b.demo.example.com","reason":"blocked"}])");
}

TEST_CASE("The failed objects of a printed report are read again", "[plugin][migration_report]") {
  kube::json::Arena arena;
  const MigrationReport report = SomeReport();
  const std::string text =
      terminal::PrintValue(ToJson(report, arena),
                           GENERATE(terminal::OutputFormat::kJson, terminal::OutputFormat::kYaml));
  const auto objects = ReadFailedObjects(text);
  REQUIRE(objects);
  REQUIRE(objects->size() == 2);
  CHECK((*objects)[0].crd == "widgets.demo.example.com");
  CHECK((*objects)[0].namespace_ == "shop");
  CHECK((*objects)[0].name == "w1");
  CHECK((*objects)[1].namespace_.empty());
  CHECK((*objects)[1].name == "w2");
  for (const RetriedObject& object : *objects) CHECK_FALSE(object.is_held);
}

TEST_CASE("What a printed report names as held is read as held", "[plugin][migration_report]") {
  kube::json::Arena arena;
  MigrationReport report = SomeReport();
  report.crds[0].failures[1].object_class = ObjectClass::kHeld;
  const std::string text =
      terminal::PrintValue(ToJson(report, arena),
                           GENERATE(terminal::OutputFormat::kJson, terminal::OutputFormat::kYaml));
  const auto objects = ReadFailedObjects(text);
  REQUIRE(objects);
  REQUIRE(objects->size() == 2);
  CHECK_FALSE((*objects)[0].is_held);
  CHECK((*objects)[1].is_held);
}

std::string ReportOf(const std::string& crd, const std::string& failures) {
  return R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"MigrationReport","crds":[{"name":")" +
         crd + R"(","failures":[)" + failures + "]}]}";
}

TEST_CASE("An object that is named twice is tried once", "[plugin][migration_report]") {
  const auto objects = ReadFailedObjects(
      ReportOf("a.b", R"({"name":"x"},{"name":"x"},{"name":"x","namespace":"n"})"));
  REQUIRE(objects);
  CHECK(objects->size() == 2);
}

TEST_CASE("An object that is named twice is held if it is once", "[plugin][migration_report]") {
  const std::string held = R"({"name":"x","class":"held"})", failed = R"({"name":"x"})";
  const auto objects =
      ReadFailedObjects(ReportOf("a.b", GENERATE_COPY(held + "," + failed, failed + "," + held)));
  REQUIRE(objects);
  REQUIRE(objects->size() == 1);
  CHECK((*objects)[0].is_held);
}

TEST_CASE("A report without failures has no objects", "[plugin][migration_report]") {
  const auto objects = ReadFailedObjects(ReportOf("a.b", ""));
  REQUIRE(objects);
  CHECK(objects->empty());
}

TEST_CASE("Of a run that did not come to its end nobody knows what failed",
          "[plugin][migration_report]") {
  const std::string outcome = GENERATE("error", "interrupted", "failures");
  std::string text = ReportOf("a.b", "");
  text.replace(text.find(R"("failures")"), 0, R"("outcome":")" + outcome + R"(",)");
  const auto objects = ReadFailedObjects(text);
  CHECK(objects.has_value() == (outcome == "failures"));
  if (!objects) CHECK_THAT(objects.error(), Catch::Contains("run its command again"));
  // With other CRDs that have something to try again, that is what is meant.
  text.replace(text.find("\"crds\":[") + 8, 0, R"({"name":"c.d","failures":[{"name":"x"}]},)");
  REQUIRE(ReadFailedObjects(text));
  CHECK(ReadFailedObjects(text)->size() == 1);
}

TEST_CASE("A file that is no report is refused", "[plugin][migration_report]") {
  const auto [text, why] = GENERATE_COPY(table<std::string, std::string>({
      {"", "it is no MigrationReport"},
      {"{", ""},
      {"a: [", "line 1: did not find expected node content"},
      {"{}", "it is no MigrationReport"},
      {"[1]", "it is no MigrationReport"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"CheckReport"})", "it is no"},
      {R"({"apiVersion":"v2","kind":"MigrationReport"})", "it is no MigrationReport"},
      {ReportOf("a.b", "7"), "names no object"},
      {ReportOf("a.b", "{}"), "names no object"},
      {ReportOf("a.b", R"({"name":7})"), "names no object"},
      {ReportOf("", R"({"name":"x"})"), "no name"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"MigrationReport"})", "no list of CRDs"},
      {R"({"apiVersion":"kubectl-prune/v1alpha1","kind":"MigrationReport","crds":[{"name":"a.b"}]})",
       "no list of failures"},
      {ReportOf("a.b", R"({"name":".."})"), "names no object"},
      {ReportOf("a.b", R"({"name":"x","namespace":"a/b"})"), "names no object"},
      {ReportOf("..", R"({"name":"x"})"), "names no object"},
      {ReportOf("a.b", R"({"name":"x%2f"})"), "names no object"},
  }));
  CAPTURE(text);
  const auto objects = ReadFailedObjects(text);
  REQUIRE_FALSE(objects);
  CHECK_THAT(objects.error(), Contains(why));
}

TEST_CASE("Deep nesting in a report is an error, not a crash", "[plugin][migration_report]") {
  CHECK_FALSE(ReadFailedObjects("{\"a\":" + std::string(100000, '[')));
  CHECK_FALSE(ReadFailedObjects(std::string(100000, '[')));
}

}  // namespace
}  // namespace plugin::report
