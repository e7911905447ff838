#include "migrate/sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "kube/base/error.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::sweep {
namespace sweep_test {

using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;

const std::string kResource = "widgets.demo.example.com";
const std::string kWidgets = "/apis/demo.example.com/v1/widgets";
const std::string kInShop = "/apis/demo.example.com/v1/namespaces/shop/widgets/";

struct Killed {};

/// A cluster whose widgets prune: in etcd those with an odd number have a field too many.
struct World {
  explicit World(int count = 10) {
    cluster.server.Add(test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":false)"));
    for (int i = 0; i < count; ++i) Add(i, i % 2 == 1);
    options.chunk_size = 4;
  }

  static std::string Name(int number) { return "w" + std::to_string(1000 + number); }
  void Add(int number, bool is_dirty) {
    cluster.server.Add(test_support::FakeObjectText(
        "widgets", Name(number), is_dirty ? R"({"a":"x","old":1})" : R"({"a":"x"})"));
  }
  /// Another writer stores what has a field too many, by a server that does not prune.
  void AddDirt(int number) {
    test_support::WriteFakeObject(cluster.server, "widgets", Name(number), R"({"old":1})");
  }
  void Delete(int number) { cluster.server.Delete(kResource, "shop/" + Name(number)); }

  SweepResult Run() { return Sweep(target, options, folder.path(), "run", cluster.session()); }
  SweepResult Verify() {
    return SweepAgain(target, options, folder.path(), "run", "again", cluster.session());
  }
  SweepResult RunNamed(const std::vector<write::ObjectName>& names) {
    return SweepNamed(target, options, folder.path(), names, "named", cluster.session());
  }

  /// A fault of all requests whose target has `part` in it.
  static FakeFault Always(const std::string& part) {
    FakeFault fault;
    fault.target = part;
    fault.times = 0;
    return fault;
  }
  void AnswerAlways(int object, int code, const std::string& reason, const std::string& message) {
    FakeFault fault = Always(kInShop + Name(object));
    fault.answer = FakeStatus(code, reason, message);
    cluster.server.AddFault(fault);
  }
  /// Runs `action` before the `first` request is answered whose target has `part` in it.
  void Before(const std::string& part, int first, std::function<void()> action) {
    FakeFault fault;
    fault.target = part;
    fault.first = first;
    fault.before = std::move(action);
    cluster.server.AddFault(fault);
  }
  int Requests(const std::string& start) const {
    int count = 0;
    for (const std::string& line : cluster.server.RequestLines()) {
      count += line.starts_with(start) ? 1 : 0;
    }
    return count;
  }
  std::string Spec(int number) const {
    const auto* stored = cluster.server.Stored(kResource, "shop/" + Name(number));
    return stored == nullptr ? "none" : kube::json::Print(*stored->Find("spec"));
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  write::SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  SweepOptions options;
};

/// The classes that have objects, as "rewritten 5, unchanged 5".
std::string Text(const report::ClassCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
    const auto object_class = static_cast<report::ObjectClass>(i);
    if (counts[object_class] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(report::ClassName(object_class)) + " " +
            std::to_string(counts[object_class]);
  }
  return text;
}

TEST_CASE("Every object is written, and what needs it changes in etcd", "[migrate][sweep]") {
  World world;
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK(result.failures.empty());
  CHECK_FALSE(result.stopped);
  CHECK_FALSE(result.list_error);
  CHECK_FALSE(result.is_interrupted);
  CHECK(result.generations_moved == 0);
  CHECK(world.Spec(1) == R"({"a":"x"})");
  CHECK(world.Requests("PATCH " + kInShop) == 10);
  CHECK(world.Requests("GET " + kWidgets + "?limit=4") == 3);
  CHECK(world.cluster.server.requests().size() == 13);
}

TEST_CASE("The rest of a short list comes in one piece, whatever becomes of the writes",
          "[migrate][sweep]") {
  World world(12);
  world.options.most_in_one_piece = 12;
  const std::string piece = "GET " + kWidgets + "?resourceVersion=";
  SECTION("that go on") {
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 6");
    CHECK(world.Requests(piece) == 1);
    CHECK(world.Requests("GET") == 3);
  }
  SECTION("of which some of the first chunk fail") {
    world.AnswerAlways(0, 422, "Invalid", "is invalid");
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 5, invalid 1");
    CHECK(world.Requests(piece) == 1);
  }
  SECTION("of which those of the first chunk are held") {
    world.options.is_held = [](const spool::ListedObject& object) { return object.name < "w1004"; };
    CHECK(Text(world.Run().counts) == "rewritten 4, unchanged 4, held 4");
    CHECK(world.Requests(piece) == 0);
  }
  SECTION("that are ended by a signal while it is read") {
    std::atomic<bool> stop = false;
    world.cluster.run_stop = &stop;
    world.Before("NotOlderThan", 1, [&] { stop = true; });
    CHECK(world.Run().is_interrupted);
    world.cluster.run_stop = nullptr;
    CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 6");
  }
}

TEST_CASE("Without chunks the list comes in one piece", "[migrate][sweep]") {
  World world;
  world.options.chunk_size = 0;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("GET") == 1);
}

