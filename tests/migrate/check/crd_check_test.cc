#include "migrate/check/crd_check.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_schema.h"

namespace migrate::check {
namespace crd_check_test {

using Origin = CrdCheckOptions::Origin;
using Strings = std::vector<std::string>;

// v1beta1 knows spec.b, v1 knows spec.a; `more` is put into the spec, `status` behind it.
kube::crd::Crd Widgets(const std::string& more, const std::string& storage = "v1",
                       const std::string& status = R"("storedVersions":["v1"])") {
  const auto version = [&storage](const std::string& name, const std::string& property) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" +
           (name == storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)" +
           R"("properties":{")" + property + R"(":{"type":"string"}}}}}}})";
  };
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com","uid":"u1"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[)" +
      version("v1beta1", "b") + "," + version("v1", "a") + "]" + more + R"(},"status":{)" + status +
      "}}");
  REQUIRE(crd);
  return *std::move(crd);
}

const std::string kPreserves = R"(,"preserveUnknownFields":true)";

// An object with spec.a, spec.b and spec.c, of which managedFields own a spec.gone too.
report::CrdReport ReportOf(const CrdCheck& check) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(
      R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
          "metadata":{"name":"one","namespace":"shop","managedFields":[{"manager":"old-operator",
            "operation":"Update","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:gone":{}}}}]},
          "spec":{"a":"1","b":"2","c":"3"}})"));
  CrdTally tally;
  check.CheckObject({document.root(), {}, ""}, tally);
  return check.Report(tally);
}

Strings Paths(const std::vector<report::FieldUse>& uses) {
  Strings paths;
  for (const report::FieldUse& use : uses) paths.push_back(use.path);
  return paths;
}

TEST_CASE("While a server preserves unknown fields one object tells of all versions",
          "[migrate][crd_check]") {
  const CrdCheck check(Widgets(kPreserves), "", {.origin = Origin::kServer});
  const report::CrdReport report = ReportOf(check);
  CHECK(Paths(report.versions[0].pruned_fields) == Strings{"spec.a", "spec.c"});
  CHECK(Paths(report.versions[1].pruned_fields) == Strings{"spec.b", "spec.c"});
  // Reads show everything, so nothing can be hidden in etcd.
  CHECK(report.maybe_in_etcd.empty());
  CHECK(report.verdict == report::Verdict::kLosesFields);
}

TEST_CASE("Without objects the facts of a CRD are a report of their own", "[migrate][crd_check]") {
  const CrdFacts ready = CrdCheck(Widgets(kPreserves), "w.yaml", {}).facts();
  CHECK(ready.report.objects_skipped);
  CHECK(ready.report.source == "w.yaml");
  CHECK(ready.report.verdict == report::Verdict::kReady);
  CHECK_FALSE(ready.report.versions[1].objects);
  const CrdFacts pruning = CrdCheck(Widgets(""), "", {.origin = Origin::kServer}).facts();
  CHECK(pruning.report.verdict == report::Verdict::kPruning);
  CHECK(pruning.reads_are_pruned);
  CHECK(pruning.read_version == "v1");
  CHECK(pruning.report.versions[0].is_left_out);
  auto unstructured =
      support::TestCrd("v1beta1", R"({"group":"g.example.com","version":"v1","names":
    {"plural":"gs","kind":"G"},"validation":{"openAPIV3Schema":{"properties":{"spec":{}}}}})");
  const CrdFacts blocked = FindCrdFacts(unstructured, "", {});
  CHECK(blocked.report.verdict == report::Verdict::kBlocked);
  CHECK_FALSE(blocked.report.problems.empty());
}

TEST_CASE("Reads that are pruned tell of the version that is read alone", "[migrate][crd_check]") {
  const CrdCheck check(Widgets("", "v1", R"("storedVersions":["v1beta1","v1"])"), "",
                       {.origin = Origin::kServer});
  const report::CrdReport report = ReportOf(check);
  CHECK(report.versions[0].is_left_out);
  CHECK_FALSE(report.versions[0].objects);
  CHECK_FALSE(report.versions[1].is_left_out);
  CHECK(report.versions[1].objects == 1);
  CHECK(Paths(report.maybe_in_etcd) == Strings{"spec.gone"});
  // What an older version's schema does not know is gone from these reads already.
  REQUIRE(report.storage_migration);
  CHECK(report.storage_migration->pruned_fields.empty());
}

