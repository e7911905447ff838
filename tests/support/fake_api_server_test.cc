#include "tests/support/fake_api_server.h"

#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>

#include "tests/support/recording_sink.h"

// What is expected here was seen at a kube-apiserver 1.20.2.
namespace test_support {
namespace fake_api_server_test {

using std::chrono::seconds;
using Kind = kube::client::TransportError::Kind;

constexpr char kWidgets[] = R"({"apiVersion":"apiextensions.k8s.io/v1beta1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.example.com",
  "labels":{"a":"b"}},"spec":{"group":"demo.example.com","names":{"plural":"widgets",
  "kind":"Widget"},"scope":"Namespaced","validation":{"openAPIV3Schema":{"type":"object"}},
  "additionalPrinterColumns":[{"name":"X","type":"string","JSONPath":".spec.x"}],
  "versions":[{"name":"v1","served":true,"storage":true},
  {"name":"v1beta1","served":true,"storage":false},
  {"name":"v1alpha1","served":false,"storage":false}]}})";

std::string Widget(const std::string& name, const std::string& labels = "{}") {
  return R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":")" + name +
         R"(","namespace":"default","uid":"u","creationTimestamp":"t","labels":)" + labels +
         R"(},"spec":{"x":1}})";
}

struct World {
  World() {
    server.Add(kWidgets);
    for (const char* name : {"b", "a", "c"}) server.Add(Widget(name));
  }
  RecordingSink Get(const std::string& target, kube::base::Clock::Duration timeout = {}) {
    kube::client::HttpRequest request;
    request.target = target;
    RecordingSink sink;
    server.Start(request, timeout, sink);
    while (sink.ends == 0) server.Poll(kube::base::Clock::TimePoint::max());
    return sink;
  }
  std::string Body(const std::string& target) { return Get(target).body; }

  FakeClock clock;
  FakeApiServer server{clock};
};

std::string NamesOf(const std::string& list) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(list));
  std::string names;
  for (const auto& item : document.root().Find("items")->elements()) {
    names += item.Find("metadata")->FindText("name");
  }
  return names;
}

std::string MetadataOf(const std::string& list) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(list));
  return kube::json::Print(*document.root().Find("metadata"));
}

std::string TokenOf(const std::string& body) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(body));
  return std::string(document.root().Find("metadata")->FindText("continue"));
}

TEST_CASE("Discovery shows the versions that are served", "[support]") {
  World world;
  CHECK(world.Body("/apis/apiextensions.k8s.io") ==
        R"({"kind":"APIGroup","apiVersion":"v1","name":"apiextensions.k8s.io","versions":[{)"
        R"("groupVersion":"apiextensions.k8s.io/v1","version":"v1"},{)"
        R"("groupVersion":"apiextensions.k8s.io/v1beta1","version":"v1beta1"}],)"
        R"("preferredVersion":{"groupVersion":"apiextensions.k8s.io/v1","version":"v1"}})"
        "\n");
  world.server.ServeCrdVersions({"v1"});
  CHECK(world.Body("/apis/apiextensions.k8s.io").find("v1beta1") == std::string::npos);
  CHECK(world.Get("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions").body ==
        "404 page not found\n");
  CHECK(world.Body("/version").find("\"gitVersion\": \"v1.20.2\"") != std::string::npos);
}

TEST_CASE("Every group and version has its APIService", "[support]") {
  World world;
  const std::string list = world.Body("/apis/apiregistration.k8s.io/v1/apiservices");
  CHECK(list.starts_with(R"({"kind":"APIServiceList","apiVersion":"apiregistration.k8s.io/v1",)"));
  CHECK(NamesOf(list) == "v1.v1.apiextensions.k8s.iov1.demo.example.comv1beta1.demo.example.com");
}