TEST_CASE("A resource without objects is done at once", "[migrate][sweep]") {
  World world(0);
  CHECK(Text(world.Run().counts).empty());
  CHECK(world.Requests("PATCH") == 0);
}

TEST_CASE("Only what is selected is written", "[migrate][sweep]") {
  World world;
  world.target.namespace_ = "shop";
  world.target.field_selector = "metadata.name=w1003";
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.Requests("GET /apis/demo.example.com/v1/namespaces/shop/widgets?fieldSelector=") ==
        1);
}

TEST_CASE("A dry run changes nothing", "[migrate][sweep]") {
  World world;
  world.target.dry_run = true;
  CHECK(Text(world.Run().counts) == "accepted 10");
  CHECK(world.Spec(1) == R"({"a":"x","old":1})");
  for (const std::string& line : world.cluster.server.RequestLines()) {
    CHECK((line.starts_with("GET ") || line.ends_with("?dryRun=All")));
  }
  // What it has left behind is not for the run that counts.
  world.target.dry_run = false;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

TEST_CASE("Where patch is forbidden an object is read and put back", "[migrate][sweep]") {
  World world;
  world.target.by_update = true;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("PUT " + kInShop) == 10);
  CHECK(world.Requests("GET " + kInShop) == 10);
  CHECK(world.Requests("PATCH") == 0);
  CHECK(world.Spec(1) == R"({"a":"x"})");
}

TEST_CASE("What another writer wrote between read and put is kept", "[migrate][sweep]") {
  World world;
  world.target.by_update = true;
  world.Before(kInShop + "w1001", 2, [&] {
    world.cluster.server.Add(
        test_support::FakeObjectText("widgets", "w1001", R"({"a":"theirs","old":2})"));
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK(world.Spec(1) == R"({"a":"theirs"})");
}

TEST_CASE("Whatever another writer wrote since the list is rewritten", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] { world.Add(2, false); });
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 4");
}

TEST_CASE("An object that is gone is no failure", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] { world.Delete(0), world.Delete(9); });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 4, gone 2");
  CHECK(result.failures.empty());
}

TEST_CASE("A resource that is gone is a failure", "[migrate][sweep]") {
  World world;
  world.options.chunk_size = 0;
  world.Before(kInShop + "w1000", 1, [&] {
    world.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kResource);
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "failed 10");
  CHECK(result.failures.at(0).code == 404);
}

TEST_CASE("One object's failure does not stop the rest", "[migrate][sweep]") {
  World world(20);
  world.AnswerAlways(3, 403, "Forbidden", "admission webhook \"p\" denied the request: no");
  world.AnswerAlways(1, 422, "Invalid", "Widget \"w1001\" is invalid: spec.a: no");
  world.AnswerAlways(5, 500, "", "etcdserver: request is too large");
  world.AnswerAlways(7, 403, "Forbidden",
                     "widgets \"w1007\" is forbidden: User \"alice\" cannot patch resource");
  world.AnswerAlways(9, 400, "BadRequest", "what?");
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) ==
        "rewritten 5, unchanged 10, invalid 1, denied 1, forbidden 1, too-large 1, failed 1");
  REQUIRE(result.failures.size() == 5);
  CHECK(result.failures[0].name == "w1001");
  CHECK(result.failures[0].namespace_ == "shop");
  CHECK(result.failures[0].object_class == report::ObjectClass::kInvalid);
  CHECK(result.failures[0].code == 422);
  CHECK(result.failures[0].reason == "Invalid");
  CHECK(result.failures[0].message == "Widget \"w1001\" is invalid: spec.a: no");
  CHECK(result.failures[4].name == "w1009");
  // Nothing of this passes by waiting.
  CHECK(world.Requests("PATCH") == 20);
}