TEST_CASE("What every stored version has is not in etcd where no read shows it",
          "[migrate][crd_check]") {
  const auto hidden = [](const std::string& stored) {
    const CrdCheck check(Widgets("", "v1", stored), "", {.origin = Origin::kServer});
    kube::json::Document document;
    REQUIRE_FALSE(document.Parse(
        R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
            "metadata":{"name":"one","managedFields":[{"manager":"old","operation":"Update",
              "apiVersion":"demo.example.com/v1","fieldsType":"FieldsV1",
              "fieldsV1":{"f:spec":{"f:a":{}}}}]},"spec":{}})"));
    CrdTally tally;
    check.CheckObject({document.root(), {}, ""}, tally);
    return Paths(check.Report(tally).maybe_in_etcd);
  };
  CHECK(hidden(R"("storedVersions":["v1"])").empty());
  // Stored as v1beta1, which lacks spec.a, etcd may hold it all the same.
  CHECK(hidden(R"("storedVersions":["v1beta1","v1"])") == Strings{"spec.a"});
}

TEST_CASE("What a read in another version may show is told", "[migrate][crd_check]") {
  using Shown = std::map<std::string, Strings>;
  const auto shown_in = [](const std::string& more, const std::string& stored) {
    const CrdCheck check(Widgets(more, "v1", R"("storedVersions":[)" + stored + "]"), "",
                         {.origin = Origin::kServer});
    kube::json::Document document;
    REQUIRE_FALSE(document.Parse(
        R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
            "metadata":{"name":"one","managedFields":[{"manager":"old","operation":"Update",
              "apiVersion":"demo.example.com/v1","fieldsType":"FieldsV1",
              "fieldsV1":{"f:spec":{"f:b":{},"f:gone":{}}}}]},"spec":{}})"));
    CrdTally tally;
    check.CheckObject({document.root(), {}, ""}, tally);
    Shown found;
    for (const auto& use : check.Report(tally).maybe_in_etcd) found[use.path] = use.shown_in;
    return found;
  };
  const std::string both = R"("v1beta1","v1")";
  CHECK(shown_in("", both) == Shown{{"spec.b", {"v1beta1"}}, {"spec.gone", {}}});
  // Stored as v1 it is pruned, whoever reads it.
  CHECK(shown_in("", R"("v1")") == Shown{{"spec.b", {}}, {"spec.gone", {}}});
  // A webhook may make it of other fields.
  const std::string webhook =
      R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
         "clientConfig":{"url":"https://x.example.com"}}})";
  CHECK(shown_in(webhook, both) == Shown{{"spec.b", {}}, {"spec.gone", {}}});
}

TEST_CASE("A template whose names are quoted is called that", "[migrate][crd_check]") {
  auto crd = Widgets("");
  CHECK(FindCrdFacts(crd, "w.yaml", {}).report.note.find("Helm") == std::string::npos);
  crd.name = "{{ .Values.plural }}.demo.example.com";
  CHECK_THAT(FindCrdFacts(crd, "w.yaml", {}).report.note,
             Catch::Contains("it looks like a Helm template"));
}

TEST_CASE("A version that is neither served nor stored is left out where that is known",
          "[migrate][crd_check]") {
  const auto old_left_out = [](Origin origin, const std::string& status) {
    auto crd = Widgets(kPreserves, "v1", status);
    crd.versions[0].served = false;
    return FindCrdFacts(crd, "w.yaml", {.origin = origin}).report.versions[0].is_left_out;
  };
  CHECK(old_left_out(Origin::kServer, R"("storedVersions":["v1"])"));
  CHECK(old_left_out(Origin::kFile, R"("storedVersions":["v1"])"));
  CHECK_FALSE(old_left_out(Origin::kFile, R"("storedVersions":["v1beta1","v1"])"));
  // A generator's empty list says as little as none.
  CHECK_FALSE(old_left_out(Origin::kFile, R"("storedVersions":[])"));
  CHECK_FALSE(old_left_out(Origin::kFile, ""));
}

