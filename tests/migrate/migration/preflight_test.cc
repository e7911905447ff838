#include "migrate/migration/preflight.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "migrate/check/crd_request.h"
#include "migrate/report/program_name.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/fake_engine.h"

namespace migrate::migration {
namespace preflight_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;

const std::string kName = "widgets.demo.example.com";
const std::string kTarget =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com";
const std::string kPreserves = R"(,"preserveUnknownFields":true)";
const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";

Preflight Check(FakeCluster& cluster, const PreflightOptions& options = {}) {
  const auto crd = check::GetCrd(cluster.client, kTarget);
  REQUIRE(crd);
  return CheckBefore(*crd, kTarget, options, cluster.client);
}

void AddCondition(FakeCluster& cluster, const std::string& type, const std::string& status,
                  const std::string& message) {
  cluster.server.PatchCrd(
      kName, R"({"status":{"conditions":[{"type":"Established","status":"True"},{"type":")" + type +
                 R"(","status":")" + status + R"(","message":")" + message + R"("}]}})");
}

bool HasWritten(const FakeCluster& cluster) {
  return std::ranges::any_of(
      cluster.server.requests(), [](const kube::client::HttpRequest& request) {
        return request.method == "PATCH" && request.target.find("dryRun=All") == std::string::npos;
      });
}

TEST_CASE("A CRD that prunes and is served may be migrated in its storage version",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const Preflight preflight = Check(cluster);
  CHECK(preflight.refusal.empty());
  CHECK(preflight.version == "v1");
  CHECK_FALSE(preflight.by_update);
  CHECK(preflight.kept_because.empty());
  CHECK(preflight.warnings.empty());
}

TEST_CASE("Where the storage version is not served another one is written",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.PatchCrd(kName, R"({"spec":{"versions":[
      {"name":"v2","served":false,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
      {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}
      ]}})");
  const Preflight preflight = Check(cluster);
  CHECK(preflight.refusal.empty());
  CHECK(preflight.version == "v1");
}

TEST_CASE(
    "What the schema of the version that is written does not know is not lost behind the flip",
    "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const std::string versions = R"("versions":[
      {"name":"v2","served":false,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
        "properties":{"onlyv2":{"type":"string"}}}}},
      {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}])";
  cluster.server.PatchCrd(kName, R"({"spec":{)" + versions + "}}");
  CHECK_THAT(Check(cluster).refusal,
             Contains("the storage version v2 is not served") && Contains("set served: true"));
  // Before it there is a plan and a backup.
  cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
  CHECK(Check(cluster, {.enable_pruning = true}).refusal.empty());
}

TEST_CASE("A CRD that cannot be migrated is refused, with the next command",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  std::string why, next = "kubectl get crd widgets.demo.example.com -o yaml";
  SECTION("not established") {
    cluster.server.PatchCrd(kName, R"({"status":{"conditions":[]}})");
    why = "the CustomResourceDefinition is not established";
  }
  SECTION("being deleted") {
    cluster.server.Delete(kCrdResource, kName);
    std::string crd = FakeCrdText("widgets");
    const std::string name = R"("metadata":{)";
    crd.replace(crd.find(name), name.size(),
                name + R"("deletionTimestamp":"2026-01-01T00:00:00Z",)");
    cluster.server.Add(crd);
    why = "the CustomResourceDefinition is being deleted";
  }
  SECTION("no version is served") {
    cluster.server.PatchCrd(kName, R"({"spec":{"versions":[
        {"name":"v2","served":false,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}
        ]}})");
    why = "no version is served";
  }
  SECTION("the server says that it is not structural") {
    AddCondition(cluster, "NonStructuralSchema", "True", "spec.versions[0]: wrong");
    why = "its schema is not structural: spec.versions[0]: wrong";
    next = "kubectl prune check widgets.demo.example.com";
  }
  SECTION("the in-tree migrator is at work") {
    AddCondition(cluster, "StorageMigrating", "True", "");
    why = "another storage migration is under way (condition StorageMigrating)";
  }
  const Preflight preflight = Check(cluster);
  CHECK_THAT(preflight.refusal, StartsWith(why) && Contains(next));
}