TEST_CASE("CRDs are listed in either version, items without their type", "[support]") {
  World world;
  const auto v1 = world.Get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
  CHECK(v1.body.starts_with(R"({"kind":"CustomResourceDefinitionList",)"
                            R"("apiVersion":"apiextensions.k8s.io/v1","metadata":{)"
                            R"("resourceVersion":"108"},"items":[{"metadata":{)"));
  CHECK(v1.head->Find("Warning") == nullptr);
  CHECK(v1.body.find(R"("jsonPath":".spec.x")") != std::string::npos);
  CHECK(v1.body.find(R"("schema":{"openAPIV3Schema":{"type":"object"}})") != std::string::npos);
  CHECK(v1.body.find(R"("preserveUnknownFields":true)") != std::string::npos);
  CHECK(v1.body.find("\"validation\"") == std::string::npos);
  const auto v1beta1 = world.Get("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions");
  CHECK(*v1beta1.head->Find("Warning") ==
        "299 - \"apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, "
        "unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition\"");
  CHECK(v1beta1.body.find("\"validation\"") != std::string::npos);
  const std::string one = world.Body(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com");
  CHECK(one.starts_with(
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata")"));
  CHECK(one.find(R"("storedVersions":["v1"])") != std::string::npos);
  CHECK(NamesOf(world.Body("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?"
                           "labelSelector=a%3Dc")) == "");
}

TEST_CASE("Custom resources are listed in the order of their keys", "[support]") {
  World world;
  const std::string list = world.Body("/apis/demo.example.com/v1/widgets");
  CHECK(list.starts_with(
      R"({"apiVersion":"demo.example.com/v1","items":[{"apiVersion":"demo.example.com/v1",)"
      R"("kind":"Widget","metadata":{"creationTimestamp":"t","labels":{},"name":"a",)"
      R"("namespace":"default","resourceVersion":"107","uid":"u"},"spec":{"x":1}},)"));
  CHECK(list.ends_with(R"("kind":"WidgetList","metadata":{"continue":"","resourceVersion":"108"}})"
                       "\n"));
  CHECK(NamesOf(list) == "abc");
}

TEST_CASE("Every served version shows the same with its own apiVersion", "[support]") {
  World world;
  const std::string list = world.Body("/apis/demo.example.com/v1beta1/namespaces/default/widgets");
  CHECK(NamesOf(list) == "abc");
  CHECK(list.find("demo.example.com/v1\"") == std::string::npos);
  CHECK(world.Body("/apis/demo.example.com/v1alpha1/widgets") == "404 page not found\n");
  CHECK(NamesOf(world.Body("/apis/demo.example.com/v1/namespaces/other/widgets")) == "");
}

TEST_CASE("A list in chunks goes on as it was", "[support]") {
  World world;
  const std::string first = world.Body("/apis/demo.example.com/v1/widgets?limit=2");
  CHECK(NamesOf(first) == "ab");
  // {"v":"meta.k8s.io/v1","rv":108,"start":"default/b\u0000"}
  CHECK(
      MetadataOf(first) ==
      R"({"continue":"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTA4LCJzdGFydCI6ImRlZmF1bHQvYlx1MDAwMCJ9)"
      R"(","remainingItemCount":1,"resourceVersion":"108"})");
  world.server.Add(Widget("bb"));
  const std::string next =
      world.Body("/apis/demo.example.com/v1/widgets?limit=2&continue=" + TokenOf(first));
  CHECK(NamesOf(next) == "c");
  CHECK(MetadataOf(next) == R"({"continue":"","resourceVersion":"108"})");
}