TEST_CASE("Trouble that passes costs nothing but time", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.times = 5;
  SECTION("a webhook that is down") {
    fault.target = kInShop;
    fault.answer = FakeStatus(500, "InternalError",
                              "Internal error occurred: failed calling webhook \"p\": EOF");
  }
  SECTION("conflicts") {
    fault.target = kInShop + "w1003";
    fault.answer = FakeStatus(409, "Conflict", "the object has been modified");
  }
  SECTION("connections that are reset") {
    fault.target = kInShop;
    fault.lost = true;
  }
  SECTION("answers that break off") {
    fault.target = kInShop;
    fault.lost_after = 20;
  }
  SECTION("answers that end early without a word") {
    fault.target = kInShop;
    fault.answer = FakeText(200, "application/json", R"({"kind":"PartialObjectMetadata","api)");
  }
  SECTION("503 without a word") {
    fault.target = kInShop;
    fault.answer = FakeText(503, "text/plain", "");
  }
  SECTION("a list that is refused") {
    fault.target = "?limit=";
    fault.answer = FakeText(503, "text/plain", "");
  }
  SECTION("a list that breaks off") {
    fault.target = "?limit=";
    fault.lost_after = 400;
  }
  SECTION("a list that ends early without a word") {
    fault.target = "?limit=";
    fault.answer =
        FakeText(200, "application/json", R"({"kind":"PartialObjectMetadataList","items":[)");
  }
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK_FALSE(result.list_error);
  CHECK(world.cluster.server.requests().size() == 18);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(1));
}

TEST_CASE("A write that was done although its answer was lost counts as done", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.target = kInShop + "w1001";
  fault.lost_after = 0;
  world.cluster.server.AddFault(fault);
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

TEST_CASE("Trouble that stays ends after ten tries", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 500, "InternalError",
                     "Internal error occurred: failed calling webhook \"p\": EOF");
  world.AnswerAlways(5, 409, "Conflict", "the object has been modified");
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 3, unchanged 5, webhook-unavailable 1, conflict 1");
  CHECK(world.Requests("PATCH " + kInShop + "w1003") == 10);
  CHECK(world.Requests("PATCH " + kInShop + "w1005") == 10);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(3));
}

TEST_CASE("A server that wants to be left alone is", "[migrate][sweep]") {
  World world(40);
  FakeFault fault;
  fault.target = kInShop;
  fault.first = 10;
  fault.times = 4;
  fault.answer = FakeText(429, "text/plain", "Too many requests, please try again later.\n");
  fault.headers = {{"Retry-After", "7"}};
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 20, unchanged 20");
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(7));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(30));
}

TEST_CASE("HTML is no success", "[migrate][sweep]") {
  World world;
  FakeFault fault = World::Always(kInShop + "w1001");
  fault.answer = FakeText(200, "text/html", "<html><body>Sign in</body></html>");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, failed 1");
  CHECK(result.failures.at(0).code == 0);
  CHECK(result.failures.at(0).message.find("login page") != std::string::npos);
}

