#include "migrate/rewrite/object_write.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/support/test_schema.h"

namespace migrate::rewrite {
namespace object_write_test {

using Step = ObjectWrite::Step;

constexpr kube::base::Clock::TimePoint kNow{std::chrono::hours(1)};

std::string Body(const std::string& uid, const std::string& version, int generation = 1) {
  return R"({"kind":"PartialObjectMetadata","metadata":{"name":"a","namespace":"shop","uid":")" +
         uid + R"(","resourceVersion":")" + version + R"(","generation":)" +
         std::to_string(generation) + "}}";
}

kube::client::CallError Status(int code, const std::string& message) {
  kube::client::ApiStatus status;
  status.code = code;
  status.reason = "Reason";
  status.message = message;
  return {.status = status, .transport = std::nullopt, .message = "Error from server"};
}

struct World {
  Step Answer(const std::string& body) {
    return write.OnAnswer(body, std::nullopt, document, kNow);
  }
  Step Answer(const kube::client::CallError& error) {
    return write.OnAnswer("", error, document, kNow);
  }

  SweepTarget target{.group = "g", .version = "v1", .plural = "widgets"};
  ObjectWrite write{target, {5, {"shop", "a", "u", "10", 1}}};
  kube::json::Document document;
};

TEST_CASE("An object is written by a merge patch of nothing", "[migrate][object_write]") {
  World world;
  const kube::client::ApiRequest request = world.write.Request();
  CHECK(request.method == "PATCH");
  CHECK(request.target == "/apis/g/v1/namespaces/shop/widgets/a");
  CHECK(request.content_type == "application/merge-patch+json");
  CHECK(request.accept ==
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
  CHECK(request.body == "{}");
  CHECK_FALSE(request.retry);
  world.target.dry_run = true;
  CHECK(world.write.Request().target == "/apis/g/v1/namespaces/shop/widgets/a?dryRun=All");
}

TEST_CASE("The resource version tells what happened", "[migrate][object_write]") {
  World world;
  const auto [body, object_class, moved] = GENERATE(table<std::string, report::ObjectClass, bool>({
      {Body("u", "10"), report::ObjectClass::kUnchanged, false},
      {Body("u", "11"), report::ObjectClass::kRewritten, false},
      // Opaque: lower is just another one.
      {Body("u", "9"), report::ObjectClass::kRewritten, false},
      {Body("u", "11", 2), report::ObjectClass::kRewritten, true},
      // Another object of that name.
      {Body("v", "10", 7), report::ObjectClass::kRewritten, false},
  }));
  CAPTURE(body);
  CHECK(world.Answer(body) == Step::kDone);
  CHECK(world.write.answer().object_class == object_class);
  CHECK(world.write.answer().generation_moved == moved);
  CHECK(world.write.answer().uid == (body.find("\"v\"") == body.npos ? "" : "v"));
}

TEST_CASE("A generation that the server repairs was not moved by a webhook",
          "[migrate][object_write]") {
  World world;
  ObjectWrite write(world.target, {0, {"shop", "a", "u", "10", 0}});
  write.OnAnswer(Body("u", "11", 1), std::nullopt, world.document, kNow);
  CHECK_FALSE(write.answer().generation_moved);
}

TEST_CASE("A dry run says no more than accepted", "[migrate][object_write]") {
  World world;
  world.target.dry_run = true;
  CHECK(world.Answer(Body("u", "10")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kAccepted);
}

TEST_CASE("A failure for good keeps the server's words", "[migrate][object_write]") {
  World world;
  CHECK(world.Answer(Status(422, "is invalid")) == Step::kDone);
  const cluster::ObjectAnswer& answer = world.write.answer();
  CHECK(answer.object_class == report::ObjectClass::kInvalid);
  CHECK(answer.code == 422);
  CHECK(answer.reason == "Reason");
  CHECK(answer.message == "is invalid");
  CHECK_FALSE(world.write.was_slowdown());
}

TEST_CASE("What may pass is sent again, and Retry-After is told", "[migrate][object_write]") {
  World world;
  kube::client::CallError error = Status(429, "slow down");
  error.status->retry_after = std::chrono::seconds(3);
  CHECK(world.Answer(error) == Step::kPause);
  CHECK(world.write.due() == kNow + std::chrono::seconds(3));
  CHECK(world.write.was_slowdown());
  CHECK(world.write.retry_after() == std::chrono::seconds(3));
  CHECK(world.Answer(Body("u", "11")) == Step::kDone);
  CHECK_FALSE(world.write.was_slowdown());
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
  CHECK(world.write.answer().code == 0);
}

TEST_CASE("It ends as what it failed with last", "[migrate][object_write]") {
  World world;
  int tries = 1;
  while (world.Answer(Status(409, "has been modified")) == Step::kPause) ++tries;
  CHECK(tries == 10);
  CHECK(world.write.answer().object_class == report::ObjectClass::kConflict);
}

TEST_CASE("An answer that cannot be read is no success", "[migrate][object_write]") {
  World world;
  SECTION("cut short") {
    CHECK(world.Answer(R"({"kind":"Partial)") == Step::kPause);
    CHECK(world.Answer("") == Step::kPause);
  }
  SECTION("another kind") {
    CHECK(world.Answer("<html><body>Sign in</body></html>") == Step::kDone);
    CHECK(world.write.answer().object_class == report::ObjectClass::kFailed);
    CHECK(world.write.answer().message.find("login page") != std::string::npos);
  }
  SECTION("another object") {
    ObjectWrite write(world.target, {0, {"shop", "b", "u", "10", 1}});
    CHECK(write.OnAnswer(Body("u", "11"), std::nullopt, world.document, kNow) == Step::kDone);
    CHECK(write.answer().object_class == report::ObjectClass::kFailed);
  }
  SECTION("no object") {
    CHECK(world.Answer("{}") == Step::kDone);
    CHECK(world.write.answer().object_class == report::ObjectClass::kFailed);
  }
}

TEST_CASE("By update an object is read and sent back byte by byte", "[migrate][object_write]") {
  World world;
  world.target.by_update = true;
  CHECK(world.write.Request().method == "GET");
  CHECK(world.write.Request().accept == "application/json");
  // Numbers and order stay as they were sent.
  const std::string object =
      R"({ "spec":{"n":1.0,"m":12345678901234567890123},"metadata":{"name":"a","uid":"u",)"
      R"("resourceVersion":"10"}})";
  CHECK(world.Answer(object) == Step::kSend);
  const kube::client::ApiRequest request = world.write.Request();
  CHECK(request.method == "PUT");
  CHECK(request.content_type == "application/json");
  CHECK(request.body == object);
  CHECK(world.Answer(Body("u", "11")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
}

TEST_CASE("By update a conflict reads the object again", "[migrate][object_write]") {
  World world;
  world.target.by_update = true;
  CHECK(world.Answer(Body("u", "10")) == Step::kSend);
  CHECK(world.Answer(Status(409, "has been modified")) == Step::kPause);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.Answer(Status(404, "widgets.g \"a\" not found")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kGone);
}

TEST_CASE("An object whose namespace is not found is not gone", "[migrate][object_write]") {
  World world;
  world.target.by_update = GENERATE(false, true);
  if (world.target.by_update) CHECK(world.Answer(Body("u", "10")) == Step::kSend);
  CHECK(world.Answer(Status(404, "namespaces \"shop\" not found")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kFailed);
  CHECK(world.write.answer().code == 404);
  CHECK(world.write.answer().message == "namespaces \"shop\" not found");
}

TEST_CASE("An object of which nothing is known is read first", "[migrate][object_write]") {
  World world;
  world.target.by_update = GENERATE(false, true);
  ObjectWrite write(world.target, {0, {"shop", "a", "", "", 0}});
  CHECK(write.Request().method == "GET");
  CHECK(write.Request().accept ==
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
  CHECK(write.OnAnswer(Body("u", "10"), std::nullopt, world.document, kNow) == Step::kSend);
  if (world.target.by_update) {
    CHECK(write.Request().method == "GET");
    CHECK(write.OnAnswer(Body("u", "10"), std::nullopt, world.document, kNow) == Step::kSend);
  }
  CHECK(write.Request().method == (world.target.by_update ? "PUT" : "PATCH"));
  CHECK(write.OnAnswer(Body("u", "10"), std::nullopt, world.document, kNow) == Step::kDone);
  CHECK(write.answer().object_class == report::ObjectClass::kUnchanged);
}

TEST_CASE("An object that cannot be read is not written", "[migrate][object_write]") {
  World world;
  ObjectWrite write(world.target, {0, {"shop", "a", "", "", 0}});
  const auto forbidden = Status(403, "widgets.g \"a\" is forbidden: User \"u\" cannot get it");
  CHECK(write.OnAnswer("", forbidden, world.document, kNow) == Step::kDone);
  CHECK(write.answer().object_class == report::ObjectClass::kForbidden);
}

TEST_CASE("What another writer stored is not taken for ours where it is asked for",
          "[migrate][object_write]") {
  World world;
  world.target.ignores_other_writers = true;
  SECTION("by patch") {
    CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"10"}})");
    CHECK(world.Answer(Status(409, "has been modified")) == Step::kPause);
    CHECK(world.write.Request().method == "GET");
    CHECK(world.Answer(Body("v", "12")) == Step::kSend);
    CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"12"}})");
  }
  SECTION("by update") {
    world.target.by_update = true;
    CHECK(world.Answer(Body("v", "12")) == Step::kSend);
  }
  SECTION("by update that comes too late") {
    world.target.by_update = true;
    CHECK(world.Answer(Body("u", "10")) == Step::kSend);
    CHECK(world.Answer(Status(409, "has been modified")) == Step::kPause);
    CHECK(world.write.Request().method == "GET");
    CHECK(world.Answer(Body("v", "12")) == Step::kSend);
    if (world.write.Request().method == "GET") CHECK(world.Answer(Body("v", "12")) == Step::kSend);
  }
  CHECK(world.Answer(Body("v", "12")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kUnchanged);
  CHECK(world.write.answer().resource_version == "12");
  CHECK(world.write.answer().uid == "v");
}

TEST_CASE("What a try without an answer may have stored is taken for ours",
          "[migrate][object_write]") {
  World world;
  world.target.ignores_other_writers = true;
  SECTION("the connection was lost") {
    const kube::client::TransportError lost{kube::client::TransportError::Kind::kConnectionLost,
                                            "lost"};
    CHECK(world.Answer({.status = std::nullopt, .transport = lost, .message = "lost"}) ==
          Step::kPause);
  }
  SECTION("the server failed") { CHECK(world.Answer(Status(503, "")) == Step::kPause); }
  SECTION("the answer breaks off") { CHECK(world.Answer("{") == Step::kPause); }
  CHECK(world.write.Request().body == "{}");
  CHECK(world.Answer(Body("u", "11")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
}

TEST_CASE("A refusal stored nothing", "[migrate][object_write]") {
  World world;
  world.target.ignores_other_writers = true;
  CHECK(world.Answer(Status(429, "slow down")) == Step::kPause);
  CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"10"}})");
}

constexpr char kCrd[] =
    R"({"group":"g","scope":"Namespaced","names":{"plural":"widgets","kind":"W"},
  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]})";

