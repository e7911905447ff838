#include "migrate/populate/refusal.h"

#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace refusal_test {

using webhooks_test::AllowedAnswer;
using webhooks_test::DeniedAnswer;
using webhooks_test::FakeAccess;
using webhooks_test::Told;
using webhooks_test::UnknownAnswer;
using webhooks_test::UserNamed;

// As forbiddenMessage of apiserver pkg/endpoints/handlers/responsewriters words it.
constexpr char kWhat[] =
    "resource \"namespacetemplates\" in API group \"policy.kubectl-prune.dev\" at the cluster "
    "scope";

TEST_CASE("Who may not is told in the words of the API server", "[migrate][populate][webhooks]") {
  CHECK(CannotText("jo", "use") == std::string("User \"jo\" cannot use ") + kWhat);
  CHECK(NotAskedText("jo", "use") ==
        std::string("it could not be asked whether User \"jo\" can use ") + kWhat);
}

TEST_CASE("A name that steers a terminal is quoted", "[migrate][populate][webhooks]") {
  CHECK_THAT(CannotText("a\x1b[2J\"\n", "use"), Catch::StartsWith(R"(User "a\x1b[2J\"\n" cannot)"));
}

TEST_CASE("A right is there, or the reason why not", "[migrate][populate][webhooks]") {
  const auto [answer, told] = GENERATE(table<AccessAnswer, std::string>({
      {AllowedAnswer(), ""},
      {DeniedAnswer(), std::string("403 no: User \"jo\" cannot optout ") + kWhat},
      {DeniedAnswer("never"),
       std::string("403 no: User \"jo\" cannot optout ") + kWhat + ": never"},
      {UnknownAnswer("down"),
       std::string("503 no: it could not be asked whether User \"jo\" can optout ") + kWhat +
           ": down"},
  }));
  CAPTURE(told);
  FakeAccess access;
  access.answers["jo optout"] = answer;
  CHECK(Told(RequireRight(access, UserNamed("jo"), kOptOutVerb, "no")) == told);
}

/// Forgets to answer.
class SilentAccess : public AccessReviewer {
  std::vector<AccessAnswer> Ask(const kube::admission::UserInfo&,
                                const std::vector<TemplateRight>&) override {
    return {};
  }
};

TEST_CASE("No answer is no right", "[migrate][populate][webhooks]") {
  SilentAccess access;
  CHECK_THAT(Told(RequireRight(access, UserNamed("jo"), kOptOutVerb, "no")),
             Catch::StartsWith("503 "));
}

TEST_CASE("Refusals have the reasons of their codes", "[migrate][populate][webhooks]") {
  const kube::admission::Failure forbidden = Forbidden("a"), unavailable = Unavailable("b");
  CHECK(forbidden.code == 403);
  CHECK(forbidden.reason == "Forbidden");
  CHECK(forbidden.kind == kube::admission::FailureKind::kRefusal);
  CHECK(unavailable.code == 503);
  CHECK(unavailable.reason == "ServiceUnavailable");
  CHECK(unavailable.kind == kube::admission::FailureKind::kTemporary);
  CHECK_FALSE(unavailable.retry_after);
}

}  // namespace refusal_test
}  // namespace migrate::populate
