#include "migrate/guard/guard_handlers.h"

#include <catch2/catch.hpp>
#include <map>

#include "kube/admission/endpoint.h"
#include "tests/kube/admission/review_text.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_schema.h"

namespace migrate::guard {
namespace guard_handlers_test {

using kube::admission::Answer;
using kube::admission::admission_test::ReadText;
using kube::admission::admission_test::ReviewText;
using Strings = std::vector<std::string>;

const std::string kRest =
    " of widgets.demo.example.com will be removed when pruning is turned on: not in the schema of "
    "v1";
const std::string kWarning = "spec.legacyMode" + kRest;

std::string Widget(const std::string& spec, const std::string& metadata = "") {
  return R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"name":"a")" +
         metadata + R"(},"spec":)" + spec + "}";
}

ReviewText Review(const std::string& object, const std::string& old_object = "null") {
  return {.group = "demo.example.com",
          .plural = "widgets",
          .kind = "Kindwidgets",
          .operation = old_object == "null" ? "CREATE" : "UPDATE",
          .object = object,
          .old_object = old_object};
}

/// A guard of widgets, whose v1 knows spec.a alone.
struct World {
  explicit World(GuardAction action = GuardAction::kWarn, const std::string& tree = "",
                 const std::string& contact = "") {
    auto crd = support::ReadCrdText(
        test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    REQUIRE(crd);
    crds.Put(crd->name, crds.Make(*crd));
    GuardOptions options{.action = action,
                         .contact = contact,
                         .now = [] { return TimePoint(std::chrono::seconds(1767225600)); },
                         .tell = [this](const std::string& line) { lines.push_back(line); }};
    if (!tree.empty()) options.mutation = check::ReadMutations({folder.Write("tree.yaml", tree)});
    guard = std::make_unique<Guard>(crds, tally, std::move(options));
    handlers = guard->ServedHandlers();
  }
  Answer Ask(const std::string& id, const std::string& text) {
    const ReadText read(text);
    auto answer = dispatcher.Dispatch(id, read.review);
    REQUIRE(answer);
    return *std::move(answer);
  }
  Answer Check(const ReviewText& text) { return Ask("guard", text.Print()); }
  std::vector<report::WriterUse> Writers() { return guard->Report().writers; }

  test_support::TempFolder folder;
  GuardedCrds crds{{.all = true, .keeps_schemas = true}, {}};
  WriterTally tally;
  Strings lines;
  std::unique_ptr<Guard> guard;
  kube::admission::Handlers handlers;
  test_support::FakeClock clock;
  kube::admission::Metrics metrics;
  kube::admission::Dispatcher dispatcher{handlers, clock, metrics};
};

TEST_CASE("A writer of fields that will be pruned is warned and counted", "[migrate][guard]") {
  World world;
  const Answer answer = world.Check(Review(Widget(R"({"a":"1","legacyMode":true})")));
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings == Strings{kWarning});
  world.Check(Review(Widget(R"({"a":"1"})")));
  const report::GuardReport report = world.guard->Report();
  CHECK(report.action == "warn");
  CHECK(report.since == "2026-01-01T00:00:00Z");
  CHECK(report.requests == 2);
  CHECK(report.requests_losing_fields == 1);
  CHECK(report.requests_denied == 0);
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].name == "widgets.demo.example.com");
  REQUIRE(report.writers.size() == 1);
  CHECK(report.writers[0].user == "admin");
  CHECK(report.writers[0].path == "spec.legacyMode");
  CHECK(report.writers[0].example_object == "shop/a");
  CHECK(world.lines == Strings{"admin writes spec.legacyMode of widgets.demo.example.com, which is "
                               "not in the schema of v1"});
}

// That a tree moves the wrong thing must not keep anybody from writing.
TEST_CASE("A mutation that would do harm leaves the object as it is", "[migrate][guard]") {
  const auto [tree, spec, warning] = GENERATE(table<std::string, std::string, std::string>({
      {"spec: {doomed: 1}", R"({"a":"1"})",
       "the object stays as it is: the mutation would write spec.doomed, which will be pruned"},
      {"spec: {a: 5}", R"({"a":"1"})",
       "the object stays as it is: the mutation would make it invalid: spec.a: Invalid value: "
       "\"integer\": spec.a in body must ..."},  // of 120 characters
      {"spec: {a: (spec.b), b: (spec.a)}", R"({"a":"1","b":"2"})",
       "the object stays as it is: the mutation would change it again and again"},
  }));
  World world(GuardAction::kDeny, tree);
  const Answer answer = world.Ask("mutate", Review(Widget(spec)).Print());
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings == Strings{warning});
  CHECK(answer.patch.empty());
  CHECK(world.Writers().empty());
}