TEST_CASE("A list that cannot be read to its end says so, after what was read is written",
          "[migrate][sweep]") {
  World world;
  FakeFault fault = World::Always("continue=");
  SECTION("HTML") { fault.answer = FakeText(200, "text/html", "<html></html>"); }
  SECTION("refused") { fault.answer = FakeStatus(403, "Forbidden", "no"); }
  SECTION("an item that is no object") {
    fault.answer = FakeText(200, "application/json", R"({"kind":"XList","items":[{"a":1}]})");
  }
  SECTION("a token that leads nowhere") {
    world.cluster.server.AddFault(fault);
    fault.answer.reset();
    fault.target = "?limit=4";
    fault.answer = FakeText(200, "application/json",
                            R"({"kind":"XList","metadata":{"continue":"same"},"items":[]})");
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.Run();
    CHECK(Text(result.counts).empty());
    CHECK(result.list_error);
    return;
  }
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 2, unchanged 2");
  REQUIRE(result.list_error);
  CHECK_FALSE(result.stopped);
}

TEST_CASE("An expired list goes on, and no object comes twice", "[migrate][sweep]") {
  World world;
  world.Before("continue=", 2, [&] {
    world.Add(50, true);       // behind: it comes
    world.cluster.server.Add(  // before: it is missed, as it is new and needs nothing
        test_support::FakeObjectText("widgets", "a", "{}"));
    world.cluster.server.Compact();
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 6, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);
}

TEST_CASE("A list that has to begin anew brings no object twice", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.target = "continue=";
  fault.first = 2;
  fault.answer = FakeStatus(410, "Expired", "too old");
  fault.before = [&] { world.Add(50, true); };
  world.cluster.server.AddFault(fault);
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);
}

TEST_CASE("Where nearly everything fails in the same way it stops", "[migrate][sweep]") {
  World world(300);
  world.options.chunk_size = 0;
  FakeFault fault = World::Always(kInShop);
  fault.first = 21;
  fault.answer = FakeStatus(403, "Forbidden", "admission webhook \"p\" denied the request: no");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  REQUIRE(result.stopped);
  CHECK(result.stopped->starts_with("40 of the last 50 objects failed in the same way (denied)"));
  CHECK_FALSE(result.is_interrupted);
  CHECK(result.counts[report::ObjectClass::kDenied] >= 40);
  CHECK(result.counts[report::ObjectClass::kDenied] < 40 + 16);
  CHECK(result.counts[report::ObjectClass::kNotTried] ==
        280 - result.counts[report::ObjectClass::kDenied]);
  CHECK(result.counts.Total() == 300);
  CHECK(result.is_given_up);
  CHECK(result.failures.size() == 280);
}

/// How many of the failures are of the class.
std::size_t Named(const SweepResult& result, report::ObjectClass object_class) {
  return static_cast<std::size_t>(
      std::ranges::count(result.failures, object_class, &report::ObjectFailure::object_class));
}

TEST_CASE("What was not tried as all failed is listed to its end, and named", "[migrate][sweep]") {
  World world(300);
  std::vector<write::ObjectName> names;
  for (int i = 0; i < 300; ++i) names.push_back({"shop", World::Name(i)});
  FakeFault fault;
  fault.target = kInShop;
  fault.times = 0;
  fault.answer = FakeStatus(422, "Invalid", "is invalid");
  SECTION("of a list that is far from its end by then") {
    FakeFault slow = World::Always("?limit=");
    slow.latency = std::chrono::seconds(1);
    world.cluster.server.AddFault(slow);
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.Run();
    CHECK(result.is_given_up);
    CHECK(result.counts.Total() == 300);
    CHECK(Named(result, report::ObjectClass::kInvalid) ==
          result.counts[report::ObjectClass::kInvalid]);
    CHECK(Named(result, report::ObjectClass::kNotTried) ==
          300 - result.counts[report::ObjectClass::kInvalid]);
    CHECK(result.failures.back().name == "w1299");
    CHECK(result.failures.back().namespace_ == "shop");
    CHECK(result.counts[report::ObjectClass::kInvalid] < 60);
  }
  SECTION("of names, without reading any more of them") {
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.RunNamed(names);
    CHECK(result.is_given_up);
    CHECK(result.counts.Total() == 300);
    CHECK(result.failures.size() == 300);
    CHECK(Named(result, report::ObjectClass::kNotTried) > 200);
    CHECK(world.Requests("GET") < 200);
  }
}

