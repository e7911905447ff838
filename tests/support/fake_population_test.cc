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
                  const std::string& body = "") {
    kube::http::HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
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