TEST_CASE("Whom to ask is told behind warnings and refusals", "[migrate][guard]") {
  const std::string contact = "ask the widget team, #widgets";
  const ReviewText review = Review(Widget(R"({"legacyMode":true})"));
  World world(GuardAction::kWarn, "", contact);
  CHECK(world.Check(review).warnings == Strings{kWarning, contact});
  CHECK(world.Check(Review(Widget(R"({"a":"1"})"))).warnings.empty());
  World strict(GuardAction::kDeny, "", contact);
  CHECK(strict.Check(review).verdict->message == kWarning + "; " + contact);
}

TEST_CASE("What the CRD of the files would refuse is warned of", "[migrate][guard]") {
  auto live = support::ReadCrdText(
      test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
  auto proposed = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","kind":"Kindwidgets"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                      {"type":"object","properties":{"spec":{"type":"object",
                       "properties":{"a":{"type":"string"}},
                       "x-kubernetes-validations":[{"rule":"self.a == 'b'"}]}}}}}]}})");
  REQUIRE(live);
  REQUIRE(proposed);
  std::vector<cluster::Proposal> proposals;
  proposals.push_back({.place = {}, .source = "new.yaml", .crd = *std::move(proposed)});
  GuardedCrds crds({}, std::move(proposals));
  crds.Put(live->name, crds.Make(*live));
  WriterTally tally;
  const Guard guard(crds, tally, {.now = [] { return TimePoint(); }});
  const kube::admission::Handlers handlers = guard.ServedHandlers();
  const test_support::FakeClock clock;
  kube::admission::Metrics metrics;
  const kube::admission::Dispatcher dispatcher(handlers, clock, metrics);
  const auto warnings = [&](const ReviewText& review) {
    const ReadText read(review.Print());
    return dispatcher.Dispatch("guard", read.review)->warnings;
  };
  const std::string wrong = Widget(R"({"a":"c"})");
  CHECK(warnings(Review(wrong)) ==
        Strings{"invalid by the new CRD: spec: Invalid value: failed rule: self.a == 'b'"});
  CHECK(warnings(Review(Widget(R"({"a":"b"})"))).empty());
  // A server that ratchets lets it be.
  CHECK(warnings(Review(wrong, wrong)).empty());
}

TEST_CASE("What is invalid as it was sent may be mutated", "[migrate][guard]") {
  World world(GuardAction::kWarn, "spec: {a: (spec.a), b: null}");
  CHECK_FALSE(world.Ask("mutate", Review(Widget(R"({"a":1,"b":2})")).Print()).patch.empty());
}

TEST_CASE("What a request brings is denied, if that is asked for", "[migrate][guard]") {
  World world(GuardAction::kDeny);
  const Answer created = world.Check(Review(Widget(R"({"legacyMode":true,"other":1})")));
  REQUIRE(created.verdict);
  CHECK(created.verdict->code == 422);
  CHECK(created.verdict->reason == "Invalid");
  CHECK(created.verdict->message == kWarning + "; spec.other" + kRest);
  const Answer updated =
      world.Check(Review(Widget(R"({"legacyMode":true,"other":1})"), Widget(R"({"other":1})")));
  REQUIRE(updated.verdict);
  CHECK(updated.verdict->message == kWarning);
  CHECK(updated.warnings.size() == 2);
  CHECK(world.guard->Report().requests_denied == 2);
  CHECK(world.Writers()[1].path == "spec.other");
  CHECK(world.Writers()[1].requests == 2);
  CHECK(world.Writers()[1].denied == 1);
}

TEST_CASE("What others have to write is never denied", "[migrate][guard]") {
  World world(GuardAction::kDeny);
  const std::string fields = R"({"legacyMode":true})";
  ReviewText review;
  SECTION("a finalizer beside fields that were there") {
    review = Review(Widget(fields), Widget(fields, R"(,"finalizers":["x/y"])"));
  }
  SECTION("the status, with whatever it brings") {
    review = Review(Widget(fields), Widget("{}"));
    review.subresource = "status";
  }
  SECTION("an object that is being deleted") {
    const std::string deleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
    review = Review(Widget(fields, deleted), Widget("{}", deleted));
  }
  const Answer answer = world.Check(review);
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings == Strings{kWarning});
  CHECK(world.Writers().size() == 1);
}

TEST_CASE("A rewrite passes untouched", "[migrate][guard]") {
  World world(GuardAction::kDeny, "spec: {a: x, legacyMode: null}");
  const std::string widget = Widget(R"({"legacyMode":true})");
  const std::string id = GENERATE("guard", "mutate");
  const Answer answer = world.Ask(id, Review(widget, widget).Print());
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings.empty());
  CHECK(answer.patch.empty());
  CHECK(world.Writers().empty());
  CHECK(world.guard->Report().requests_losing_fields == 0);
}

