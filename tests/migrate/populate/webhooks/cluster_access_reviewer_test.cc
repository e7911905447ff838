#include <thread>

#include "kube/base/result.h"
#include "migrate/populate/access_reviewer.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"
#include "tests/support/fake_cluster.h"

namespace migrate::populate {
namespace cluster_access_reviewer_test {

using kube::admission::UserInfo;
using std::chrono::seconds;
using test_support::FakeCluster;
using test_support::FakeFault;
using webhooks_test::AllowedAnswer;
using webhooks_test::DeniedAnswer;
using webhooks_test::UnknownAnswer;
using Answers = std::vector<AccessAnswer>;
using Kind = AccessAnswer::Kind;

const TemplateRight kUse{kUseVerb, "strict"};
const UserInfo kJo = webhooks_test::UserNamed("jo");

/// What all reviews are answered, as long as nothing else is said.
FakeFault Always(const std::string& body) {
  return {.target = "/subjectaccessreviews",
          .times = 0,
          .answer = test_support::FakeText(201, "application/json", body)};
}

struct World {
  AccessAnswer Ask() { return reviewer.Ask(kJo, {kUse}).at(0); }

  FakeCluster cluster;
  ClusterAccessReviewer reviewer{cluster.client, cluster.clock};
};

TEST_CASE("The server is asked with all that is known of a user", "[migrate][populate][webhooks]") {
  World world;
  world.cluster.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  UserInfo user = kJo;
  user.uid = "7";
  user.groups = {"dev", "system:authenticated"};
  user.extra.emplace_back("example.com/scopes", std::vector<std::string_view>{"a", "b"});
  CHECK(world.reviewer.Ask(user, {kUse}) == Answers{AllowedAnswer()});
  const kube::client::HttpRequest& request = world.cluster.server.requests().back();
  CHECK(request.method == "POST");
  CHECK(request.target == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  CHECK(request.body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{)"
        R"("extra":{"example.com/scopes":["a","b"]},"groups":["dev","system:authenticated"],)"
        R"("resourceAttributes":{"group":"policy.kubectl-prune.dev","name":"strict",)"
        R"("resource":"namespacetemplates","verb":"use","version":"*"},"uid":"7","user":"jo"}})");
}

TEST_CASE("A right to all templates names none", "[migrate][populate][webhooks]") {
  World world;
  world.cluster.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  world.reviewer.Ask(kJo, {{kOptOutVerb}});
  CHECK(world.cluster.server.requests().back().body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{)"
        R"("resourceAttributes":{"group":"policy.kubectl-prune.dev",)"
        R"("resource":"namespacetemplates","verb":"optout","version":"*"},"user":"jo"}})");
}

TEST_CASE("Who may not is told why, if the server says it", "[migrate][populate][webhooks]") {
  const auto [status, reason] = GENERATE(table<std::string, std::string>({
      {R"({"allowed":false})", ""},
      {R"({"allowed":false,"denied":true,"reason":"no"})", "no"},
      {R"({"allowed":false,"evaluationError":"no such role"})", "no such role"},
      {R"({"allowed":false,"reason":"no","evaluationError":"no such role"})", "no"},
  }));
  World world;
  world.cluster.server.AddFault(Always(R"({"status":)" + status + "}"));
  CHECK(world.Ask() == DeniedAnswer(reason));
}

TEST_CASE("What the server says is not taken for a yes unless it is one",
          "[migrate][populate][webhooks]") {
  const std::string body = GENERATE(as<std::string>(), "{}", "[]", R"({"status":{}})",
                                    R"({"status":[]})", R"({"status":{"allowed":"true"}})",
                                    R"({"status":{"allowed":1}})", R"({"allowed":true})");
  CAPTURE(body);
  World world;
  world.cluster.server.AddFault(Always(body));
  CHECK(world.Ask() == UnknownAnswer("the server's answer does not say whether it is allowed"));
}

TEST_CASE("An answer that is no JSON is none", "[migrate][populate][webhooks]") {
  World world;
  world.cluster.server.AddFault(Always("yes"));
  CHECK(world.Ask().kind == Kind::kUnknown);
}

TEST_CASE("A very long reason is cut", "[migrate][populate][webhooks]") {
  World world;
  world.cluster.server.AddFault(
      Always(R"({"status":{"allowed":false,"reason":")" + std::string(100'000, 'x') + R"("}})"));
  CHECK(world.Ask().reason.size() == 1024);
}

TEST_CASE("What the server refuses to be asked is told", "[migrate][populate][webhooks]") {
  World world;
  FakeFault fault = Always("");
  fault.answer = test_support::FakeStatus(403, "Forbidden", "subjectaccessreviews is forbidden");
  world.cluster.server.AddFault(fault);
  CHECK(world.Ask() ==
        UnknownAnswer("Error from server (Forbidden): subjectaccessreviews is forbidden"));
}

TEST_CASE("A server that does not answer is waited for no longer than is said",
          "[migrate][populate][webhooks]") {
  World world;
  FakeFault fault = Always(R"({"status":{"allowed":true}})");
  fault.latency = seconds(60);
  fault.times = 1;
  world.cluster.server.AddFault(fault);
  CHECK(world.Ask() == UnknownAnswer("the server did not answer in time"));
  CHECK(world.cluster.clock.passed() <= seconds(6));
  world.cluster.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  CHECK(world.Ask() == AllowedAnswer());
}

TEST_CASE("Several rights are asked at the same time", "[migrate][populate][webhooks]") {
  World world;
  FakeFault fault = Always(R"({"status":{"allowed":true}})");
  fault.latency = seconds(1);
  world.cluster.server.AddFault(fault);
  CHECK(world.reviewer.Ask(kJo, {kUse, {kUseVerb, "b"}, {kUseVerb, "c"}}) ==
        Answers(3, AllowedAnswer()));
  CHECK(world.cluster.clock.passed() < seconds(2));
  CHECK(world.reviewer.Ask(kJo, {}).empty());
}

TEST_CASE("Several threads ask at the same time", "[migrate][populate][webhooks]") {
  World world;
  world.cluster.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  std::vector<AccessAnswer> answers(8);
  {
    std::vector<std::jthread> threads;
    for (AccessAnswer& answer : answers) {
      threads.emplace_back([&world, &answer] { answer = world.Ask(); });
    }
  }
  CHECK(answers == Answers(8, AllowedAnswer()));
}

/// A client with patience, whose credentials may fail.
class OtherCluster : private kube::client::Credentials {
 public:
  bool are_failing = false;
  test_support::FakeClock clock;
  test_support::FakeApiServer server{clock};
  kube::client::Client client{server,
                              *this,
                              clock,
                              {.server = "https://fake.example.com",
                               .user_agent = "test",
                               .patience = seconds(10),
                               .on_warning = nullptr,
                               .on_request = nullptr}};
  ClusterAccessReviewer reviewer{client, clock};

 private:
  std::vector<kube::client::HttpHeader> Headers() override {
    if (are_failing) throw kube::base::Error("the plugin failed");
    return {};
  }
  bool Refresh() override { return false; }
};

TEST_CASE("A question that was lost on its way is asked again", "[migrate][populate][webhooks]") {
  OtherCluster other;
  other.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  CHECK(other.reviewer.Ask(kJo, {kUse}) == Answers{AllowedAnswer()});
  other.server.AddFault({.target = "/subjectaccessreviews", .lost = true});
  CHECK(other.reviewer.Ask(kJo, {kUse}) == Answers{AllowedAnswer()});
  CHECK(other.server.requests().size() == 3);
}

TEST_CASE("Without credentials nothing is known, and nothing is thrown",
          "[migrate][populate][webhooks]") {
  OtherCluster other;
  other.are_failing = true;
  CHECK(other.reviewer.Ask(kJo, {kUse, kUse}) == Answers(2, UnknownAnswer("the plugin failed")));
  CHECK(other.server.requests().empty());
  other.are_failing = false;
  other.server.AddFault(Always(R"({"status":{"allowed":true}})"));
  CHECK(other.reviewer.Ask(kJo, {kUse}) == Answers{AllowedAnswer()});
}

}  // namespace cluster_access_reviewer_test
}  // namespace migrate::populate
