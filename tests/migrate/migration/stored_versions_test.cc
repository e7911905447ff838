#include <algorithm>
#include <catch2/catch.hpp>

#include "migrate/check/crd_request.h"
#include "migrate/migration/steps.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace stored_versions_test {

using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kTarget =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com";
const std::string kTwoStored = R"({"status":{"storedVersions":["v1beta1","v1"]}})";

/// A cluster with a CRD that has two stored versions, and what it was.
struct Stored {
  Stored() {
    cluster.server.Add(FakeCrdText("widgets"));
    cluster.server.PatchCrd(kName, kTwoStored);
    shape = check::ShapeOf(*check::GetCrd(cluster.client, kTarget));
  }
  TrimmedVersions Trim() { return TrimStoredVersions(kTarget, shape, cluster.session()); }
  Strings Now() { return check::GetCrd(cluster.client, kTarget)->stored_versions; }
  std::ptrdiff_t Patches() {
    return std::ranges::count(cluster.server.requests(), "PATCH",
                              &kube::client::HttpRequest::method);
  }
  /// Something that happens before the n-th PATCH is answered, or in its place.
  void AtPatch(FakeFault fault) {
    fault.target = "/status";
    cluster.server.AddFault(std::move(fault));
  }

  FakeCluster cluster;
  check::CrdShape shape;
};

TEST_CASE("storedVersions become just the storage version, guarded by the resource version",
          "[migrate][stored_versions]") {
  Stored stored;
  const TrimmedVersions trimmed = stored.Trim();
  CHECK(trimmed.kept_because.empty());
  CHECK(trimmed.after == Strings{"v1"});
  CHECK(stored.Now() == Strings{"v1"});
  const auto& requests = stored.cluster.server.requests();
  const auto patch = std::ranges::find(requests, "PATCH", &kube::client::HttpRequest::method);
  REQUIRE(patch != requests.end());
  CHECK(patch->target == kTarget + "/status");
  CHECK_THAT(patch->body, Contains(R"({"metadata":{"resourceVersion":")") &&
                              Contains(R"("status":{"storedVersions":["v1"]}})"));
}

TEST_CASE("What the cluster has trimmed is put back, if it has", "[migrate][stored_versions]") {
  Stored stored;
  const Strings both = {"v1beta1", "v1"};
  const auto put_back = [&] {
    return PutStoredVersionsBack(kTarget, stored.shape, both, stored.cluster.session());
  };
  CHECK(put_back().kept_because.empty());
  CHECK(stored.Patches() == 0);
  REQUIRE(stored.Trim().after == Strings{"v1"});
  const TrimmedVersions kept = put_back();
  CHECK(kept.kept_because.empty());
  CHECK(kept.after == both);
  CHECK(stored.Now() == both);
}

TEST_CASE("Where there is nothing to trim nothing is written", "[migrate][stored_versions]") {
  Stored stored;
  stored.cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1"]}})");
  const TrimmedVersions trimmed = stored.Trim();
  CHECK(trimmed.kept_because.empty());
  CHECK(trimmed.after == Strings{"v1"});
  CHECK(stored.Patches() == 0);
}

TEST_CASE("After a conflict the CRD is read and compared again", "[migrate][stored_versions]") {
  Stored stored;
  auto& server = stored.cluster.server;
  FakeFault fault;
  SECTION("only its status has changed: trimmed") {
    fault.before = [&server] {
      server.PatchCrd(kName, R"({"status":{"storedVersions":["v1alpha1","v1beta1","v1"]}})");
    };
    stored.AtPatch(fault);
    CHECK(stored.Trim().kept_because.empty());
    CHECK(stored.Now() == Strings{"v1"});
    CHECK(stored.Patches() == 2);
  }
  SECTION("its spec has changed: left alone") {
    fault.before = [&server] { server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})"); };
    stored.AtPatch(fault);
    CHECK_THAT(stored.Trim().kept_because, Contains("was changed meanwhile"));
    CHECK(stored.Now() == Strings{"v1beta1", "v1"});
    CHECK(stored.Patches() == 1);
  }
}

TEST_CASE("Conflicts without end are given up", "[migrate][stored_versions]") {
  Stored stored;
  FakeFault fault;
  fault.times = 0;
  fault.answer = FakeStatus(409, "Conflict", "the object has been modified");
  stored.AtPatch(fault);
  const TrimmedVersions trimmed = stored.Trim();
  CHECK_THAT(trimmed.kept_because, Contains("the object has been modified"));
  CHECK(trimmed.after == Strings{"v1beta1", "v1"});
  CHECK(stored.Patches() == 5);
}

TEST_CASE("What the server refuses is not tried again", "[migrate][stored_versions]") {
  Stored stored;
  stored.cluster.server.Deny("patch", "customresourcedefinitions.apiextensions.k8s.io/status");
  const TrimmedVersions trimmed = stored.Trim();
  CHECK_THAT(trimmed.kept_because, Contains("Forbidden"));
  CHECK(trimmed.after == Strings{"v1beta1", "v1"});
  CHECK(stored.Patches() == 1);
}

TEST_CASE("A value that the server did not take is noticed", "[migrate][stored_versions]") {
  Stored stored;
  FakeFault fault;
  fault.times = 0;
  fault.answer = FakeText(200, "application/json", FakeCrdText("widgets"));
  stored.AtPatch(fault);
  const TrimmedVersions trimmed = stored.Trim();
  CHECK_THAT(trimmed.kept_because, Contains("did not do it"));
  CHECK(trimmed.after == Strings{"v1beta1", "v1"});
}

TEST_CASE("A PATCH whose answer was lost is looked up", "[migrate][stored_versions]") {
  Stored stored;
  FakeFault fault;
  fault.lost_after = 10;  // it was done
  stored.AtPatch(fault);
  const TrimmedVersions trimmed = stored.Trim();
  CHECK(trimmed.kept_because.empty());
  CHECK(trimmed.after == Strings{"v1"});
  CHECK(stored.Patches() == 1);
}

TEST_CASE("A CRD that is no longer what it was is left alone", "[migrate][stored_versions]") {
  Stored stored;
  auto& server = stored.cluster.server;
  std::string expected;
  SECTION("changed") {
    server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
    expected = "was changed meanwhile";
  }
  SECTION("another storage version") {
    server.PatchCrd(kName, R"({"spec":{"versions":[{"name":"v1beta1","served":true,)"
                           R"("storage":true}]}})");
    expected = "the storage version was changed";
  }
  SECTION("of another uid") {
    server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
    server.Add(FakeCrdText("widgets"));
    server.PatchCrd(kName, kTwoStored);
    expected = "created anew";
  }
  SECTION("pruning was turned off") {
    server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":true}})");
    expected = "preserveUnknownFields was turned on";
  }
  CHECK_THAT(stored.Trim().kept_because, Contains(expected));
  CHECK(stored.Now() == Strings{"v1beta1", "v1"});
  CHECK(stored.Patches() == 0);
}

TEST_CASE("A CRD that is gone cannot be trimmed", "[migrate][stored_versions]") {
  Stored stored;
  stored.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
  CHECK_THAT(stored.Trim().kept_because, Contains("NotFound"));
}

}  // namespace stored_versions_test
}  // namespace migrate::migration
