#include "tests/support/fake_writes.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_cluster.h"
#include "tests/support/recording_sink.h"

/// The fake's answers to writes are those that a real server of 1.20.2 gave.
namespace test_support {
namespace fake_writes_test {

const std::string kWidgets = "/apis/demo.example.com/v1/namespaces/shop/widgets/";
constexpr char kMetadata[] =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr char kMetadataList[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,application/json";

struct World {
  World() {
    server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":false)"));
    server.Add(FakeObjectText("widgets", "clean", R"({"a":"x"})"));
    server.Add(FakeObjectText("widgets", "dirty", R"({"a":"x","old":1})"));
  }
  RecordingSink Send(const std::string& method, const std::string& target,
                     const std::string& body = "", const std::string& accept = kMetadata) {
    kube::client::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Accept", accept}};
    request.body = body;
    if (method != "GET") {
      request.headers.push_back({"Content-Type", method == "PATCH" ? "application/merge-patch+json"
                                                                   : "application/json"});
    }
    RecordingSink sink;
    server.Start(request, {}, sink);
    while (sink.ends == 0) server.Poll(kube::base::Clock::TimePoint::max());
    return sink;
  }
  std::string Get(const std::string& name) {
    return Send("GET", kWidgets + name, "", "application/json").body;
  }
  std::string VersionOf(const std::string& name) const {
    const auto* stored = server.Stored("widgets.demo.example.com", "shop/" + name);
    return std::string(stored->Find("metadata")->FindText("resourceVersion"));
  }

  FakeClock clock;
  FakeApiServer server{clock};
};

TEST_CASE("A patch of nothing writes what a read shows, if etcd holds something else",
          "[support]") {
  World world;
  const std::string clean = world.VersionOf("clean"), dirty = world.VersionOf("dirty");
  CHECK(world.Send("PATCH", kWidgets + "clean", "{}").status() == 200);
  CHECK(world.VersionOf("clean") == clean);
  CHECK(world.Send("PATCH", kWidgets + "dirty?dryRun=All", "{}").body.find(dirty) !=
        std::string::npos);
  CHECK(world.VersionOf("dirty") == dirty);
  const std::string answer = world.Send("PATCH", kWidgets + "dirty", "{}").body;
  const std::string anew = world.VersionOf("dirty");
  CHECK(anew != dirty);
  const auto* stored = world.server.Stored("widgets.demo.example.com", "shop/dirty");
  CHECK(kube::json::Print(*stored->Find("spec")) == R"({"a":"x"})");
  CHECK(answer == R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{)"
                  R"("name":"dirty","namespace":"shop","uid":")" +
                      std::string(stored->Find("metadata")->FindText("uid")) +
                      R"(","resourceVersion":")" + anew +
                      R"(","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z"}})"
                      "\n");
  world.Send("PATCH", kWidgets + "dirty", "{}");
  CHECK(world.VersionOf("dirty") == anew);
}

TEST_CASE("A read shows objects pruned, or only their metadata", "[support]") {
  World world;
  CHECK(world.Get("dirty").find("old") == std::string::npos);
  CHECK(world.Send("GET", kWidgets + "dirty").body.find("spec") == std::string::npos);
  const std::string list =
      world.Send("GET", "/apis/demo.example.com/v1/widgets?limit=1", "", kMetadataList).body;
  CHECK(
      list.starts_with(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1",)"
                       R"("metadata":{"resourceVersion":")"));
  CHECK(list.find(R"(","continue":")") != std::string::npos);
  CHECK(list.find("remainingItemCount") == std::string::npos);
  CHECK(list.find(R"("items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1",)"
                  R"("metadata":{"name":"clean","namespace":"shop","uid":")") != std::string::npos);
}

TEST_CASE("What was read can be put back once", "[support]") {
  World world;
  const std::string object = world.Get("dirty");
  CHECK(world.Send("PUT", kWidgets + "dirty?dryRun=All", object).status() == 200);
  CHECK(world.Send("PUT", kWidgets + "dirty", object).status() == 200);
  const RecordingSink second = world.Send("PUT", kWidgets + "dirty", object);
  CHECK(second.status() == 409);
  CHECK(second.body ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
        R"("Operation cannot be fulfilled on widgets.demo.example.com \"dirty\": the object has )"
        R"(been modified; please apply your changes to the latest version and try again",)"
        R"("reason":"Conflict","details":{"name":"dirty","group":"demo.example.com",)"
        R"("kind":"widgets"},"code":409})"
        "\n");
}

TEST_CASE("A put to another object is refused", "[support]") {
  World world;
  const std::string object = world.Get("dirty");
  const RecordingSink other = world.Send("PUT", kWidgets + "clean", object);
  CHECK(other.status() == 400);
  CHECK(other.body.find("the name of the object (dirty) does not match the name on the URL "
                        "(clean)") != std::string::npos);
  world.server.Delete("widgets.demo.example.com", "shop/dirty");
  const RecordingSink gone = world.Send("PUT", kWidgets + "dirty", object);
  CHECK(gone.status() == 409);
  CHECK(gone.body.find("Key: /registry/demo.example.com/widgets/shop/dirty, ResourceVersion: 0, "
                       "AdditionalErrorMsg: Precondition failed: UID in precondition: ") !=
        std::string::npos);
}

TEST_CASE("A put that changes something moves the generation", "[support]") {
  World world;
  std::string object = world.Get("clean");
  object.replace(object.find("\"x\""), 3, "\"y\"");
  CHECK(world.Send("PUT", kWidgets + "clean", object).body.find(R"("generation":2)") !=
        std::string::npos);
}

TEST_CASE("Who writes what is not there or not allowed is told so", "[support]") {
  World world;
  CHECK(world.Send("PATCH", kWidgets + "none", "{}").body ==
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
        R"("widgets.demo.example.com \"none\" not found","reason":"NotFound","details":{)"
        R"("name":"none","group":"demo.example.com","kind":"widgets"},"code":404})"
        "\n");
  world.server.Forbid("widgets.demo.example.com");
  CHECK(world.Send("PATCH", kWidgets + "dirty", "{}").body.find("cannot patch resource") !=
        std::string::npos);
  CHECK(world.Send("PUT", kWidgets + "dirty", "{}").body.find("cannot update resource") !=
        std::string::npos);
}

TEST_CASE("An object that is stored in another version is stored anew", "[support]") {
  World world;
  world.server.Add(R"({"apiVersion":"demo.example.com/v1beta1","kind":"Kindwidgets","metadata":)"
                   R"({"namespace":"shop","name":"old"},"spec":{}})");
  const std::string version = world.VersionOf("old");
  world.Send("PATCH", kWidgets + "old", "{}");
  CHECK(world.VersionOf("old") != version);
  CHECK(world.server.Stored("widgets.demo.example.com", "shop/old")->FindText("apiVersion") ==
        "demo.example.com/v1");
}

}  // namespace fake_writes_test
}  // namespace test_support