TEST_CASE("A signal ends the listing of what was not tried", "[migrate][sweep]") {
  World world(300);
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  FakeFault fault = World::Always(kInShop);
  fault.answer = FakeStatus(422, "Invalid", "is invalid");
  world.cluster.server.AddFault(fault);
  FakeFault slow = World::Always("?limit=");
  slow.latency = std::chrono::seconds(1);
  world.cluster.server.AddFault(slow);
  world.Before("?limit=", 40, [&] { stop = true; });
  const SweepResult result = world.Run();
  CHECK(result.is_given_up);
  CHECK(result.is_interrupted);
  CHECK(world.Requests("GET") == 40);
}

TEST_CASE("What was done until a sweep breaks is counted", "[migrate][sweep]") {
  World world(40);
  world.options.chunk_size = 0;
  world.Before(kInShop, 21, [] { throw kube::base::Error("no space left on device"); });
  const SweepResult result = world.Run();
  CHECK(result.is_broken);
  CHECK(result.stopped == "no space left on device");
  CHECK(result.counts.Total() == 40);
  CHECK(result.counts[report::ObjectClass::kRewritten] > 0);
  CHECK(result.counts[report::ObjectClass::kNotTried] >= 20);
  CHECK(Text(world.Run().counts) == "rewritten 20, unchanged 20");
}

TEST_CASE("A webhook that is down for all objects is found out in minutes", "[migrate][sweep]") {
  World world(300);
  FakeFault fault = World::Always(kInShop);
  fault.answer = FakeStatus(500, "InternalError",
                            "Internal error occurred: failed calling webhook \"p\": EOF");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(result.stopped);
  CHECK(result.counts[report::ObjectClass::kWebhookUnavailable] >= 40);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(4));
}

TEST_CASE("A signal lets writes in flight end, and another run goes on", "[migrate][sweep]") {
  World world(40);
  world.options.chunk_size = 0;
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.Before(kInShop, 20, [&] { stop = true; });
  const SweepResult first = world.Run();
  CHECK(first.is_interrupted);
  CHECK(first.stopped == "interrupted");
  CHECK(first.counts[report::ObjectClass::kNotTried] > 0);
  const int sent = world.Requests("PATCH");
  CHECK(first.counts.Total() - first.counts[report::ObjectClass::kNotTried] ==
        static_cast<std::uint64_t>(sent));
  stop = false;
  const SweepResult second = world.Run();
  CHECK(Text(second.counts) == "rewritten 20, unchanged 20");
  CHECK(world.Requests("PATCH") == 40);
  CHECK_FALSE(second.is_interrupted);
}

TEST_CASE("After a signal nothing is tried again, nor put back", "[migrate][sweep]") {
  World world;
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.options.chunk_size = 0;
  SECTION("what would be tried again") {
    FakeFault busy = World::Always(kInShop);
    busy.answer = FakeText(503, "text/plain", "");
    busy.before = [&] { stop = true; };
    world.cluster.server.AddFault(busy);
    CHECK(Text(world.Run().counts) == "not-tried 10");
    CHECK(world.Requests("PATCH") == 4);
  }
  SECTION("what was read to be put back") {
    world.target.by_update = true;
    world.Before(kInShop, 1, [&] { stop = true; });
    const SweepResult result = world.Run();
    CHECK(result.is_interrupted);
    CHECK(world.Requests("GET " + kInShop) == 4);
    CHECK(world.Requests("PUT") < 4);
    stop = false;
    CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  }
}

TEST_CASE("With everything answered another run tries only what failed", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 422, "Invalid", "is invalid");
  world.Run();
  const std::size_t requests = world.cluster.server.requests().size();
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, invalid 1");
  CHECK(result.failures.at(0).name == "w1003");
  CHECK(world.cluster.server.requests().size() == requests + 1);
}

