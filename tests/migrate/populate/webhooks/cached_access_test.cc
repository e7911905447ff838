#include "migrate/populate/access_reviewer.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"
#include "tests/support/fake_clock.h"

namespace migrate::populate {
namespace cached_access_test {

using kube::admission::UserInfo;
using webhooks_test::AllowedAnswer;
using webhooks_test::DeniedAnswer;
using webhooks_test::FakeAccess;
using webhooks_test::Strings;
using webhooks_test::UnknownAnswer;
using webhooks_test::UserNamed;
using Answers = std::vector<AccessAnswer>;
using Rights = std::vector<TemplateRight>;

const TemplateRight kA{kUseVerb, "a"}, kB{kUseVerb, "b"};

struct World {
  Answers Ask(const Rights& rights, const UserInfo& user = UserNamed("jo")) {
    return cached.Ask(user, rights);
  }

  FakeAccess access;
  test_support::FakeClock clock;
  CachedAccess cached{access, clock};
};

TEST_CASE("What is allowed is asked once in some seconds", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo use a"] = AllowedAnswer();
  for (int i = 0; i < 3; ++i) CHECK(world.Ask({kA}) == Answers{AllowedAnswer()});
  CHECK(world.access.asked == Strings{"jo use a"});
  world.clock.Advance(CachedAccess::kAllowedFor);
  CHECK(world.Ask({kA}) == Answers{AllowedAnswer()});
  CHECK(world.access.asked.size() == 2);
}

TEST_CASE("What is denied is remembered for a shorter time", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo use a"] = DeniedAnswer("no");
  for (int i = 0; i < 3; ++i) CHECK(world.Ask({kA}) == Answers{DeniedAnswer("no")});
  CHECK(world.access.asked.size() == 1);
  world.access.answers["jo use a"] = AllowedAnswer();
  world.clock.Advance(CachedAccess::kDeniedFor);
  CHECK(world.Ask({kA}) == Answers{AllowedAnswer()});
}

TEST_CASE("What could not be asked is asked again", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo use a"] = UnknownAnswer("no answer");
  CHECK(world.Ask({kA}) == Answers{UnknownAnswer("no answer")});
  world.access.answers["jo use a"] = AllowedAnswer();
  CHECK(world.Ask({kA}) == Answers{AllowedAnswer()});
}

TEST_CASE("Of several rights those are asked that are not known", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo use a"] = AllowedAnswer();
  world.Ask({kA});
  CHECK(world.Ask({kB, kA, {kUseVerb}}) ==
        Answers{DeniedAnswer(), AllowedAnswer(), DeniedAnswer()});
  CHECK(world.access.asked == Strings{"jo use a", "jo use b", "jo use"});
  CHECK(world.Ask({}).empty());
}

TEST_CASE("All that is known of a user tells it from others", "[migrate][populate][webhooks]") {
  UserInfo user = UserNamed("jo");
  user.uid = "1";
  user.groups = {"a", "b"};
  user.extra.emplace_back("k", std::vector<std::string_view>{"v"});
  UserInfo other = user;
  SECTION("the name") { other.username = "jo1"; }
  SECTION("the uid") { other.uid = "2"; }
  SECTION("a group more") { other.groups = {"a", "b", "c"}; }
  SECTION("two groups in one") { other.groups = {"ab"}; }
  SECTION("a value") { other.extra[0].second = {"w"}; }
  SECTION("a key") { other.extra[0].first = "kk"; }
  SECTION("no extra") { other.extra.clear(); }
  SECTION("a key that reads like a group") {
    other.groups = {"a", "b", "k"};
    other.extra.clear();
  }
  World world;
  world.Ask({kA}, user);
  world.Ask({kA}, other);
  CHECK(world.access.asked.size() == 2);
  world.Ask({kA}, user);
  CHECK(world.access.asked.size() == 2);
}

TEST_CASE("Verbs and names are told apart", "[migrate][populate][webhooks]") {
  World world;
  world.Ask({{"use", "a"}, {"usea"}, {"us", "ea"}, {"", "usea"}});
  CHECK(world.access.asked.size() == 4);
}

TEST_CASE("However many ask, memory is bounded, and who asks next is remembered",
          "[migrate][populate][webhooks]") {
  World world;
  for (std::size_t i = 0; i < CachedAccess::kMostAnswers + 10; ++i) {
    world.Ask({{kUseVerb, std::to_string(i)}});
  }
  const std::size_t asked = world.access.asked.size();
  CHECK(asked == CachedAccess::kMostAnswers + 10);
  world.Ask({{kUseVerb, std::to_string(CachedAccess::kMostAnswers + 9)}});
  CHECK(world.access.asked.size() == asked);
  world.Ask({{kUseVerb, "0"}});
  CHECK(world.access.asked.size() == asked + 1);
}

}  // namespace cached_access_test
}  // namespace migrate::populate