TEST_CASE("What is proven of an object is not doubted for what managedFields own",
          "[migrate][crd_check]") {
  ObjectProof proof{.verified = report::Verified{"2026-11-23T10:00:00Z", 412}, .covers = {}};
  bool is_covered = false;
  proof.covers = [&is_covered](const kube::json::Value& object) {
    return is_covered && object.Find("metadata")->FindText("name") == "one";
  };
  const CrdCheck check(
      Widgets(""), "",
      {.origin = Origin::kServer, .proof = std::make_shared<const ObjectProof>(std::move(proof))});
  CHECK(Paths(ReportOf(check).maybe_in_etcd) == Strings{"spec.gone"});
  is_covered = true;
  const report::CrdReport report = ReportOf(check);
  CHECK(report.maybe_in_etcd.empty());
  REQUIRE(report.verified);
  CHECK(report.verified->Words() == "verified 2026-11-23 by a pass over 412 objects");
}

TEST_CASE("A proposal for pruned reads tells of its storage version too", "[migrate][crd_check]") {
  const kube::crd::Crd live = Widgets("", "v1beta1", R"("storedVersions":["v1beta1"])");
  const CrdCheck check(Widgets("", "v1"), "new.yaml",
                       {.origin = Origin::kProposal, .replaced = &live});
  const report::CrdReport report = ReportOf(check);
  CHECK(Paths(report.versions[0].pruned_fields) == Strings{"spec.a", "spec.c"});
  CHECK(Paths(report.versions[1].pruned_fields) == Strings{"spec.b", "spec.c"});
  CHECK(report.stored_versions == Strings{"v1beta1"});
  CHECK(report.migration_needed);
  REQUIRE(report.storage_migration);
  CHECK(Paths(report.storage_migration->pruned_fields) == Strings{"spec.a", "spec.b", "spec.c"});
}

TEST_CASE("What a webhook converts is looked at in the version that is read alone",
          "[migrate][crd_check]") {
  const std::string webhook =
      R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
          "clientConfig":{"url":"https://example.com/convert"}}})";
  const kube::crd::Crd live = Widgets(webhook, "v1beta1", R"("storedVersions":["v1beta1"])");
  const CrdCheck check(Widgets(webhook, "v1"), "new.yaml",
                       {.origin = Origin::kProposal, .replaced = &live});
  const report::CrdReport report = ReportOf(check);
  CHECK_FALSE(report.versions[0].is_left_out);
  CHECK(report.versions[1].is_left_out);
}

TEST_CASE("Of an object of a file that a webhook converts a note says what tells of it",
          "[migrate][crd_check]") {
  const std::string webhook =
      R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
          "clientConfig":{"url":"https://example.com/convert"}}})";
  const CrdCheck check(Widgets(webhook, "v1", R"("storedVersions":["v1beta1","v1"])"), "crd.yaml",
                       {.origin = Origin::kFile});
  const report::CrdReport report = ReportOf(check);
  CHECK(report.object_errors.empty());
  CHECK(Paths(report.versions[1].pruned_fields) == Strings{"spec.b", "spec.c"});
  CHECK_THAT(report.note, Catch::Contains("webhook"));
}

TEST_CASE("A server's CRD has the condition that the server set", "[migrate][crd_check]") {
  const std::string condition =
      R"("storedVersions":["v1"],"conditions":[{"type":"NonStructuralSchema","status":"True",
          "reason":"Violations","message":"in the server's own words"}])";
  const CrdCheck with(Widgets(kPreserves, "v1", condition), "", {.origin = Origin::kServer});
  REQUIRE(ReportOf(with).condition);
  CHECK(ReportOf(with).condition->message == "in the server's own words");
  const CrdCheck without(Widgets(kPreserves), "", {.origin = Origin::kServer});
  CHECK_FALSE(ReportOf(without).condition);
}

// v1 wants spec.c, which it does not specify.
kube::crd::Crd WidgetsWithRequired(const std::string& more,
                                   const std::string& property = R"("b":{"type":"string"})") {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object","required":["c"],
                       "properties":{"a":{"type":"string"},)" +
      property + "}}}}}}]" + more + R"(},"status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  return *std::move(crd);
}