std::string Entry(const std::string& version) {
  return R"({"apiVersion":")" + version +
         R"(","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:a":{}}},"manager":"m","operation":"Apply"})";
}

std::string Owned(const std::string& resource_version, const std::string& entries) {
  return R"({"metadata":{"managedFields":[)" + entries +
         R"(],"name":"a","namespace":"shop","resourceVersion":")" + resource_version +
         R"(","uid":"u"}})";
}

struct CleaningWorld : World {
  CleaningWorld() {
    target.cleaner = std::make_shared<cluster::EntryCleaner>(support::TestCrd("v1", kCrd), "v1",
                                                             cluster::Cleaning::kAlways);
  }
  ObjectWrite MakeWrite(cluster::EntryState entries) const {
    return {target, {5, {"shop", "a", "u", "10", 1, entries}}};
  }
};

TEST_CASE("Stale managedFields are cleaned by the write of the object", "[migrate][object_write]") {
  CleaningWorld world;
  world.write = world.MakeWrite(cluster::EntryState::kStale);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.write.Request().accept ==
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
  // Somebody wrote it since it was listed.
  CHECK(world.Answer(Owned("12", Entry("g/v0"))) == Step::kSend);
  CHECK(world.write.Request().method == "PATCH");
  CHECK(world.write.Request().content_type == "application/merge-patch+json");
  CHECK(world.write.Request().body ==
        R"({"metadata":{"managedFields":[)" + Entry("g/v1") + R"(],"resourceVersion":"12"}})");
  CHECK(world.Answer(Status(409, "has been modified")) == Step::kPause);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.Answer(Owned("13", Entry("g/v0") + "," + Entry("g/v1"))) == Step::kSend);
  CHECK(world.write.Request().body ==
        R"({"metadata":{"managedFields":[)" + Entry("g/v1") + R"(],"resourceVersion":"13"}})");
  CHECK(world.Answer(Owned("14", Entry("g/v1"))) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
  CHECK(world.write.answer().entries_cleaned == 1);
  CHECK(world.write.answer().entries == cluster::EntryState::kSome);
  CHECK_FALSE(world.write.answer().are_entries_emptied);
}