TEST_CASE("A mark of the in-tree migrator that nobody takes away any more keeps nobody",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  AddCondition(cluster, "StorageMigrating", "True", "Migration m is running");
  test_support::FakeEngine engine(cluster);
  SECTION("no StorageVersionMigration is there") {
    const Preflight preflight = Check(cluster);
    CHECK(preflight.refusal.empty());
    REQUIRE(preflight.warnings.size() == 1);
    CHECK_THAT(preflight.warnings[0], StartsWith("its condition StorageMigrating is true, but no"));
  }
  SECTION("it is for one of ours") {
    engine.Make(
        R"({"apiVersion":"storagemigration.k8s.io/v1beta1","kind":"StorageVersionMigration",)"
        R"("metadata":{"name":"ours"},"spec":{"resource":{"group":"demo.example.com",)"
        R"("resource":"widgets"}}})");
    const Preflight preflight = Check(cluster, {.own_migration = "ours"});
    CHECK(preflight.refusal.empty());
    CHECK(preflight.warnings.empty());
    CHECK(preflight.has_own_migration);
    CHECK_THAT(Check(cluster).refusal, StartsWith("another storage migration is under way"));
  }
  SECTION("they cannot be seen") {
    cluster.server.Forbid(engine.resource);
    CHECK_THAT(Check(cluster).refusal, StartsWith("another storage migration is under way"));
  }
}

TEST_CASE("Rights to the cluster's own engine are asked for where it may be used alone",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const test_support::FakeEngine engine(cluster);
  const auto asks = [&cluster] {
    return std::ranges::count_if(cluster.server.requests(), [](const auto& request) {
      return request.body.find("storageversionmigrations") != std::string::npos;
    });
  };
  CHECK(Check(cluster).engine_version == "v1beta1");
  CHECK(asks() == 0);
  CHECK(Check(cluster, {.asks_for_engine = true}).engine_missing.empty());
  CHECK(asks() == 3);
  cluster.server.Deny("delete", engine.resource);
  CHECK(Check(cluster, {.asks_for_engine = true}).engine_missing ==
        "the right to delete " + engine.resource + " is missing");
  CHECK_THAT(Check(cluster, {.asks_for_engine = true, .needs_engine = true}).refusal,
             StartsWith("the right to delete " + engine.resource + " is missing; ask for it"));
}

TEST_CASE("Conditions that are not true keep nothing from being migrated", "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  AddCondition(cluster, GENERATE("NonStructuralSchema", "StorageMigrating"), "False", "was");
  CHECK(Check(cluster).refusal.empty());
}

TEST_CASE("A CRD that preserves unknown fields is refused without --enable-pruning",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  CHECK_THAT(Check(cluster).refusal,
             Contains("kubectl prune check widgets.demo.example.com") &&
                 Contains("kubectl prune migrate widgets.demo.example.com --enable-pruning"));
  CHECK(Check(cluster, {.enable_pruning = true}).refusal.empty());
}

TEST_CASE("Before pruning is turned on our own check must find the schemas structural",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  cluster.server.PatchCrd(kName, R"({"spec":{"versions":[{"name":"v1","served":true,
      "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{}}}}}]}})");
  CHECK_THAT(Check(cluster, {.enable_pruning = true}).refusal,
             StartsWith("its schema is not structural: "
                        "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required "
                        "value: must not be empty for specified object fields") &&
                 Contains("kubectl prune check widgets.demo.example.com"));
}