TEST_CASE("Objects that pruning makes invalid are told", "[migrate][crd_check]") {
  const CrdCheck check(WidgetsWithRequired(kPreserves), "", {.origin = Origin::kServer});
  const report::VersionReport version = ReportOf(check).versions[0];
  CHECK(version.objects_invalid_once_pruned == 1);
  CHECK(version.invalid_once_pruned == Strings{"shop/one: spec.c: Required value"});
}

TEST_CASE("Where a pattern cannot be held against an object a note says so",
          "[migrate][crd_check]") {
  const std::string pattern = R"("b":{"type":"string","pattern":"^\\p{Cn}$"})";
  const CrdCheck check(WidgetsWithRequired(kPreserves, pattern), "", {.origin = Origin::kServer});
  const report::CrdReport report = ReportOf(check);
  CHECK(report.versions[0].objects_invalid_once_pruned == 0);
  CHECK_THAT(report.note, Catch::StartsWith(
                              "not every object could be held against the patterns of its schema"));
}

TEST_CASE("What is read in another version is what the storage version left",
          "[migrate][crd_check]") {
  const std::string conversion =
      GENERATE(as<std::string>(), "",
               R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
          "clientConfig":{"url":"https://example.com/convert"}}})");
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com"},
          "spec":{"group":"demo.example.com","scope":"Namespaced","preserveUnknownFields":true,
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[
                    {"name":"v2","served":false,"storage":false,"schema":{"openAPIV3Schema":
                      {"type":"object","required":["p"]}}},
                    {"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object","required":["b"],
                       "properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}}},
                    {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object",
                       "properties":{"a":{"type":"string"}}}}}}}])" +
      conversion + R"(},"status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  const CrdCheck check(*std::move(crd), "", {.origin = Origin::kServer});
  const report::CrdReport report = ReportOf(check);
  // Nobody writes in a version that is not served.
  CHECK_FALSE(report.versions[0].objects_invalid_once_pruned);
  CHECK(report.versions[2].objects_invalid_once_pruned == 0);
  if (conversion.empty()) {
    CHECK(report.versions[1].invalid_once_pruned == Strings{"shop/one: spec.b: Required value"});
  } else {
    CHECK(report.versions[1].objects_invalid_once_pruned == 0);
  }
}

TEST_CASE("An object that only a dropped null makes invalid is no reason to be ready",
          "[migrate][crd_check]") {
  const std::string any = R"("c":{"x-kubernetes-preserve-unknown-fields":true})";
  const CrdCheck check(WidgetsWithRequired(kPreserves, any), "", {.origin = Origin::kServer});
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
      "metadata":{"name":"a"},"spec":{"c":null}})"));
  CrdTally tally;
  check.CheckObject({document.root(), {}, ""}, tally);
  const report::CrdReport report = check.Report(tally);
  CHECK(report.objects_losing_fields == 0);
  CHECK(report.versions[0].invalid_once_pruned == Strings{"a: spec.c: Required value"});
  CHECK(report.verdict == report::Verdict::kLosesFields);
}

TEST_CASE("Tallies of several threads add up", "[migrate][crd_check]") {
  const CrdCheck check(WidgetsWithRequired(kPreserves), "", {.origin = Origin::kServer});
  CrdTally sum;
  for (const char* name : {"b", "a"}) {
    kube::json::Document document;
    REQUIRE_FALSE(document.Parse(R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
        "metadata":{"name":")" + std::string(name) +
                                 R"("},"spec":{"c":1}})"));
    CrdTally tally;
    check.CheckObject({document.root(), {0, *name == 'a' ? 1U : 2U, 0}, ""}, tally);
    sum.Merge(std::move(tally));
  }
  const report::VersionReport version = check.Report(sum).versions[0];
  CHECK(version.objects_invalid_once_pruned == 2);
  CHECK(version.invalid_once_pruned ==
        Strings{"a: spec.c: Required value", "b: spec.c: Required value"});
}