TEST_CASE("An object without stale entries gets the patch of nothing", "[migrate][object_write]") {
  CleaningWorld world;
  SECTION("as it was listed") {
    world.write = world.MakeWrite(GENERATE(cluster::EntryState::kNone, cluster::EntryState::kSome));
    CHECK(world.write.Request().body == "{}");
  }
  SECTION("as somebody cleaned it since") {
    world.write = world.MakeWrite(cluster::EntryState::kStale);
    CHECK(world.Answer(Owned("12", Entry("g/v1"))) == Step::kSend);
    CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"12"}})");
    CHECK(world.Answer(Owned("12", Entry("g/v1"))) == Step::kDone);
    CHECK(world.write.answer().entries_cleaned == 0);
  }
}

TEST_CASE("By update the object is sent back with cleaned managedFields",
          "[migrate][object_write]") {
  CleaningWorld world;
  world.target.by_update = true;
  world.write = world.MakeWrite(cluster::EntryState::kStale);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.write.Request().accept == "application/json");
  CHECK(world.Answer(Owned("12", Entry("g/v0"))) == Step::kSend);
  CHECK(world.write.Request().method == "PUT");
  CHECK(world.write.Request().body == Owned("12", Entry("g/v1")));
  CHECK(world.Answer(Owned("13", Entry("g/v1"))) == Step::kDone);
  CHECK(world.write.answer().entries_cleaned == 1);
}

