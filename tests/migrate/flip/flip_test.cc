#include "migrate/migration/flip.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "migrate/check/crd_request.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace flip_test {

using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using Step = Flip::Step;

const std::string kName = "widgets.demo.example.com";
const std::string kCrd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + kName;

/// A CRD that preserves unknown fields and is about to be flipped.
struct Flipping {
  Flipping() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    const kube::crd::Crd crd = Crd();
    target = {kCrd, check::ShapeOf(crd)};
  }
  kube::crd::Crd Crd() {
    auto crd = check::GetCrd(cluster.client, kCrd);
    REQUIRE(crd);
    return *std::move(crd);
  }
  Flip Run(bool dry_run = false) {
    return RequestFlip(target, dry_run, {cluster.client, cluster.clock, &stop});
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
  FlipTarget target;
  std::atomic<bool> stop = false;
};

TEST_CASE("The flip is guarded by the resourceVersion of the CRD", "[migrate][flip]") {
  Flipping flipping;
  const std::string version = flipping.Crd().resource_version;
  const Flip flip = flipping.Run();
  REQUIRE(flip.step == Step::kDone);
  const kube::crd::Crd crd = flipping.Crd();
  CHECK_FALSE(crd.preserve_unknown_fields);
  CHECK(flip.resource_version == crd.resource_version);
  CHECK(flip.generation == flipping.target.shape.generation + 1);
  const auto& requests = flipping.cluster.server.requests();
  const auto patch = std::ranges::find(requests, "PATCH", &kube::client::HttpRequest::method);
  REQUIRE(patch != requests.end());
  CHECK(patch->target == kCrd);
  CHECK(patch->body == R"({"metadata":{"resourceVersion":")" + version +
                           R"("},"spec":{"preserveUnknownFields":false}})");
}

TEST_CASE("A dry run of the flip changes nothing", "[migrate][flip]") {
  Flipping flipping;
  CHECK(flipping.Run(true).step == Step::kDone);
  CHECK(flipping.Crd().preserve_unknown_fields);
  CHECK(flipping.cluster.server.RequestLines()[2] == "PATCH " + kCrd + "?dryRun=All");
}

TEST_CASE("A conflict over status alone is no reason to stop", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.before = [&] {
    flipping.cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1","v1beta1"]}})");
  };
  flipping.Fault(fault);
  CHECK(flipping.Run().step == Step::kDone);
  CHECK(flipping.Patches() == 2);
}

TEST_CASE("A CRD that is no longer the same is not flipped", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  std::string why;
  SECTION("its spec was changed") {
    fault.before = [&] {
      flipping.cluster.server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
    };
    why = "the spec of the CustomResourceDefinition was changed meanwhile";
  }
  SECTION("it was made anew") {
    fault.before = [&] {
      flipping.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
      flipping.cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    };
    why = "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  flipping.Fault(fault);
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == why);
  CHECK(flipping.Crd().preserve_unknown_fields);
}

TEST_CASE("A flip by somebody else is not taken for ours", "[migrate][flip]") {
  Flipping flipping;
  flipping.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == "spec.preserveUnknownFields was turned off by somebody else meanwhile");
  CHECK(flipping.Patches() == 0);
}

TEST_CASE("Whether a flip without an answer was done is read from the CRD", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  SECTION("done") {
    fault.lost_after = 0;
    flipping.Fault(fault);
    const Flip flip = flipping.Run();
    CHECK(flip.step == Step::kDone);
    CHECK(flip.resource_version == flipping.Crd().resource_version);
    CHECK(flip.generation == flipping.target.shape.generation + 1);
    CHECK(flipping.Patches() == 1);
  }
  SECTION("not done") {
    fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
    flipping.Fault(fault);
    CHECK(flipping.Run().step == Step::kDone);
    CHECK(flipping.Patches() == 2);
  }
  SECTION("not to be known") {
    fault.lost_after = 0;
    flipping.Fault(fault, 0);
    const Flip flip = flipping.Run();
    CHECK(flip.step == Step::kUnknown);
    CHECK_FALSE(flip.error.empty());
  }
}

TEST_CASE("A server that refuses the flip is asked once", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(422, "Invalid", "spec.validation: not structural");
  flipping.Fault(fault);
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK_THAT(flip.error, Catch::Contains("spec.validation: not structural"));
  CHECK(flipping.Patches() == 1);
}

TEST_CASE("A server that never takes the flip is not asked for ever", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.target = kCrd;
  fault.times = 0;
  fault.answer = test_support::FakeStatus(500, "InternalError", "etcd is down");
  flipping.cluster.server.AddFault(fault);
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK_THAT(flip.error, Catch::Contains("etcd is down"));
  CHECK(flipping.Patches() == 0);
  CHECK(flipping.cluster.server.requests().size() == 6);
}

TEST_CASE("A lost flip is not taken for done where the schemas were changed with it",
          "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
  fault.before = [&] {
    flipping.cluster.server.PatchCrd(
        kName, R"({"spec":{"preserveUnknownFields":false,"versions":[{"name":"v1","served":true,
        "storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  };
  flipping.Fault(fault);
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kRefused);
  CHECK(flip.error == "spec.preserveUnknownFields was turned off by somebody else meanwhile");
}

TEST_CASE("A signal lets a flip that was asked for end", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.before = [&] { flipping.cluster.stop = flipping.stop = true; };
  fault.latency = std::chrono::seconds(5);
  flipping.Fault(fault);
  const Flip flip = flipping.Run();
  CHECK(flip.step == Step::kDone);
  CHECK_FALSE(flip.resource_version.empty());
}

TEST_CASE("A signal ends the tries", "[migrate][flip]") {
  Flipping flipping;
  FakeFault fault;
  fault.answer = test_support::FakeStatus(503, "ServiceUnavailable", "try again");
  SECTION("before the flip was asked for") {
    fault.first = 1;
    fault.before = [&] { flipping.stop = true; };
    fault.target = kCrd;
    flipping.cluster.server.AddFault(fault);
    CHECK(flipping.Run().step == Step::kInterrupted);
  }
  SECTION("while the next one is waited for") {
    fault.before = [&] { flipping.cluster.stop = flipping.stop = true; };
    flipping.Fault(fault);
    CHECK(flipping.Run().step == Step::kUnknown);
  }
  CHECK(flipping.cluster.clock.passed() < std::chrono::seconds(1));
}

TEST_CASE("A signal keeps the flip from being asked for", "[migrate][flip]") {
  Flipping flipping;
  flipping.stop = true;
  CHECK(flipping.Run().step == Step::kInterrupted);
  CHECK(flipping.Patches() == 0);
}

}  // namespace flip_test
}  // namespace migrate::migration