TEST_CASE("Where a server prunes as it reads nothing becomes invalid", "[migrate][crd_check]") {
  const CrdCheck check(WidgetsWithRequired(""), "", {.origin = Origin::kServer});
  CHECK_FALSE(ReportOf(check).versions[0].objects_invalid_once_pruned);
  const kube::crd::Crd live = WidgetsWithRequired("");
  const CrdCheck proposal(WidgetsWithRequired(""), "new.yaml",
                          {.origin = Origin::kProposal, .replaced = &live});
  CHECK(ReportOf(proposal).versions[0].objects_invalid_once_pruned == 1);
}

// An object of a size, which kSized allows from 3 on.
report::CrdReport ReportOfSize(const CrdCheck& check, const std::string& size) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(
      R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"one",
          "namespace":"shop","managedFields":[{"manager":"helm","operation":"Update",
          "fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]},"spec":{"size":)" +
      size + "}}"));
  CrdTally tally;
  check.CheckObject({document.root(), {}, ""}, tally);
  return check.Report(tally);
}

kube::crd::Crd SizedWidgets(const std::string& minimum, const std::string& more = "") {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com","uid":"u1"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object",
                       "properties":{"size":{"type":"integer","minimum":)" +
      minimum + "}}" + more + R"(}}}}}]},"status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  return *std::move(crd);
}

TEST_CASE("What the server would refuse at the next write is told in its words",
          "[migrate][crd_check]") {
  const CrdCheck check(SizedWidgets("3"), "",
                       {.keep_paths = true, .origin = Origin::kServer, .checks_validity = true});
  const report::CrdReport report = ReportOfSize(check, "2");
  const report::ValidityReport& validity = report.versions[0].validity.value();
  CHECK(validity.objects == 1);
  REQUIRE(validity.fields.size() == 1);
  CHECK(validity.fields[0] ==
        report::InvalidUse{.path = "spec.size",
                           .message = "spec.size: Invalid value: 2: spec.size in body should be "
                                      "greater than or equal to 3",
                           .objects = 1,
                           .managers = {"helm"},
                           .examples = {"shop/one"},
                           .since_proposal = false,
                           .tolerated = true});
  CHECK(report.objects.at(0).invalid == Strings{validity.fields[0].message});
  CHECK(report.verdict == report::Verdict::kInvalid);
  CHECK(ReportOfSize(check, "3").versions[0].validity == report::ValidityReport{});
  CHECK(ReportOfSize(check, "3").verdict == report::Verdict::kPruning);
}

TEST_CASE("What a server that ratchets lets be makes no CRD invalid", "[migrate][crd_check]") {
  const CrdCheck check(SizedWidgets("3"), "",
                       {.keep_paths = true,
                        .origin = Origin::kServer,
                        .checks_validity = true,
                        .server = {.ratchets = true}});
  const report::CrdReport report = ReportOfSize(check, "2");
  CHECK(report.versions[0].validity->objects == 0);
  CHECK(report.versions[0].validity->fields.size() == 1);
  CHECK(report.objects.at(0).invalid.empty());
  CHECK(report.verdict == report::Verdict::kPruning);
}

TEST_CASE("What the proposal alone finds is told from what was wrong before",
          "[migrate][crd_check]") {
  const kube::crd::Crd live = SizedWidgets("2");
  const auto since_proposal = [&live](const std::string& size) {
    const CrdCheck check(SizedWidgets("3"), "new.yaml",
                         {.origin = Origin::kProposal, .replaced = &live, .checks_validity = true});
    return ReportOfSize(check, size).versions[0].validity.value().fields.at(0).since_proposal;
  };
  CHECK(since_proposal("2"));
  CHECK_FALSE(since_proposal("1"));  // though the message names another limit now
  CHECK_FALSE(since_proposal(R"("text")"));
}

TEST_CASE("Objects are held against a version as it shows them", "[migrate][crd_check]") {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com","uid":"u1"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[
                    {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
                    {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":
                      {"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":
                       {"apiVersion":{"type":"string","enum":["demo.example.com/v1"]}}}}}]},
          "status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  const CrdCheck check(*std::move(crd), "crd.yaml", {.checks_validity = true});
  const report::CrdReport report = ReportOfSize(check, "1");
  CHECK(report.versions[0].validity == report::ValidityReport{});
  CHECK(report.versions[1].validity.value().fields.at(0).message ==
        R"(apiVersion: Unsupported value: "demo.example.com/v2": supported values: )"
        R"("demo.example.com/v1")");
}