TEST_CASE("The server is asked by a dry run whether it would turn pruning on",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  const PreflightOptions options{.enable_pruning = true};
  SECTION("it would") {
    CHECK(Check(cluster, options).refusal.empty());
    const kube::client::HttpRequest& asked = cluster.server.requests().at(static_cast<std::size_t>(
        std::ranges::find(cluster.server.requests(), "PATCH", &kube::client::HttpRequest::method) -
        cluster.server.requests().begin()));
    CHECK(asked.target == kTarget + "?dryRun=All");
    CHECK_THAT(asked.body, StartsWith(R"({"metadata":{"resourceVersion":")") &&
                               Contains(R"("},"spec":{"preserveUnknownFields":false}})"));
  }
  SECTION("it would not: in its own words") {
    cluster.server.AddFault(
        {.target = "dryRun=All",
         .answer = FakeStatus(422, "Invalid", "it is invalid",
                              R"({"name":"widgets.demo.example.com","causes":[{"field":)"
                              R"("spec.versions[0].schema","message":"too expensive"}]})")});
    CHECK_THAT(Check(cluster, options).refusal,
               StartsWith("the server would not turn pruning on: ") &&
                   Contains("spec.versions[0].schema: too expensive"));
  }
  SECTION("a webhook that cannot be asked is no refusal") {
    cluster.server.AddFault(
        {.target = "dryRun=All",
         .answer = FakeStatus(400, "BadRequest",
                              "admission webhook \"x.example.com\" does not support dry run")});
    const Preflight preflight = Check(cluster, options);
    CHECK(preflight.refusal.empty());
    REQUIRE(preflight.warnings.size() == 1);
    CHECK_THAT(preflight.warnings[0], Contains("does not support dry run"));
  }
  SECTION("somebody changes it just then") {
    cluster.server.AddFault({.target = "dryRun=All", .before = [&cluster] {
                               cluster.server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
                             }});
    CHECK_THAT(Check(cluster, options).refusal, Contains("run the same command again"));
  }
  CHECK_FALSE(HasWritten(cluster));
}

TEST_CASE("A dry run by the client sends nothing that is named like a write",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  CHECK(
      Check(cluster, {.enable_pruning = true, .dry_run = report::DryRun::kClient}).refusal.empty());
  CHECK(std::ranges::count(cluster.server.requests(), "PATCH",
                           &kube::client::HttpRequest::method) == 0);
}

TEST_CASE("A right that is missing is refused by its name", "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  const PreflightOptions options{.enable_pruning = true};
  SECTION("to list") {
    cluster.server.Deny("list", kName);
    CHECK_THAT(Check(cluster, options).refusal,
               Contains("the right to list widgets.demo.example.com is missing") &&
                   Contains("kubectl auth can-i list widgets.demo.example.com -A"));
    report::SetClusterFlags(" --context=staging --as=alice");
    CHECK_THAT(Check(cluster, options).refusal,
               EndsWith("can-i list widgets.demo.example.com -A --context=staging --as=alice"));
    report::SetClusterFlags("");
    CHECK(Check(cluster, {.enable_pruning = true, .by_name = true}).refusal.empty());
  }
  SECTION("to patch and to update") {
    cluster.server.Deny("patch", kName);
    cluster.server.Deny("update", kName);
    CHECK_THAT(Check(cluster, options).refusal, Contains("the right to patch"));
    CHECK(Check(cluster, {.enable_pruning = true, .dry_run = report::DryRun::kClient})
              .refusal.empty());
  }
  SECTION("to patch and to get") {
    cluster.server.Deny("patch", kName);
    cluster.server.Deny("get", kName);
    CHECK_THAT(Check(cluster, options).refusal,
               Contains("the right to patch widgets.demo.example.com is missing, the right to get "
                        "widgets.demo.example.com is missing; ask for them"));
  }
  SECTION("to get, by which it is seen whether the server prunes") {
    cluster.server.Deny("get", kName);
    CHECK_THAT(Check(cluster, options).refusal,
               Contains("the right to get widgets.demo.example.com is missing"));
    CHECK(Check(cluster, {.enable_pruning = true, .dry_run = report::DryRun::kClient})
              .refusal.empty());
  }
  SECTION("but only warned of where it is to watch") {
    cluster.server.Deny("watch", kName);
    const Preflight preflight = Check(cluster, options);
    CHECK(preflight.refusal.empty());
    REQUIRE(preflight.warnings.size() == 1);
    CHECK_THAT(preflight.warnings[0], Contains("the right to watch widgets.demo.example.com"));
    CHECK(Check(cluster, {.enable_pruning = true, .backs_up = false}).warnings.empty());
  }
  SECTION("to patch the CRD") {
    cluster.server.Deny("patch", kCrdResource);
    CHECK_THAT(Check(cluster, options).refusal,
               Contains("the right to patch customresourcedefinitions.apiextensions.k8s.io/"
                        "widgets.demo.example.com is missing"));
  }
}