TEST_CASE("A list after compaction is expired, and its token goes on from the present",
          "[support]") {
  World world;
  const std::string first = world.Body("/apis/demo.example.com/v1/widgets?limit=1");
  world.server.Add(Widget("bb"));
  world.server.Compact();
  const auto expired =
      world.Get("/apis/demo.example.com/v1/widgets?limit=1&continue=" + TokenOf(first));
  CHECK(expired.status() == 410);
  CHECK(expired.body ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"eyJ2IjoibWV0YS5rOHMuaW8vdjEi)"
        R"(LCJydiI6LTEsInN0YXJ0IjoiZGVmYXVsdC9hXHUwMDAwIn0"},"status":"Failure","message":"The )"
        R"(provided continue parameter is too old to display a consistent list result. You can )"
        R"(start a new list without the continue parameter, or use the continue token in this )"
        R"(response to retrieve the remainder of the results. Continuing with the provided token )"
        R"(results in an inconsistent list - objects that were created, modified, or deleted )"
        R"(between the time the first chunk was returned and now may show up in the list.",)"
        R"("reason":"Expired","code":410})"
        "\n");
  const std::string next =
      world.Body("/apis/demo.example.com/v1/widgets?limit=9&continue=" + TokenOf(expired.body));
  CHECK(NamesOf(next) == "bbbc");
  CHECK(MetadataOf(next) == R"({"continue":"","resourceVersion":"109"})");
}

TEST_CASE("Selectors choose, and then nobody counts what is left", "[support]") {
  World world;
  world.server.Add(Widget("d", R"({"app":"x"})"));
  world.server.Add(Widget("e", R"({"app":"x"})"));
  const std::string path = "/apis/demo.example.com/v1/widgets?";
  CHECK(NamesOf(world.Body(path + "labelSelector=app%3Dx")) == "de");
  CHECK(NamesOf(world.Body(path + "fieldSelector=metadata.name%3Dd")) == "d");
  const std::string first = world.Body(path + "limit=1&labelSelector=app%3D%3Dx");
  CHECK(NamesOf(first) == "d");
  CHECK_FALSE(TokenOf(first).empty());
  CHECK(first.find("remainingItemCount") == std::string::npos);
}

TEST_CASE("What is not there or not allowed is worded as the server does", "[support]") {
  World world;
  CHECK(world.Body("/apis/demo.example.com/v1/namespaces/default/widgets/zz") ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
        R"("widgets.demo.example.com \"zz\" not found","reason":"NotFound","details":{)"
        R"("name":"zz","group":"demo.example.com","kind":"widgets"},"code":404})"
        "\n");
  CHECK(world.Body("/apis/demo.example.com/v1/widgets/a") == "404 page not found\n");
  CHECK(world.Body("/apis/nogroup/v1/x") == "404 page not found\n");
  world.server.Forbid("widgets.demo.example.com");
  CHECK(world.Body("/apis/demo.example.com/v1/widgets") ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
        R"("widgets.demo.example.com is forbidden: User \"alice\" cannot list resource )"
        R"(\"widgets\" in API group \"demo.example.com\" at the cluster scope","reason":)"
        R"("Forbidden","details":{"group":"demo.example.com","kind":"widgets"},"code":403})"
        "\n");
  CHECK(world.Body("/apis/demo.example.com/v1/namespaces/default/widgets/a")
            .find(R"(widgets.demo.example.com \"a\" is forbidden: User \"alice\" cannot get )"
                  R"(resource \"widgets\" in API group \"demo.example.com\" in the namespace )"
                  R"(\"default\")") != std::string::npos);
  CHECK(world.Get("/apis/demo.example.com/v1/widgets").status() == 403);
  world.server.RequireToken("abc");
  CHECK(world.Body("/version") ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
        R"("Unauthorized","reason":"Unauthorized","code":401})"
        "\n");
}

TEST_CASE("A CRD that is deleted takes its objects with it", "[support]") {
  World world;
  world.server.Delete("customresourcedefinitions.apiextensions.k8s.io", "widgets.demo.example.com");
  CHECK(world.Body("/apis/demo.example.com/v1/widgets") == "404 page not found\n");
  CHECK(world
            .Get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                 "widgets.demo.example.com")
            .status() == 404);
}