TEST_CASE("Killed at any request, it goes on and counts every object once", "[migrate][sweep]") {
  const int last = GENERATE(range(1, 14));
  CAPTURE(last);
  World world;
  world.Before(kWidgets.substr(0, 12), last, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Run(), Killed);
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

TEST_CASE("What was answered before a kill is not written again", "[migrate][sweep]") {
  World world;
  world.options.concurrency = 1;
  world.Before(kInShop, 8, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Run(), Killed);
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);  // the eighth twice
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_CASE("Whatever is left of its files, it goes on and counts every object once",
          "[migrate][sweep]") {
  World world(6);
  world.AnswerAlways(2, 422, "Invalid", "is invalid");
  const std::string expected = "rewritten 3, unchanged 2, invalid 1";
  REQUIRE(Text(world.Run().counts) == expected);
  const std::string path = world.folder.path() + "/run";
  const std::string listed = ReadFile(path + ".listed"), answered = ReadFile(path + ".answered");
  // Without an answer the object is written again, and answers the same.
  for (std::size_t size = 0; size < answered.size(); ++size) {
    CAPTURE(size);
    world.folder.Write("run.listed", listed);
    world.folder.Write("run.answered", answered.substr(0, size));
    REQUIRE(Text(world.Run().counts) == expected);
  }
  // Without its page the object is listed again, with the resource version that it has now.
  for (std::size_t size = 0; size < listed.size(); size += 3) {
    CAPTURE(size);
    world.folder.Write("run.listed", listed.substr(0, size));
    world.folder.Write("run.answered", answered.substr(0, (size * 31) % answered.size()));
    const SweepResult result = world.Run();
    REQUIRE(result.counts.Total() == 6);
    REQUIRE(result.counts[report::ObjectClass::kInvalid] == 1);
    REQUIRE(result.counts[report::ObjectClass::kRewritten] +
                result.counts[report::ObjectClass::kUnchanged] ==
            5);
  }
}

TEST_CASE("What is held is not written, and named", "[migrate][sweep]") {
  World world;
  world.options.is_held = [](const spool::ListedObject& object) { return object.name == "w1003"; };
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, held 1");
  REQUIRE(result.failures.size() == 1);
  CHECK(result.failures[0].name == "w1003");
  CHECK(result.failures[0].object_class == report::ObjectClass::kHeld);
  CHECK(world.Spec(3) == R"({"a":"x","old":1})");
  CHECK(Text(world.Verify().counts) == "unchanged 9");
  // Another run may hold less.
  world.options.is_held = nullptr;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

// --retry-from, perhaps on another machine, goes by what the report names as held.
TEST_CASE("What is held is named as that by a sweep that gives up too", "[migrate][sweep]") {
  World world(200);
  for (int i = 0; i < 200; ++i) world.AnswerAlways(i, 422, "Invalid", "is invalid");
  world.options.is_held = [](const spool::ListedObject& object) { return object.name == "w1199"; };
  const SweepResult result = world.Run();
  CHECK(result.is_given_up);
  CHECK(result.counts[report::ObjectClass::kHeld] == 1);
  CHECK(result.counts[report::ObjectClass::kNotTried] > 0);
  CHECK(result.counts.Total() == 200);
  CHECK(result.failures.back().name == "w1199");
  CHECK(result.failures.back().object_class == report::ObjectClass::kHeld);
}

TEST_CASE("A CRD that changes meanwhile ends it", "[migrate][sweep]") {
  World world(100);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::seconds(3);
  world.cluster.server.AddFault(slow);
  int asked = 0;
  world.options.find_change = [&]() -> std::optional<std::string> {
    if (++asked < 3) return std::nullopt;
    return "the CustomResourceDefinition was deleted";
  };
  const SweepResult result = world.Run();
  CHECK(result.stopped == "the CustomResourceDefinition was deleted");
  CHECK(asked == 3);
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(2));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(7));
  CHECK(result.counts[report::ObjectClass::kNotTried] > 0);
  CHECK(result.counts.Total() == 100);
}

TEST_CASE("A CRD that was changed before is not written to", "[migrate][sweep]") {
  World world;
  world.options.find_change = [] { return "the schemas were changed meanwhile"; };
  const SweepResult result = world.Run();
  CHECK(result.stopped == "the schemas were changed meanwhile");
  for (const std::string& line : world.cluster.server.RequestLines()) {
    CHECK_THAT(line, Catch::StartsWith("GET "));
  }
}