TEST_CASE("Whether a write emptied managedFields shows in its answer", "[migrate][object_write]") {
  CleaningWorld world;
  const auto [state, uid, dry_run, was_emptied] =
      GENERATE(table<cluster::EntryState, std::string, bool, bool>({
          {cluster::EntryState::kSome, "u", false, true},
          {cluster::EntryState::kSome, "u", true, true},
          {cluster::EntryState::kNone, "u", false, false},
          // Another object of that name never had them.
          {cluster::EntryState::kSome, "v", false, false},
      }));
  world.target.dry_run = dry_run;
  world.write = world.MakeWrite(state);
  CHECK(world.Answer(Body(uid, "11")) == Step::kDone);
  CHECK(world.write.answer().are_entries_emptied == was_emptied);
}

TEST_CASE("Where all entries are to go none is missed", "[migrate][object_write]") {
  CleaningWorld world;
  world.write = world.MakeWrite(cluster::EntryState::kStale);
  CHECK(world.Answer(Owned("12", R"({"apiVersion":"g/v0","fieldsType":"FieldsV1"})")) ==
        Step::kSend);
  CHECK(world.write.Request().body ==
        R"({"metadata":{"managedFields":[],"resourceVersion":"12"}})");
  CHECK(world.Answer(Body("u", "13")) == Step::kDone);
  CHECK_FALSE(world.write.answer().are_entries_emptied);
}

