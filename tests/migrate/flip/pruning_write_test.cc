#include <algorithm>
#include <catch2/catch.hpp>

#include "migrate/check/crd_request.h"
#include "migrate/migration/turn_pruning_on.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace pruning_write_test {

using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using Step = PruningWrite::Step;

const std::string kName = "widgets.demo.example.com";
const std::string kCrd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + kName;

/// A CRD that preserves unknown fields and is about to be written with pruning on.
struct TurningOn {
  TurningOn() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    const kube::crd::Crd crd = Crd();
    target = {kCrd, check::ShapeOf(crd)};
  }
  kube::crd::Crd Crd() {
    auto crd = check::GetCrd(cluster.client, kCrd);
    REQUIRE(crd);
    return *std::move(crd);
  }
  PruningWrite Run(bool dry_run = false) {
    return RequestPruning(target, dry_run, {cluster.client, cluster.clock, &stop});
  }
  /// What happens to the requests behind the first of Run, which reads the CRD.
  void Fault(FakeFault fault, int times = 1) {
    fault.target = kCrd;
    fault.first = 2;
    fault.times = times;
    cluster.server.AddFault(fault);
  }
  std::ptrdiff_t Patches() const {
    return std::ranges::count_if(cluster.server.requests(),
                                 [](const auto& request) { return request.method == "PATCH"; });
  }

  FakeCluster cluster;
  PruningTarget target;
  std::atomic<bool> stop = false;
};

TEST_CASE("The flip is guarded by the resourceVersion of the CRD", "[migrate][flip]") {
  TurningOn turning_on;
  const std::string version = turning_on.Crd().resource_version;
  const PruningWrite flip = turning_on.Run();
  REQUIRE(flip.step == Step::kDone);
  const kube::crd::Crd crd = turning_on.Crd();
  CHECK_FALSE(crd.preserve_unknown_fields);
  CHECK(flip.resource_version == crd.resource_version);
  CHECK(flip.generation == turning_on.target.shape.generation + 1);
  const auto& requests = turning_on.cluster.server.requests();
  const auto patch = std::ranges::find(requests, "PATCH", &kube::client::HttpRequest::method);
  REQUIRE(patch != requests.end());
  CHECK(patch->target == kCrd);
  CHECK(patch->body == R"({"metadata":{"resourceVersion":")" + version +
                           R"("},"spec":{"preserveUnknownFields":false}})");
}

TEST_CASE("A dry run of the flip changes nothing", "[migrate][flip]") {
  TurningOn turning_on;
  CHECK(turning_on.Run(true).step == Step::kDone);
  CHECK(turning_on.Crd().preserve_unknown_fields);
  CHECK(turning_on.cluster.server.RequestLines()[2] == "PATCH " + kCrd + "?dryRun=All");
}

TEST_CASE("A conflict over status alone is no reason to stop", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  fault.before = [&] {
    turning_on.cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1","v1beta1"]}})");
  };
  turning_on.Fault(fault);
  CHECK(turning_on.Run().step == Step::kDone);
  CHECK(turning_on.Patches() == 2);
}

TEST_CASE("A CRD that is no longer the same is not flipped", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  std::string why;
  SECTION("its spec was changed") {
    fault.before = [&] {
      turning_on.cluster.server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
    };
    why = "the spec of the CustomResourceDefinition was changed meanwhile";
  }
  SECTION("it was made anew") {
    fault.before = [&] {
      turning_on.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
      turning_on.cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    };
    why = "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  turning_on.Fault(fault);
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == why);
  CHECK(turning_on.Crd().preserve_unknown_fields);
}

TEST_CASE("A flip by somebody else is not taken for ours", "[migrate][flip]") {
  TurningOn turning_on;
  turning_on.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == "spec.preserveUnknownFields was turned off by somebody else meanwhile");
  CHECK(turning_on.Patches() == 0);
}

TEST_CASE("Whether a flip without an answer was done is read from the CRD", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  SECTION("done") {
    fault.lost_after = 0;
    turning_on.Fault(fault);
    const PruningWrite flip = turning_on.Run();
    CHECK(flip.step == Step::kDone);
    CHECK(flip.resource_version == turning_on.Crd().resource_version);
    CHECK(flip.generation == turning_on.target.shape.generation + 1);
    CHECK(turning_on.Patches() == 1);
  }
  SECTION("not done") {
    fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
    turning_on.Fault(fault);
    CHECK(turning_on.Run().step == Step::kDone);
    CHECK(turning_on.Patches() == 2);
  }
  SECTION("not to be known") {
    fault.lost_after = 0;
    turning_on.Fault(fault, 0);
    const PruningWrite flip = turning_on.Run();
    CHECK(flip.step == Step::kUnknown);
    CHECK_FALSE(flip.error.empty());
  }
}

TEST_CASE("A server that refuses the flip is asked once", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(422, "Invalid", "spec.validation: not structural");
  turning_on.Fault(fault);
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK_THAT(flip.error, Catch::Contains("spec.validation: not structural"));
  CHECK(turning_on.Patches() == 1);
}

TEST_CASE("A server that never takes the flip is not asked for ever", "[migrate][flip]") {
  TurningOn turning_on;
  turning_on.cluster.server.AddFault(
      {.target = kCrd,
       .times = 0,
       .answer = test_support::FakeStatus(500, "InternalError", "etcd is down")});
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK_THAT(flip.error, Catch::Contains("etcd is down"));
  CHECK(turning_on.Patches() == 0);
  CHECK(turning_on.cluster.server.requests().size() == 6);
}

TEST_CASE("A lost flip is not taken for done where the schemas were changed with it",
          "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
  fault.before = [&] {
    turning_on.cluster.server.PatchCrd(
        kName, R"({"spec":{"preserveUnknownFields":false,"versions":[{"name":"v1","served":true,
        "storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  };
  turning_on.Fault(fault);
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == "spec.preserveUnknownFields was turned off by somebody else meanwhile");
}

TEST_CASE("A signal lets a flip that was asked for end", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  fault.before = [&] { turning_on.cluster.stop = turning_on.stop = true; };
  fault.latency = std::chrono::seconds(5);
  turning_on.Fault(fault);
  const PruningWrite flip = turning_on.Run();
  CHECK(flip.step == Step::kDone);
  CHECK_FALSE(flip.resource_version.empty());
}

TEST_CASE("A signal ends the tries", "[migrate][flip]") {
  TurningOn turning_on;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
  SECTION("before the flip was asked for") {
    fault.first = 1;
    fault.before = [&] { turning_on.stop = true; };
    fault.target = kCrd;
    turning_on.cluster.server.AddFault(fault);
    CHECK(turning_on.Run().step == Step::kInterrupted);
  }
  SECTION("while the next one is waited for") {
    fault.before = [&] { turning_on.cluster.stop = turning_on.stop = true; };
    turning_on.Fault(fault);
    CHECK(turning_on.Run().step == Step::kUnknown);
  }
  CHECK(turning_on.cluster.clock.passed() < std::chrono::seconds(1));
}

TEST_CASE("A signal keeps the flip from being asked for", "[migrate][flip]") {
  TurningOn turning_on;
  turning_on.stop = true;
  CHECK(turning_on.Run().step == Step::kInterrupted);
  CHECK(turning_on.Patches() == 0);
}

}  // namespace pruning_write_test
}  // namespace migrate::migration