// `spec` is the schema of spec.
kube::crd::Crd WidgetsOf(const std::string& spec) {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com","uid":"u1"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":)" +
      spec + R"(}}}}]},"status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  return *std::move(crd);
}

TEST_CASE("What the live schema adds was valid before a proposal", "[migrate][crd_check]") {
  const kube::crd::Crd live = WidgetsOf(
      R"({"type":"object","required":["mode"],"properties":{"size":{"type":"integer"},
          "mode":{"type":"string","default":"Fast"}}})");
  const CrdCheck check(
      WidgetsOf(R"({"type":"object","required":["mode"],"properties":{"size":{"type":"integer"},
                    "mode":{"type":"string"}}})"),
      "new.yaml", {.origin = Origin::kProposal, .replaced = &live, .checks_validity = true});
  const report::ValidityReport validity = ReportOfSize(check, "1").versions[0].validity.value();
  REQUIRE(validity.fields.size() == 1);
  CHECK(validity.fields[0].message == "spec.mode: Required value");
  CHECK(validity.fields[0].since_proposal);
}

TEST_CASE("Duplicates in a set are told of objects that are created, and may stay where they are",
          "[migrate][crd_check]") {
  const std::string schema =
      R"({"type":"object","properties":{"size":{"type":"array","x-kubernetes-list-type":"set",
          "items":{"type":"string"}}}})";
  const CrdCheck creation(WidgetsOf(schema), "", {.checks_validity = true, .creates = true});
  const auto created = ReportOfSize(creation, R"(["a","b","a"])").versions[0].validity.value();
  CHECK(created.objects == 1);
  REQUIRE(created.fields.size() == 1);
  CHECK(created.fields[0].message == R"(spec.size[2]: Duplicate value: "a")");
  CHECK(created.fields[0].tolerated);
  CHECK(ReportOfSize(creation, R"(["a","b"])").versions[0].validity == report::ValidityReport{});
  const CrdCheck update(WidgetsOf(schema), "", {.checks_validity = true});
  CHECK(ReportOfSize(update, R"(["a","a"])").versions[0].validity == report::ValidityReport{});
}