TEST_CASE("A mutated write of a migration is let be, but not for what it says of itself",
          "[migrate][guard]") {
  World world(GuardAction::kDeny, "spec: {a: x}");
  const auto text = [](const std::string& object, const std::string& old_object) {
    std::string review = Review(object, old_object).Print();
    review.insert(review.find(R"("object":)"), R"("options":{"fieldManager":"kubectl-prune"},)");
    return review;
  };
  const std::string old_widget = Widget(R"({"legacyMode":true})");
  const std::string moved = text(Widget(R"({"a":"1","legacyMode":true})"), old_widget);
  CHECK(world.Ask("guard", moved).warnings.empty());
  CHECK(world.Ask("mutate", moved).patch.empty());
  CHECK(world.Writers().empty());
  CHECK(world.Ask("guard", text(old_widget, Widget("{}"))).verdict);
  CHECK(world.Writers().size() == 1);
}

TEST_CASE("A mutation is applied, and who wrote what it moves is counted", "[migrate][guard]") {
  World world(GuardAction::kWarn, "spec: {a: (spec.legacyMode), legacyMode: null}");
  const std::string object = Widget(R"({"legacyMode":"x","other":1})");
  const Answer answer = world.Ask("mutate", Review(object).Print());
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings.empty());
  const kube::json::Document patch = kube::admission::admission_test::ParseJson(answer.patch);
  CHECK(patch.root().size() == 2);
  REQUIRE(world.Writers().size() == 1);
  CHECK(world.Writers()[0].path == "spec.legacyMode");
  CHECK(world.Writers()[0].moved == 1);
  CHECK(world.guard->Report().requests_losing_fields == 0);
}

TEST_CASE("What is not guarded passes", "[migrate][guard]") {
  World world(GuardAction::kDeny);
  ReviewText review = Review(Widget(R"({"legacyMode":true})"));
  SECTION("another resource") { review.plural = "gears"; }
  SECTION("another group") { review.group = "example.com"; }
  SECTION("a scale") {
    review.subresource = "scale";
    review.kind = "Scale";
  }
  SECTION("a CRD that prunes by now") { world.crds.Remove("widgets.demo.example.com"); }
  const Answer answer = world.Check(review);
  CHECK_FALSE(answer.verdict);
  CHECK(answer.warnings.empty());
  CHECK(world.guard->Report().requests == 0);
}

TEST_CASE("Of a dry run nothing is counted", "[migrate][guard]") {
  World world;
  std::string text = Review(Widget(R"({"legacyMode":true})")).Print();
  text.replace(text.find(R"("dryRun":false)"), 14, R"("dryRun":true)");
  CHECK(world.Ask("guard", text).warnings == Strings{kWarning});
  CHECK(world.guard->Report().requests == 0);
  CHECK(world.Writers().empty());
}

TEST_CASE("Of many fields some are told one by one", "[migrate][guard]") {
  World world(GuardAction::kDeny);
  std::string spec = R"("a":"1")";
  for (int i = 10; i < 40; ++i) spec += ",\"x" + std::to_string(i) + "\":1";
  const Answer answer = world.Check(Review(Widget("{" + spec + "}")));
  REQUIRE(answer.warnings.size() == 21);
  CHECK(answer.warnings[0] == "spec.x10" + kRest);
  CHECK(answer.warnings[20] == "10 more fields will be removed");
  REQUIRE(answer.verdict);
  CHECK(answer.verdict->message.ends_with("spec.x14" + kRest + "; 25 more fields will be removed"));
}

TEST_CASE("Configurations ask about what is guarded, and let pass where nobody answers",
          "[migrate][guard]") {
  World world(GuardAction::kWarn, "spec: {a: x}");
  const kube::admission::Handlers handlers = world.guard->ConfiguredHandlers();
  REQUIRE(handlers.all().size() == 2);
  for (const kube::admission::Handler& handler : handlers.all()) {
    CHECK(handler.options.resources ==
          std::vector<kube::admission::Resource>{{"demo.example.com", "*", "widgets"}});
    CHECK(handler.options.ignore_failures);
    CHECK(handler.options.timeout == std::chrono::seconds(3));
    CHECK_FALSE(handler.options.persistent);
    CHECK_FALSE(handler.options.side_effects);
  }
  CHECK(handlers.Find("mutate")->options.subresource.empty());
  CHECK(handlers.Find("guard")->options.subresource == "*");
  world.crds.Remove("widgets.demo.example.com");
  CHECK(world.guard->ConfiguredHandlers().all().empty());
}

}  // namespace guard_handlers_test
}  // namespace migrate::guard
