#include "migrate/check/crd_guard.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>

#include "migrate/check/crd_request.h"
#include "tests/support/fake_cluster.h"

namespace migrate::check {
namespace {

using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeStatus;

const std::string kName = "widgets.demo.example.com";
const std::string kTarget =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com";

/// A cluster with one CRD, and a guard of it.
struct Guarded {
  Guarded() { cluster.server.Add(FakeCrdText("widgets")); }
  CrdGuard Guard() {
    return {kTarget, ShapeOf(*GetCrd(cluster.client, kTarget)), cluster.session()};
  }

  FakeCluster cluster;
};

TEST_CASE("A CRD that stays as it is, but for its status, has not changed", "[migrate][guard]") {
  Guarded guarded;
  CrdGuard guard = guarded.Guard();
  CHECK(guard.CheckCrdUnchanged() == std::nullopt);
  guarded.cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1","v9"]}})");
  CHECK(guard.CheckCrdUnchanged() == std::nullopt);
}

TEST_CASE("A change of the CRD is told in its own words", "[migrate][guard]") {
  Guarded guarded;
  CrdGuard guard = guarded.Guard();
  auto& server = guarded.cluster.server;
  std::string expected;
  SECTION("pruning was turned off again") {
    server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
    expected = "spec.preserveUnknownFields was turned on meanwhile";
  }
  SECTION("another storage version") {
    server.PatchCrd(kName, R"({"spec":{"versions":[{"name":"v2","served":true,"storage":true}]}})");
    expected = "the storage version was changed from \"v1\" to \"v2\" meanwhile";
  }
  SECTION("another schema") {
    server.PatchCrd(kName, R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    expected = "the schemas were changed meanwhile";
  }
  SECTION("anything else in its spec") {
    server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
    expected = "the CustomResourceDefinition was changed meanwhile (generation 1 became 2)";
  }
  SECTION("created anew") {
    server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
    server.Add(FakeCrdText("widgets"));
    expected = "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  SECTION("deleted") {
    server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
    expected = "the CustomResourceDefinition was deleted";
  }
  CHECK(guard.CheckCrdUnchanged() == expected);
}

TEST_CASE("A CRD is read whole once, and again only when its resource version has moved",
          "[migrate][guard]") {
  Guarded guarded;
  CrdGuard guard = guarded.Guard();
  auto& server = guarded.cluster.server;
  const auto whole_reads = [&server, before = server.requests().size()] {
    return std::ranges::count_if(
        server.requests().begin() + static_cast<std::ptrdiff_t>(before), server.requests().end(),
        [](const kube::client::HttpRequest& request) {
          const kube::client::ResponseHead head{0, request.headers};
          return head.Find("Accept")->find("PartialObjectMetadata") == std::string_view::npos;
        });
  };
  for (int i = 0; i < 5; ++i) CHECK(guard.CheckCrdUnchanged() == std::nullopt);
  CHECK(whole_reads() == 1);
  server.PatchCrd(kName, R"({"metadata":{"labels":{"a":"b"}}})");
  for (int i = 0; i < 5; ++i) CHECK(guard.CheckCrdUnchanged() == std::nullopt);
  CHECK(whole_reads() == 2);
  server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
  CHECK(guard.CheckCrdUnchanged());
}

TEST_CASE("A CRD that cannot be read for a moment has not changed", "[migrate][guard]") {
  Guarded guarded;
  CrdGuard guard = guarded.Guard();
  guarded.cluster.server.AddFault(
      {.target = kName, .times = 30, .answer = FakeStatus(GENERATE(500, 503), "", "not now")});
  CHECK(guard.CheckCrdUnchanged() == std::nullopt);
  CHECK(guarded.cluster.clock.passed() >= std::chrono::seconds(29));
}

TEST_CASE("Of a CRD that cannot be read nobody knows that it has not changed", "[migrate][guard]") {
  Guarded guarded;
  CrdGuard guard = guarded.Guard();
  const int code = GENERATE(401, 403, 503);
  guarded.cluster.server.AddFault(
      {.target = kName, .times = 0, .answer = FakeStatus(code, "", "not now")});
  const auto change = guard.CheckCrdUnchanged();
  REQUIRE(change);
  CHECK_THAT(*change, Contains("cannot be read any more") && Contains("not now"));
  CHECK((guarded.cluster.clock.passed() < std::chrono::seconds(30)) == (code != 503));
}

TEST_CASE("An answer that is no CRD is an error, not a CRD", "[migrate][guard]") {
  Guarded guarded;
  guarded.cluster.server.AddFault(
      {.target = kName,
       .answer = test_support::FakeText(
           200, "application/json",
           GENERATE(R"({"kind":"Status","apiVersion":"v1"})", "null", "<html></html>",
                    R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",)"
                    R"("spec":{"versions":7}})"))});
  const auto crd = GetCrd(guarded.cluster.client, kTarget);
  REQUIRE_FALSE(crd);
  CHECK_THAT(crd.error().message, Contains("the server's answer"));
}

}  // namespace
}  // namespace migrate::check