constexpr char kTwoVersions[] =
    R"({"group":"g","scope":"Namespaced","names":{"plural":"widgets","kind":"W"},
  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","properties":{"spec":{"type":"object","properties":{
      "a":{"type":"string"},"b":{"type":"string"}}}}}}},
    {"name":"v0","served":true,"storage":false,"schema":{"openAPIV3Schema":{
    "type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]})";

/// An object that may have to be cleaned, as a version does not hold every object.
struct DoubtfulWorld : World {
  DoubtfulWorld() {
    target.cleaner = std::make_shared<cluster::EntryCleaner>(support::TestCrd("v1", kTwoVersions),
                                                             "v1", cluster::Cleaning::kAuto);
    write = {target, {5, {"shop", "a", "u", "10", 1, cluster::EntryState::kDoubtful}}};
  }
  static std::string Whole(const std::string& resource_version, const std::string& spec) {
    std::string text = Owned(resource_version, Entry("g/v0"));
    text.insert(text.size() - 1, R"(,"spec":)" + spec);
    return text;
  }
};

TEST_CASE("Whether entries are cleaned is told by the whole object", "[migrate][object_write]") {
  DoubtfulWorld world;
  CHECK(world.write.Request().method == "GET");
  CHECK(world.write.Request().accept == "application/json");
  SECTION("one that the other version does not hold") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"a":"x","b":"y"})")) == Step::kSend);
    CHECK(world.write.Request().body ==
          R"({"metadata":{"managedFields":[)" + Entry("g/v1") + R"(],"resourceVersion":"12"}})");
    CHECK(world.Answer(Owned("13", Entry("g/v1"))) == Step::kDone);
    CHECK(world.write.answer().entries_cleaned == 1);
  }
  SECTION("one that it holds") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"a":"x"})")) == Step::kSend);
    CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"12"}})");
    CHECK(world.Answer(Owned("13", Entry("g/v0"))) == Step::kDone);
    CHECK(world.write.answer().entries_cleaned == 0);
  }
  // Nothing is to be looked at again by who verifies.
  CHECK(world.write.answer().entries == cluster::EntryState::kSome);
  CHECK_FALSE(world.write.answer().are_entries_emptied);
}

TEST_CASE("What a write makes this program the owner of is given back", "[migrate][object_write]") {
  const std::string own =
      R"({"apiVersion":"g/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:b":{}}},)"
      R"("manager":"kubectl-prune","operation":"Update"})";
  DoubtfulWorld world;
  SECTION("by a write of the entries of others") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"b":"y"})")) == Step::kSend);
    CHECK(world.Answer(Owned("13", Entry("g/v1") + "," + own)) == Step::kSend);
    CHECK(world.write.Request().method == "PATCH");
    CHECK(world.write.Request().body ==
          R"({"metadata":{"managedFields":[)" + Entry("g/v1") + R"(],"resourceVersion":"13"}})");
    CHECK(world.Answer(Owned("14", Entry("g/v1"))) == Step::kDone);
  }
  SECTION("once") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"b":"y"})")) == Step::kSend);
    CHECK(world.Answer(Owned("13", Entry("g/v1") + "," + own)) == Step::kSend);
    CHECK(world.Answer(Owned("14", Entry("g/v1") + "," + own)) == Step::kDone);
  }
  SECTION("unless somebody else wrote the object since") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"b":"y"})")) == Step::kSend);
    CHECK(world.Answer(Owned("13", Entry("g/v1") + "," + own)) == Step::kSend);
    CHECK(world.Answer(Status(409, "has been modified")) == Step::kDone);
    CHECK(world.write.answer().resource_version == "13");
  }
  SECTION("even if the server has too much to do") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"b":"y"})")) == Step::kSend);
    CHECK(world.Answer(Owned("13", Entry("g/v1") + "," + own)) == Step::kSend);
    CHECK(world.Answer(Status(429, "slow down")) == Step::kPause);
    CHECK(world.write.Request().body.find(R"("resourceVersion":"13")") != std::string::npos);
    CHECK(world.Answer(Owned("14", Entry("g/v1"))) == Step::kDone);
  }
  SECTION("but for what it was before") {
    std::string text = Owned("12", Entry("g/v0") + "," + own);
    text.insert(text.size() - 1, R"(,"spec":{"b":"y"})");
    CHECK(world.Answer(text) == Step::kSend);
    CHECK(world.Answer(Owned("13", Entry("g/v1") + "," + own)) == Step::kDone);
  }
  SECTION("where others are owners, too") {
    CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"b":"y"})")) == Step::kSend);
    CHECK(world.Answer(Owned("13", own)) == Step::kDone);
  }
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
  CHECK(world.write.answer().entries_cleaned == 1);
  CHECK_FALSE(world.write.answer().are_entries_emptied);
}