// As the server does when it reads from etcd, but not with a request.
TEST_CASE("What no metadata can be goes from embedded resources of a server's objects",
          "[migrate][crd_check]") {
  const std::string schema =
      R"({"type":"object","properties":{"size":{"type":"object",
          "x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}})";
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":5}}})";
  const kube::crd::Crd live =
      WidgetsOf(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  const CrdCheck proposal(
      WidgetsOf(schema), "new.yaml",
      {.origin = Origin::kProposal, .replaced = &live, .checks_validity = true});
  CHECK(ReportOfSize(proposal, pod).versions[0].validity == report::ValidityReport{});
  const CrdCheck file(WidgetsOf(schema), "new.yaml", {.checks_validity = true});
  CHECK(ReportOfSize(file, pod).versions[0].validity.value().objects == 1);
}

std::string RuleOf(const std::string& rule) {
  return R"(,"x-kubernetes-validations":[{"rule":")" + rule + R"("}])";
}

// What is said of a widget of that size, with what a server that ratchets lets be in parentheses.
std::vector<std::string> MessagesOf(const CrdCheck& check, const std::string& size) {
  std::vector<std::string> messages;
  const report::CrdReport report = ReportOfSize(check, size);
  for (const report::InvalidUse& use : report.versions[0].validity->fields) {
    messages.push_back(use.tolerated ? "(" + use.message + ")" : use.message);
  }
  return messages;
}

TEST_CASE("What a rule refuses is invalid", "[migrate][crd_check]") {
  const CrdCheck check(SizedWidgets("3", RuleOf("self.size > 9")), "",
                       {.origin = Origin::kServer, .checks_validity = true});
  CHECK(MessagesOf(check, "10").empty());
  CHECK(ReportOfSize(check, "10").verdict == report::Verdict::kPruning);
  CHECK(MessagesOf(check, "5") ==
        std::vector<std::string>{"(spec: Invalid value: failed rule: self.size > 9)"});
  CHECK(ReportOfSize(check, "5").verdict == report::Verdict::kInvalid);
  CHECK(check.RulesNote().empty());
}

TEST_CASE("A server that lets old values be evaluates the rules beside them",
          "[migrate][crd_check]") {
  const CrdCheckOptions options{.origin = Origin::kServer, .checks_validity = true};
  CrdCheckOptions ratcheting = options;
  ratcheting.server.ratchets = true;
  const auto widgets = [] { return SizedWidgets("3", RuleOf("self.size > 9")); };
  // A wrong minimum keeps nobody from the rules, another type does.
  const std::vector<std::string> wrong = MessagesOf(CrdCheck(widgets(), "", options), "true");
  REQUIRE(wrong.size() == 2);
  CHECK_THAT(wrong[0], Catch::Contains("some validation rules were not checked"));
  CHECK_THAT(wrong[1], Catch::Contains("spec.size"));
  const auto let_be = MessagesOf(CrdCheck(widgets(), "", ratcheting), "true");
  REQUIRE(let_be.size() == 2);
  CHECK_THAT(let_be[0], Catch::Contains("expected int, got bool"));
  CHECK_THAT(let_be[1], Catch::StartsWith("(spec.size"));
  CHECK(ReportOfSize(CrdCheck(widgets(), "", ratcheting), "5").verdict ==
        report::Verdict::kPruning);
}

TEST_CASE("Rules are held against objects as the server reads them", "[migrate][crd_check]") {
  const auto crd = [] {
    return WidgetsOf(
        R"({"type":"object","properties":{"size":{"type":"integer"},
            "mode":{"type":"string","default":"Fast"}},
            "x-kubernetes-validations":[{"rule":"self.mode == 'Fast' || self.size > 9"}]})");
  };
  const CrdCheck check(crd(), "", {.checks_validity = true});
  CHECK(MessagesOf(check, "5").empty());
  CHECK(MessagesOf(check, R"(5,"mode":"Slow")") ==
        std::vector<std::string>{
            "(spec: Invalid value: failed rule: self.mode == 'Fast' || self.size > 9)"});
}

TEST_CASE("Rules that compare with the old value touch nothing that stays",
          "[migrate][crd_check]") {
  const auto crd = [] { return SizedWidgets("3", RuleOf("self == oldSelf")); };
  CHECK(MessagesOf(CrdCheck(crd(), "", {.checks_validity = true}), "5").empty());
  CHECK(MessagesOf(CrdCheck(crd(), "", {.checks_validity = true, .creates = true}), "5").empty());
}

TEST_CASE("A status that is a subresource is not looked at in objects that are created",
          "[migrate][crd_check]") {
  const auto crd = [](bool is_subresource) {
    kube::crd::Crd made = WidgetsOf(
        R"({"type":"object","properties":{"size":{"type":"integer"}}},
           "status":{"type":"object","properties":{"phase":{"type":"string"}}})");
    made.versions[0].subresources = kube::crd::Subresources{.status = is_subresource, .scale = {}};
    return made;
  };
  const std::string size_with_status = R"(5},"status":{"phase":1)";
  const auto is_valid = [&](bool is_subresource, bool creates) {
    const CrdCheck check(crd(is_subresource), "", {.checks_validity = true, .creates = creates});
    return MessagesOf(check, size_with_status).empty();
  };
  CHECK(is_valid(true, true));
  CHECK_FALSE(is_valid(false, true));
  CHECK_FALSE(is_valid(true, false));
}

TEST_CASE("A rule that fails by the proposal alone is new", "[migrate][crd_check]") {
  const kube::crd::Crd live = SizedWidgets("3", RuleOf("self.size > 5"));
  const auto since_proposal = [&live](const std::string& size) {
    const CrdCheck check(SizedWidgets("3", RuleOf("self.size > 5 && self.size != 7")), "new.yaml",
                         {.origin = Origin::kProposal, .replaced = &live, .checks_validity = true});
    return ReportOfSize(check, size).versions[0].validity.value().fields.at(0).since_proposal;
  };
  CHECK(since_proposal("7"));
}

