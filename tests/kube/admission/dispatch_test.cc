#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "kube/admission/endpoint.h"
#include "tests/kube/admission/review_text.h"
#include "tests/support/fake_clock.h"

namespace kube::admission {
namespace dispatch_test {

using admission_test::ReadText;
using admission_test::ReviewText;
using Texts = std::vector<std::string>;

const HandlerOptions kAny{.resources = {AnyResource()}};

struct World {
  void Add(const std::string& id, ValidateFunction function, const HandlerOptions& options = kAny) {
    handlers.Add(Validate(id, options, std::move(function)));
  }
  void Change(const std::string& id, MutateFunction function) {
    handlers.Add(Mutate(id, kAny, std::move(function)));
  }
  auto Dispatch(const std::string& path, const ReviewText& text = {}) {
    const ReadText read(text);
    return Dispatcher(handlers, clock, metrics).Dispatch(path, read.review);
  }

  Handlers handlers;
  test_support::FakeClock clock;
  Metrics metrics;
};

ValidateFunction Says(Verdict verdict) {
  return [verdict](const Review&, Reply&) { return verdict; };
}

TEST_CASE("A path picks one handler, no path all that match", "[kube][admission]") {
  World world;
  const auto warns = [](const std::string& text) {
    return [text](const Review&, Reply& reply) {
      reply.AddWarning(text);
      reply.Annotate("last", text);
      return Allowed();
    };
  };
  world.Add("a", warns("a"));
  world.Add("b", warns("b"), {.resources = {{"other.dev", "v1", "examples"}}});
  world.Add("c", warns("c"));
  CHECK(world.Dispatch("a")->warnings == Texts{"a"});
  CHECK(world.Dispatch("b")->warnings.empty());
  CHECK(world.Dispatch("")->warnings == Texts{"a", "c"});
  CHECK(world.Dispatch("")->annotations == std::map<std::string, std::string>{{"last", "c"}});
}

TEST_CASE("Nobody is asked by an unknown path or about an unclear resource", "[kube][admission]") {
  World world;
  world.Add("a", Says(Allowed()), {.resources = {{"a.dev", "v1", "examples"}}});
  world.Add("b", Says(Allowed()), {.resources = {{"b.dev", "v1", "examples"}}});
  const auto unknown = world.Dispatch("c");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == 404);
  CHECK(unknown.error().message == "no admission handler \"c\"");
  ReviewText text;
  text.group = text.resource_version = "";
  const auto unclear = world.Dispatch("", text);
  REQUIRE_FALSE(unclear);
  CHECK(unclear.error().code == 409);
  CHECK(unclear.error().message ==
        "request.resource: there are several resources \"examples\": give the group and the "
        "version");
  CHECK(world.Dispatch("a", text));
}

TEST_CASE("A handler is not called where its predicate says no", "[kube][admission]") {
  World world;
  HandlerOptions options = kAny;
  options.when = [](const Review& review) { return review.user.username == "admin"; };
  world.Add("asked", Says(Refusal("no")), options);
  CHECK(world.Dispatch("asked")->verdict);
  CHECK(world.Dispatch("")->verdict);
  ReviewText text;
  text.user = R"({"username":"jo"})";
  CHECK_FALSE(world.Dispatch("asked", text)->verdict);
  CHECK_FALSE(world.Dispatch("", text)->verdict);
  // Two calls, of four reviews.
  CHECK_THAT(world.metrics.Print(),
             Catch::Contains("admission_handler_calls_total{handler=\"asked\",operation=\"CREATE\","
                             "outcome=\"refusal\"} 2\n"));
  CHECK_THAT(world.metrics.Print(), !Catch::Contains("outcome=\"allowed\""));
}

TEST_CASE("A predicate is asked about what matches all else", "[kube][admission]") {
  World world;
  HandlerOptions options = kAny;
  options.operations = {Operation::kUpdate};
  options.when = [](const Review&) -> bool { throw std::runtime_error("asked"); };
  world.Add("a", Says(Allowed()), options);
  CHECK_FALSE(world.Dispatch("a")->verdict);
  ReviewText update;
  update.operation = "UPDATE";
  const auto answer = world.Dispatch("a", update);
  REQUIRE(answer->verdict);
  CHECK(answer->verdict->kind == FailureKind::kOther);
  CHECK(answer->verdict->message == "asked");
}

TEST_CASE("Of several failures the gravest counts, of these the first", "[kube][admission]") {
  const Verdict other = Failure{FailureKind::kOther, "other"};
  const auto [verdicts, message] = GENERATE_COPY(table<std::vector<Verdict>, std::string>({
      {{Allowed(), other}, "other"},
      {{other, Temporary("temporary")}, "temporary"},
      {{Temporary("temporary"), Permanent("permanent")}, "permanent"},
      {{Permanent("permanent"), other, Refusal("refusal")}, "refusal"},
      {{Refusal("first"), Refusal("second")}, "first"},
  }));
  World world;
  for (const Verdict& verdict : verdicts) {
    world.Add("h" + std::to_string(world.handlers.all().size()), Says(verdict));
  }
  const auto answer = world.Dispatch("");
  REQUIRE(answer->verdict);
  CHECK(answer->verdict->message == message);
}

TEST_CASE("The code is 500 unless a refusal gives its own", "[kube][admission]") {
  World world;
  world.Add("refusal", Says(Refusal("no")));
  world.Add("own", Says(Refusal("no", 418)));
  world.Add("permanent", Says(Permanent("no")));
  world.Add("temporary", Says(Temporary("no")));
  world.Add("thrown", [](const Review&, Reply&) -> Verdict { throw std::runtime_error("oops"); });
  world.Add("odd", [](const Review&, Reply&) -> Verdict { throw 5; });
  const auto code = [&](const std::string& path) { return world.Dispatch(path)->verdict->code; };
  CHECK(code("refusal") == 500);
  CHECK(code("own") == 418);
  CHECK(code("permanent") == 500);
  CHECK(code("temporary") == 500);
  CHECK(code("thrown") == 500);
  CHECK(code("odd") == 500);
  CHECK(world.Dispatch("thrown")->verdict->message == "oops");
  CHECK(world.Dispatch("thrown")->verdict->kind == FailureKind::kOther);
}

TEST_CASE("Changes are put together in the order of registration", "[kube][admission]") {
  World world;
  world.Change("a", [](const Review&, Reply&, ObjectDraft& draft) {
    draft.SetText({"spec", "both"}, "a");
    draft.SetText({"spec", "a"}, "a");
    draft.Remove({"spec", "gone"});
    return Allowed();
  });
  world.Change("b", [](const Review& review, Reply&, ObjectDraft& draft) -> Verdict {
    // Sees what came, not what the first one made of it.
    CHECK(draft.Find({"spec", "a"}) == nullptr);
    CHECK(review.object->Find("spec")->Find("a") == nullptr);
    draft.SetText({"spec", "both"}, "b");
    return Refusal("a patch goes with it");
  });
  ReviewText text;
  text.object = R"({"spec":{"gone":1,"kept":2}})";
  const auto answer = world.Dispatch("", text);
  CHECK(answer->verdict->message == "a patch goes with it");
  CHECK(answer->patch ==
        R"([{"op":"remove","path":"/spec/gone"},{"op":"add","path":"/spec/both","value":"b"},)"
        R"({"op":"add","path":"/spec/a","value":"a"}])");
}

TEST_CASE("What comes to nothing is no patch", "[kube][admission]") {
  World world;
  world.Change("a", [](const Review&, Reply&, ObjectDraft& draft) {
    draft.SetNumber({"spec", "a"}, 1);
    draft.SetText({"spec", "b"}, "x");
    draft.Remove({"spec", "b"});
    return Allowed();
  });
  ReviewText text;
  text.object = R"({"spec":{"a":1.0}})";
  CHECK(world.Dispatch("a", text)->patch.empty());
}

TEST_CASE("Where a request has no object there is no patch", "[kube][admission]") {
  World world;
  world.handlers.Add(Mutate("a", {.resources = {AnyResource()}, .operations = {Operation::kDelete}},
                            [](const Review&, Reply& reply, ObjectDraft& draft) {
                              draft.SetText({"spec", "a"}, "x");
                              reply.AddWarning("asked");
                              return Allowed();
                            }));
  ReviewText text;
  text.operation = "DELETE";
  text.object = "null";
  const auto answer = world.Dispatch("a", text);
  CHECK(answer->patch.empty());
  CHECK(answer->warnings == Texts{"asked"});
}

/// Waits until so many threads are here.
class Meeting {
 public:
  explicit Meeting(std::size_t expected) : expected_(expected) {}
  void Arrive() {
    std::unique_lock lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    arrived_.notify_all();
    arrived_.wait(lock, [this] { return threads_.size() == expected_; });
  }
  const std::set<std::thread::id>& threads() const { return threads_; }

 private:
  std::size_t expected_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::set<std::thread::id> threads_;
};

TEST_CASE("Several handlers are asked at the same time, one in the caller's thread",
          "[kube][admission]") {
  const std::size_t count = GENERATE(1U, 3U);
  World world;
  Meeting meeting(count);
  for (std::size_t i = 0; i < count; ++i) {
    world.Add("h" + std::to_string(i), [&meeting](const Review&, Reply&) {
      meeting.Arrive();
      return Allowed();
    });
  }
  CHECK_FALSE(world.Dispatch("")->verdict);
  CHECK(meeting.threads().contains(std::this_thread::get_id()));
}

}  // namespace dispatch_test
}  // namespace kube::admission