TEST_CASE("Who cleans managedFields has to read objects", "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.Deny("get", kName);
  CHECK(Check(cluster).refusal.empty());
  CHECK(Check(cluster, {.dry_run = report::DryRun::kClient, .cleans = true}).refusal.empty());
  CHECK_THAT(Check(cluster, {.cleans = true}).refusal,
             Contains("the right to get widgets.demo.example.com is missing"));
}

TEST_CASE("Who may not patch objects updates them", "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.Deny("patch", kName);
  const Preflight preflight = Check(cluster);
  CHECK(preflight.refusal.empty());
  CHECK(preflight.by_update);
  REQUIRE(preflight.warnings.size() == 1);
}

TEST_CASE("Who may not trim is told before, where there is something to trim",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.Deny("patch", kCrdResource + "/status");
  CHECK(Check(cluster).warnings.empty());
  cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
  CHECK(Check(cluster, {.trims = false}).warnings.empty());
  const Preflight preflight = Check(cluster);
  CHECK(preflight.refusal.empty());
  CHECK(preflight.kept_because == "the right to patch customresourcedefinitions/status is missing");
  CHECK(preflight.warnings.size() == 1);
}

TEST_CASE("A server that cannot be asked for rights keeps nothing from being migrated",
          "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.AddFault(
      {.target = "selfsubjectaccessreviews",
       .times = 0,
       .answer = GENERATE(FakeStatus(403, "Forbidden", "no"), FakeStatus(404, "NotFound", "none"),
                          FakeText(500, "text/plain", ""), FakeText(201, "application/json", "{}"),
                          FakeText(201, "text/html", "<html>"))});
  CHECK(Check(cluster).refusal.empty());
}

TEST_CASE("A StorageVersionMigration of the resource is not run against", "[migrate][preflight]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const std::string group = GENERATE("storagemigration.k8s.io", "migration.k8s.io");
  const std::string version = GENERATE("v1", "v1beta1", "v1alpha1");
  const auto serve = [&](const std::string& target, const std::string& body) {
    cluster.server.AddFault(
        {.target = target, .times = 0, .answer = FakeText(200, "application/json", body)});
  };
  const auto serve_migration = [&](const std::string& resource, const std::string& status) {
    serve("/apis/" + group, R"({"versions":[{"version":")" + version + R"("}]})");
    serve("/apis/" + group + "/" + version + "/storageversionmigrations",
          R"({"items":[{"metadata":{"name":"theirs"},"spec":{"resource":{"group":)"
          R"("demo.example.com","version":"v1","resource":")" +
              resource + R"("}},"status":)" + status + "}]}");
  };
  SECTION("under way") {
    serve_migration("widgets", R"({"conditions":[{"type":"Running","status":"True"}]})");
    CHECK_THAT(Check(cluster).refusal,
               Contains("another storage migration is under way: storageversionmigrations." +
                        group + "/theirs"));
  }
  SECTION("finished") {
    const std::string how = GENERATE("Succeeded", "Failed");
    serve_migration("widgets", R"({"conditions":[{"type":")" + how + R"(","status":"True"}]})");
    CHECK(Check(cluster).refusal.empty());
  }
  SECTION("of another resource") {
    serve_migration("gizmos", "{}");
    CHECK(Check(cluster).refusal.empty());
  }
  SECTION("that cannot be seen") {
    serve("/apis/" + group, R"({"versions":[{"version":")" + version + R"("}]})");
    cluster.server.AddFault({.target = "/storageversionmigrations",
                             .times = 0,
                             .answer = FakeStatus(403, "Forbidden", "may not list them")});
    const Preflight preflight = Check(cluster);
    CHECK(preflight.refusal.empty());
    REQUIRE(preflight.warnings.size() == 1);
    CHECK(preflight.warnings[0] ==
          "whether another storage migration is under way is unknown: "
          "Error from server (Forbidden): may not list them");
  }
}

}  // namespace preflight_test
}  // namespace migrate::migration