TEST_CASE("The CRD is looked at every second", "[migrate][sweep]") {
  World world;
  world.options.max_rate = 2;  // ten objects take about five seconds
  int asked = 0;
  world.options.find_change = [&asked] {
    ++asked;
    return std::nullopt;
  };
  world.Run();
  CHECK(asked >= 4);
}

TEST_CASE("The rate is kept", "[migrate][sweep]") {
  World world;
  world.options.max_rate = 2;
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(4));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(6));
}

TEST_CASE("A webhook that changes objects is betrayed by the generation", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.target = kInShop + "w1001";
  const auto* stored = world.cluster.server.Stored(kResource, "shop/w1001");
  fault.answer = FakeText(200, "application/json",
                          R"({"metadata":{"name":"w1001","namespace":"shop","uid":")" +
                              std::string(stored->Find("metadata")->FindText("uid")) +
                              R"(","resourceVersion":"9","generation":2}})");
  world.cluster.server.AddFault(fault);
  CHECK(world.Run().generations_moved == 1);
  CHECK(world.Run().generations_moved == 1);
}

TEST_CASE("A second sweep rewrites nothing where all is as it should be", "[migrate][sweep]") {
  World world;
  world.Run();
  world.Delete(4);
  CHECK(Text(world.Verify().counts) == "unchanged 9, gone 1");
  CHECK(world.Requests("GET " + kWidgets + "?") == 3);
}

TEST_CASE("A second sweep finds what a stale server stored", "[migrate][sweep]") {
  World world;
  // One that does not know yet that it has to prune: it stores what it has.
  const auto* stored = world.cluster.server.Stored(kResource, "shop/w1003");
  FakeFault stale;
  stale.target = kInShop + "w1003";
  stale.answer = FakeText(
      200, "application/json",
      R"({"metadata":{"name":"w1003","namespace":"shop","uid":")" +
          std::string(stored->Find("metadata")->FindText("uid")) + R"(","resourceVersion":")" +
          std::string(stored->Find("metadata")->FindText("resourceVersion")) + R"("}})");
  world.cluster.server.AddFault(stale);
  CHECK(Text(world.Run().counts) == "rewritten 4, unchanged 6");
  CHECK(Text(world.Verify().counts) == "rewritten 1, unchanged 9");
  CHECK(world.Spec(3) == R"({"a":"x"})");
}

TEST_CASE("A second sweep leaves out what did not end well", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 422, "Invalid", "is invalid");
  world.Run();
  CHECK(Text(world.Verify().counts) == "unchanged 9");
}