TEST_CASE("After a conflict entries are judged anew", "[migrate][object_write]") {
  DoubtfulWorld world;
  CHECK(world.Answer(DoubtfulWorld::Whole("12", R"({"a":"x"})")) == Step::kSend);
  CHECK(world.Answer(Status(409, "has been modified")) == Step::kPause);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.Answer(DoubtfulWorld::Whole("13", R"({"b":"y"})")) == Step::kSend);
  CHECK(world.write.Request().body.find(R"("managedFields":[)" + Entry("g/v1")) !=
        std::string::npos);
}

std::shared_ptr<const check::ObjectMutation> MutationOf(const std::string& trees) {
  auto mutation = kube::mutation::Mutation::Parse(trees);
  REQUIRE(mutation);
  return std::make_shared<const check::ObjectMutation>(*std::move(mutation), "trees.yaml", "1");
}

std::string Whole(const std::string& version, const std::string& spec) {
  return R"({"metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":")" + version +
         R"("},"spec":)" + spec + "}";
}

TEST_CASE("An object is read, and written as a mutation makes it", "[migrate][object_write]") {
  World world;
  std::string kept;
  world.target.mutation = MutationOf("spec: {mode: (spec.old), old: null}");
  world.target.on_mutation = [&kept](const kube::json::Value& object) {
    kept += kube::json::Print(*object.Find("spec"));
  };
  CHECK(world.write.Request().method == "GET");
  CHECK(world.write.Request().accept.find("Partial") == std::string::npos);
  CHECK(world.Answer(Whole("10", R"({"old":1,"b":2})")) == Step::kSend);
  CHECK(kept == R"({"b":2,"old":1})");
  const kube::client::ApiRequest request = world.write.Request();
  CHECK(request.method == "PATCH");
  CHECK(request.content_type == "application/merge-patch+json");
  CHECK(request.body == R"({"metadata":{"resourceVersion":"10"},"spec":{"mode":1,"old":null}})");
  CHECK(world.Answer(Body("u", "11", 2)) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kMutated);
  CHECK_FALSE(world.write.answer().generation_moved);  // by us
}

TEST_CASE("An object that a mutation leaves alone is written as ever", "[migrate][object_write]") {
  World world;
  world.target.mutation = MutationOf("spec: {b: 2}");
  world.target.on_mutation = [](const kube::json::Value&) { FAIL("nothing is changed"); };
  CHECK(world.Answer(Whole("10", R"({"b":2.0})")) == Step::kSend);
  CHECK(world.write.Request().body == "{}");
  CHECK(world.Answer(Body("u", "11")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kRewritten);
}

TEST_CASE("After a conflict an object is read and mutated anew", "[migrate][object_write]") {
  World world;
  world.target.mutation = MutationOf("spec: {l: [(spec.a)]}");
  CHECK(world.Answer(Whole("10", R"({"a":1})")) == Step::kSend);
  CHECK(world.Answer(Status(409, "the object has been modified")) == Step::kPause);
  CHECK(world.write.Request().method == "GET");
  CHECK(world.Answer(Whole("12", R"({"a":2})")) == Step::kSend);
  CHECK(world.write.Request().body == R"({"metadata":{"resourceVersion":"12"},"spec":{"l":[2]}})");
  CHECK(world.Answer(Body("u", "13")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kMutated);
}

TEST_CASE("By update the mutated object is put back whole", "[migrate][object_write]") {
  World world;
  world.target.by_update = true;
  world.target.mutation = MutationOf("spec: {a: null}");
  CHECK(world.Answer(Whole("10", R"({"a":1,"b":[null]})")) == Step::kSend);
  CHECK(world.write.Request().method == "PUT");
  kube::json::Document sent, wanted;
  REQUIRE_FALSE(sent.Parse(world.write.Request().body));
  REQUIRE_FALSE(wanted.Parse(Whole("10", R"({"b":[null]})")));
  CHECK(kube::json::Equal(sent.root(), wanted.root()));
}

TEST_CASE("An object that would be changed a second time is not written",
          "[migrate][object_write]") {
  World world;
  world.target.mutation = MutationOf("spec: {a: (spec.b), b: (spec.a)}");
  CHECK(world.Answer(Whole("10", R"({"a":1,"b":2})")) == Step::kDone);
  CHECK(world.write.answer().object_class == report::ObjectClass::kFailed);
  CHECK(world.write.answer().message.find("trees.yaml would change it again") != std::string::npos);
}

}  // namespace object_write_test
}  // namespace migrate::rewrite