TEST_CASE("A rule that no server takes refuses no object", "[migrate][crd_check]") {
  const auto crd = [] { return SizedWidgets("3", RuleOf("self.nope > 9")); };
  CHECK(MessagesOf(CrdCheck(crd(), "", {.checks_validity = true}), "5").empty());
  // One that has it already, as it came from another release, does.
  const auto messages =
      MessagesOf(CrdCheck(crd(), "", {.origin = Origin::kServer, .checks_validity = true}), "5");
  REQUIRE(messages.size() == 1);
  CHECK_THAT(messages[0], Catch::Contains("rule compile error: "));
}

TEST_CASE("A server before 1.25 drops rules", "[migrate][crd_check]") {
  const CrdCheck check(
      SizedWidgets("3", RuleOf("self.size > 9")), "",
      {.checks_validity = true, .server = {.release = kube::base::Release{1, 24}}});
  CHECK(MessagesOf(check, "5").empty());
  CHECK_THAT(check.RulesNote(), Catch::Contains("Kubernetes 1.24 drops rules"));
  CHECK(CrdCheck(SizedWidgets("3"), "",
                 {.checks_validity = true, .server = {.release = kube::base::Release{1, 24}}})
            .RulesNote()
            .empty());
}

TEST_CASE("What a default fixes is valid, and what pruning takes is not", "[migrate][crd_check]") {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com","uid":"u1"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object",
                       "required":["size","mode"],"properties":{"size":{"type":"integer"},
                       "mode":{"type":"string","default":"Fast"}}}}}}}]},
          "status":{"storedVersions":["v1"]}})");
  REQUIRE(crd);
  const CrdCheck check(*std::move(crd), "", {.origin = Origin::kServer, .checks_validity = true});
  CHECK(ReportOfSize(check, "1").versions[0].validity == report::ValidityReport{});
}

TEST_CASE("A proposal has to follow the rules of an update", "[migrate][crd_check]") {
  // RULES 7: a stored version must not be taken out of the CRD.
  const kube::crd::Crd live = Widgets("", "v1", R"("storedVersions":["v1alpha1","v1"])");
  const CrdCheck check(Widgets(""), "new.yaml", {.origin = Origin::kProposal, .replaced = &live});
  const report::CrdReport report = ReportOf(check);
  REQUIRE(report.admission_problems.size() == 1);
  CHECK(report.admission_problems[0].field == "status.storedVersions[0]");
  CHECK(report.verdict == report::Verdict::kBlocked);
}

TEST_CASE("A default of which it cannot be told whether its pattern holds is noted",
          "[migrate][crd_check]") {
  const auto [pattern, note] = GENERATE(table<std::string, std::string>({
      {R"(^\\p{Cn}$)",
       "not every default could be held against its pattern (or only in minutes): the API server "
       "may refuse some"},
      {"^x$", ""},
  }));
  const auto crd = [&pattern = pattern] {
    auto read = support::ReadCrdText(
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
            "metadata":{"name":"widgets.demo.example.com"},"spec":{"group":"demo.example.com",
            "scope":"Cluster","names":{"plural":"widgets","singular":"widget","kind":"Widget",
            "listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,
            "schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string",
            "default":"x","pattern":")" +
        pattern + R"("}}}}}]}})");
    REQUIRE(read);
    return *std::move(read);
  };
  const report::CrdReport report = CrdCheck(crd(), "", {}).facts().report;
  CHECK(report.note == note);
  CHECK(report.admission_problems.empty());
}

TEST_CASE("Objects are read in the storage version, if that is served", "[migrate][crd_check]") {
  CHECK(ReadVersion(Widgets("", "v1beta1")) == "v1beta1");
  kube::crd::Crd crd = Widgets("", "v1");
  crd.versions[1].served = false;
  CHECK(ReadVersion(crd) == "v1beta1");
  crd.versions[0].served = false;
  CHECK(ReadVersion(crd).empty());
}

}  // namespace crd_check_test
}  // namespace migrate::check