TEST_CASE("Faults meet the requests that they were made for", "[support]") {
  World world;
  FakeFault fault;
  fault.target = "/widgets";
  fault.first = 2;
  SECTION("another answer, with its headers") {
    fault.answer = FakeText(429, "text/plain", "slow down\n");
    fault.headers = {{"Retry-After", "1"}};
    world.server.AddFault(fault);
    CHECK(world.Get("/apis/demo.example.com/v1/widgets").status() == 200);
    CHECK(world.Get("/version").status() == 200);
    const auto second = world.Get("/apis/demo.example.com/v1/widgets");
    CHECK(second.status() == 429);
    CHECK(*second.head->Find("Retry-After") == "1");
    CHECK(world.Get("/apis/demo.example.com/v1/widgets").status() == 200);
  }
  SECTION("for ever") {
    fault.times = 0;
    fault.lost = true;
    world.server.AddFault(fault);
    CHECK_FALSE(world.Get("/apis/demo.example.com/v1/widgets").error);
    for (int i = 0; i < 3; ++i) {
      const auto lost = world.Get("/apis/demo.example.com/v1/widgets");
      REQUIRE(lost.error);
      CHECK(lost.error->kind == Kind::kConnectionLost);
      CHECK(lost.heads == 0);
    }
  }
  SECTION("cut within the body") {
    fault.first = 1;
    fault.lost_after = 150;
    world.server.AddFault(fault);
    const auto cut = world.Get("/apis/demo.example.com/v1/widgets");
    REQUIRE(cut.error);
    CHECK(cut.error->kind == Kind::kConnectionLost);
    CHECK(cut.heads == 1);
    CHECK(cut.body.size() == 150);
  }
  SECTION("something happens before") {
    fault.first = 1;
    fault.before = [&] { world.server.Forbid("widgets.demo.example.com"); };
    world.server.AddFault(fault);
    CHECK(world.Get("/apis/demo.example.com/v1/widgets").status() == 403);
  }
}

TEST_CASE("Time passes as the answers take it", "[support]") {
  World world;
  FakeFault fault;
  fault.latency = seconds(3);
  fault.times = 0;
  world.server.AddFault(fault);
  CHECK_FALSE(world.Get("/version").error);
  CHECK(world.clock.passed() == seconds(3));
  const auto late = world.Get("/version", seconds(1));
  REQUIRE(late.error);
  CHECK(late.error->kind == Kind::kTimeout);
  CHECK(world.clock.passed() == seconds(4));
  world.server.Poll(world.clock.Now() + seconds(2));
  CHECK(world.clock.passed() == seconds(6));
  CHECK_THROWS_AS(world.server.Poll(kube::base::Clock::TimePoint::max()), std::logic_error);
}

TEST_CASE("Answers under way come in turn, in small pieces", "[support]") {
  World world;
  world.server.SetPieceSize(7);
  RecordingSink first, second;
  kube::client::HttpRequest request;
  request.target = "/version";
  std::string order;
  first.on_bytes = [&] { order += '1'; };
  second.on_bytes = [&] { order += '2'; };
  world.server.Start(request, {}, first);
  const auto id = world.server.Start(request, {}, second);
  while (second.pieces < 3) world.server.Poll(kube::base::Clock::TimePoint::max());
  CHECK(order == "121212");
  world.server.Cancel(id);
  while (first.ends == 0) world.server.Poll(kube::base::Clock::TimePoint::max());
  CHECK(second.pieces == 3);
  CHECK(world.server.RequestLines() == std::vector<std::string>(2, "GET /version"));
}

TEST_CASE("A request that nobody prepared for fails the test", "[support]") {
  World world;
  const auto [method, target] = GENERATE(table<std::string, std::string>({
      {"DELETE", "/apis/demo.example.com/v1/widgets"},
      {"GET", "/api/v1/pods"},
      {"GET", "/apis/demo.example.com/v1/widgets?labelSelector=a%21%3Db"},
  }));
  CAPTURE(method, target);
  kube::client::HttpRequest request;
  request.method = method;
  request.target = target;
  RecordingSink sink;
  world.server.Start(request, {}, sink);
  CHECK_THROWS_AS(world.server.Poll(kube::base::Clock::TimePoint::max()), std::logic_error);
}

}  // namespace fake_api_server_test
}  // namespace test_support