TEST_CASE("A second sweep knows an object that was created anew", "[migrate][sweep]") {
  World world;
  world.Before(kInShop + "w1000", 1, [&] {
    world.Delete(2);
    world.Add(2, false);
  });
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 4");
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

TEST_CASE("A second sweep does not count what another writer stored meanwhile",
          "[migrate][sweep]") {
  World world;
  world.target.by_update = GENERATE(false, true);
  world.Run();
  const auto write = [&world](int number) {
    test_support::WriteFakeObject(world.cluster.server, "widgets", World::Name(number),
                                  R"({"a":"theirs"})");
  };
  SECTION("before it") { write(2); }
  SECTION("in the middle of it") {
    world.Before(kInShop + "w1000", 1, [&write] { write(2); });
  }
  CHECK(Text(world.Verify().counts) == "unchanged 10");
  CHECK(world.Spec(2) == R"({"a":"theirs"})");
}

TEST_CASE("A second sweep begins anew where the first has got more objects", "[migrate][sweep]") {
  World world;
  world.options.is_held = [](const spool::ListedObject& object) { return object.name == "w1003"; };
  world.Run();
  CHECK(Text(world.Verify().counts) == "unchanged 9");
  world.options.is_held = nullptr;
  world.Run();
  world.AddDirt(3);
  CHECK(Text(world.Verify().counts) == "rewritten 1, unchanged 9");
}

TEST_CASE("A second sweep that was killed goes on", "[migrate][sweep]") {
  World world;
  world.Run();
  world.Before(kInShop, 4, [] { throw Killed(); });
  CHECK_THROWS_AS(world.Verify(), Killed);
  CHECK(Text(world.Verify().counts) == "unchanged 10");
}

TEST_CASE("Objects that are named are written alone, each once", "[migrate][sweep]") {
  World world;
  const SweepResult result =
      world.RunNamed({{"shop", "w1004"}, {"shop", "w1003"}, {"shop", "none"}, {"shop", "w1003"}});
  CHECK(Text(result.counts) == "rewritten 1, unchanged 1, gone 1");
  CHECK(world.Requests("PATCH") == 2);
  CHECK(world.Requests("GET " + kWidgets + "?") == 0);
  CHECK(world.Spec(3) == R"({"a":"x"})");
  CHECK(world.Spec(5) == R"({"a":"x","old":1})");
}

TEST_CASE("Many named objects are read some at a time, in bad weather too", "[migrate][sweep]") {
  World world(50);
  FakeFault fault;
  fault.target = kInShop;
  fault.first = 5;
  fault.times = 7;
  fault.lost = true;
  world.cluster.server.AddFault(fault);
  std::vector<write::ObjectName> names;
  for (int i = 0; i < 50; ++i) names.push_back({"shop", World::Name(i)});
  CHECK(Text(world.RunNamed(names).counts) == "rewritten 25, unchanged 25");
  CHECK(world.cluster.server.requests().size() == 107);
}

TEST_CASE("Named objects go on after a kill, and other names begin anew", "[migrate][sweep]") {
  World world;
  const std::vector<write::ObjectName> names = {{"shop", "w1001"}, {"shop", "w1003"}};
  world.Before(kInShop, 4, [] { throw Killed(); });
  CHECK_THROWS_AS(world.RunNamed(names), Killed);
  CHECK(Text(world.RunNamed(names).counts) == "rewritten 2");
  CHECK(Text(world.RunNamed({{"shop", "w1001"}}).counts) == "unchanged 1");
}

TEST_CASE("Objects of the cluster have no namespace", "[migrate][sweep]") {
  World world(0);
  const std::string crd =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)"
      R"("CustomResourceDefinition","metadata":{"name":"gadgets.g.io"},"spec":{)"
      R"("group":"g.io","scope":"Cluster","names":{"plural":"gadgets","kind":)"
      R"("Gadget"},"versions":[{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  world.cluster.server.Add(crd);
  world.cluster.server.Add(
      R"({"apiVersion":"g.io/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{}})");
  world.target = {.group = "g.io", .version = "v1", .plural = "gadgets", .is_namespaced = false};
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.Requests("PATCH /apis/g.io/v1/gadgets/a") == 1);
}

TEST_CASE("An object that is stored in another version is rewritten", "[migrate][sweep]") {
  World world(0);
  world.cluster.server.Add(R"({"apiVersion":"demo.example.com/v1beta1","kind":"Kindwidgets",)"
                           R"("metadata":{"namespace":"shop","name":"w1000"},"spec":{}})");
  CHECK(Text(world.Run().counts) == "rewritten 1");
  CHECK(world.cluster.server.Stored(kResource, "shop/w1000")->FindText("apiVersion") ==
        "demo.example.com/v1");
}

TEST_CASE("Progress is told as it goes, and at the end", "[migrate][sweep]") {
  World world(40);
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::milliseconds(200);
  world.cluster.server.AddFault(slow);
  std::vector<SweepProgress> told;
  world.options.on_progress = [&](const SweepProgress& progress) { told.push_back(progress); };
  world.Run();
  REQUIRE(told.size() > 5);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].listed >= told[i - 1].listed);
    CHECK(told[i].counts.Total() == told[i].listed);
    CHECK((told[i].expected == 0 || told[i].expected >= told[i].listed));
  }
  CHECK(told.back().expected == 40);
  CHECK(Text(told.back().counts) == "rewritten 20, unchanged 20");
}

TEST_CASE("A folder that cannot be written is an error that names the file", "[migrate][sweep]") {
  World world;
  CHECK_THROWS_WITH(Sweep(world.target, world.options, world.folder.path() + "/none", "run",
                          world.cluster.session()),
                    Catch::Matchers::Contains("/none/run.listed"));
}

}  // namespace sweep_test
}  // namespace migrate::sweep
