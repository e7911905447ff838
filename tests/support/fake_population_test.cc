#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_cluster.h"

// What `populate` asks a server for, as Kubernetes' types have it.
namespace test_support {
namespace fake_population_test {

struct World {
  World() {
    api.Add(FakeCrdText("widgets"));
    api.Add(R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"name":"a",)"
            R"("namespace":"shop","uid":"u"},"spec":{}})");
  }
  FakeAnswer Send(const std::string& method, const std::string& target,
                  const std::string& body = "", const std::string& content_type = "") {
    kube::client::HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!content_type.empty()) request.headers = {{"Content-Type", content_type}};
    return api.Answer(request, {});
  }
  std::string Get(const std::string& target) { return Send("GET", target).body; }

  FakeApi api;
};

TEST_CASE("What CRDs serve is discovered", "[support]") {
  World world;
  CHECK(world.Get("/apis") ==
        R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"demo.example.com",)"
        R"("versions":[{"groupVersion":"demo.example.com/v1","version":"v1"},)"
        R"({"groupVersion":"demo.example.com/v1beta1","version":"v1beta1"}],"preferredVersion":)"
        R"({"groupVersion":"demo.example.com/v1","version":"v1"}}]})"
        "\n");
  const std::string resources = world.Get("/apis/demo.example.com/v1");
  CHECK(resources.find(
            R"("name":"widgets","singularName":"","namespaced":true,"kind":"Kindwidgets")") !=
        resources.npos);
  CHECK(world.Send("GET", "/apis/demo.example.com/v9").status == 404);
}

TEST_CASE("Namespaces that were added are listed", "[support]") {
  World world;
  world.api.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}})");
  const std::string list = world.Get("/api/v1/namespaces?limit=500");
  CHECK(list.find(R"("name":"kube-system")") < list.find(R"("name":"shop")"));
  CHECK(list.find(R"("name":"shop")") != list.npos);
}

TEST_CASE("A namespace is patched as what it was seen as", "[support]") {
  World world;
  world.api.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","uid":"u-1"}})");
  const auto patch = [&](const std::string& name, const std::string& metadata) {
    return world
        .Send("PATCH", "/api/v1/namespaces/" + name, R"({"metadata":)" + metadata + "}",
              "application/merge-patch+json")
        .status;
  };
  CHECK(patch("shop", R"({"uid":"u-2","labels":{"a":"x"}})") == 409);
  CHECK(patch("nosuch", R"({"labels":{"a":"x"}})") == 404);
  CHECK(world.Get("/api/v1/namespaces/shop").find("labels") == std::string::npos);
  CHECK(patch("shop", R"({"uid":"u-1","labels":{"a":"x"}})") == 200);
  CHECK(world.Get("/api/v1/namespaces/shop").find(R"("labels":{"a":"x"})") != std::string::npos);
  world.api.Deny("patch", "namespaces");
  CHECK(patch("shop", R"({"labels":{"a":"y"}})") == 403);
}

TEST_CASE("Namespaces are watched", "[support]") {
  World world;
  world.api.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"old"}})");
  const FakeAnswer answer = world.Send("GET", "/api/v1/namespaces?watch=1");
  REQUIRE(answer.watch);
  CHECK(answer.watch->next().empty());
  world.api.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"new"}})");
  world.api.Delete("namespaces", "old");
  const std::string events = answer.watch->next();
  CHECK(events.find(R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Namespace",)") == 0);
  CHECK(events.find(R"("type":"DELETED")") > events.find(R"("name":"new")"));
  CHECK(answer.watch->next().empty());
  CHECK_FALSE(answer.watch->is_over());
}

TEST_CASE("Events are created in namespaces that there are", "[support]") {
  World world;
  world.api.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}})");
  const auto create = [&](const std::string& namespace_) {
    return world
        .Send("POST", "/api/v1/namespaces/" + namespace_ + "/events",
              R"({"kind":"Event","metadata":{"generateName":"shop."}})")
        .status;
  };
  CHECK(create("shop") == 201);
  CHECK(create("shop") == 201);
  CHECK(create("nosuch") == 404);
  world.api.Deny("create", "events");
  CHECK(create("shop") == 403);
}

TEST_CASE("An object is deleted as what it was seen as", "[support]") {
  World world;
  const std::string target = "/apis/demo.example.com/v1/namespaces/shop/widgets/a";
  const auto remove = [&](const std::string& options) {
    return world.Send("DELETE", target, options).status;
  };
  CHECK(remove(R"({"preconditions":{"uid":"other"}})") == 409);
  CHECK(remove(R"({"preconditions":{"resourceVersion":"1"}})") == 409);
  CHECK(remove(R"({"preconditions":{"uid":"u"},"dryRun":["All"]})") == 200);
  CHECK(world.Send("DELETE", target + "?dryRun=All").status == 200);
  CHECK(world.api.Stored("widgets.demo.example.com", "shop/a") != nullptr);
  CHECK(remove(R"({"preconditions":{"uid":"u"}})") == 200);
  CHECK(remove(R"({"preconditions":{"uid":"u"}})") == 404);
}

}  // namespace fake_population_test
}  // namespace test_support
