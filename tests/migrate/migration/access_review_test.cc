#include "migrate/migration/access_review.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace access_review_test {

using test_support::FakeCluster;
using test_support::FakeFault;

const Access kPatch{.verb = "patch", .group = "demo.example.com", .resource = "widgets"};

bool AskWhetherAllowed(const Access& access, kube::client::Client& client) {
  return migration::AskWhetherAllowed(std::vector{access}, client)[0];
}

TEST_CASE("The server is asked for one right", "[migrate][access_review]") {
  FakeCluster cluster;
  CHECK(AskWhetherAllowed(kPatch, cluster.client));
  cluster.server.Deny("patch", "widgets.demo.example.com");
  CHECK_FALSE(AskWhetherAllowed(kPatch, cluster.client));
  const kube::client::HttpRequest& request = cluster.server.requests().back();
  CHECK(request.method == "POST");
  CHECK(request.target == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  CHECK(request.body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
        R"({"resourceAttributes":{"group":"demo.example.com","resource":"widgets",)"
        R"("verb":"patch"}}})");
}

TEST_CASE("Subresource, namespace and name are part of the question", "[migrate][access_review]") {
  FakeCluster cluster;
  Access access = kPatch;
  access.subresource = "status";
  access.namespace_ = "shop";
  access.name = "a\"b";
  CHECK(AskWhetherAllowed(access, cluster.client));
  CHECK(cluster.server.requests().back().body.find(
            R"({"group":"demo.example.com","name":"a\"b","namespace":"shop",)"
            R"("resource":"widgets","subresource":"status","verb":"patch"})") != std::string::npos);
}

TEST_CASE("The server is asked for several rights at once", "[migrate][access_review]") {
  FakeCluster cluster;
  cluster.server.Deny("patch", "widgets.demo.example.com");
  cluster.server.AddFault(
      {.target = "selfsubjectaccessreviews", .times = 0, .latency = std::chrono::seconds(1)});
  Access list = kPatch;
  list.verb = "list";
  CHECK(migration::AskWhetherAllowed({list, kPatch, list}, cluster.client) ==
        std::vector<bool>{true, false, true});
  CHECK(cluster.clock.passed() < std::chrono::seconds(2));
  CHECK(migration::AskWhetherAllowed({}, cluster.client).empty());
}

TEST_CASE("Where no answer can be had the right is taken to be there", "[migrate][access_review]") {
  FakeCluster cluster;
  FakeFault fault;
  fault.target = "selfsubjectaccessreviews";
  fault.times = 0;
  SECTION("the connection is lost") { fault.lost = true; }
  SECTION("no JSON") { fault.answer = test_support::FakeText(201, "text/html", "<html>"); }
  SECTION("no status") { fault.answer = test_support::FakeText(201, "application/json", "[]"); }
  SECTION("not a boolean") {
    fault.answer =
        test_support::FakeText(201, "application/json", R"({"status":{"allowed":"no"}})");
  }
  cluster.server.AddFault(fault);
  CHECK(AskWhetherAllowed(kPatch, cluster.client));
}

}  // namespace access_review_test
}  // namespace migrate::migration
