#include "migrate/populate/refusal.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace opt_out_test {

using webhooks_test::AllowedAnswer;
using webhooks_test::DeniedAnswer;
using webhooks_test::FakeAccess;
using webhooks_test::Labels;
using webhooks_test::NamespaceReview;
using webhooks_test::NamespaceText;
using webhooks_test::ReadText;
using webhooks_test::ReviewText;
using webhooks_test::Strings;
using webhooks_test::Told;
using webhooks_test::UnknownAnswer;

const std::string kAccount = "system:serviceaccount:fleet:agent";
const std::set<std::string, std::less<>> kUsers = {kAccount};

std::string OptOut(const std::string& value) {
  return NamespaceText(Labels(R"("policy/namespace-template-opt-out":")" + value + "\""));
}

std::string OptOutAnnotation(const std::string& value) {
  return NamespaceText(R"("annotations":{"policy/namespace-template-opt-out":")" + value + "\"}");
}

std::string Changed(const ReviewText& text) {
  const ReadText read(text);
  kube::admission::ObjectDraft draft(read.review.object);
  SetOptOut(read.review, kUsers, draft);
  return kube::json::Print(draft.object());
}

std::string Check(const ReviewText& text, FakeAccess& access) {
  return Told(CheckOptOut(ReadText(text).review, kUsers, access));
}

TEST_CASE("A service account is a user by its namespace and name",
          "[migrate][populate][webhooks]") {
  CHECK(*UserOfServiceAccount("fleet:agent") == kAccount);
  CHECK(*UserOfServiceAccount("fleet:agent.v2") == "system:serviceaccount:fleet:agent.v2");
  CHECK(UserOfServiceAccount("agent").error() == "a service account is written NAMESPACE:NAME");
  for (const char* text : {"", ":", ":agent", "fleet:", "fleet:a:b", "Fleet:agent", "a.b:agent",
                           "system:serviceaccount:fleet:agent"}) {
    CAPTURE(text);
    CHECK_FALSE(UserOfServiceAccount(text));
  }
}

TEST_CASE("Namespaces of some service accounts opt out", "[migrate][populate][webhooks]") {
  const std::string object =
      GENERATE(as<std::string>(), NamespaceText(), OptOut("false"), NamespaceText(R"("labels":5)"));
  CAPTURE(object);
  CHECK(Changed(NamespaceReview(object, "null", kAccount)) ==
        R"({"apiVersion":"v1","kind":"Namespace","metadata":{)"
        R"("annotations":{"policy/namespace-template-opt-out":"true"},)"
        R"("labels":{"policy/namespace-template-opt-out":"true"},"name":"shop"}})");
}

TEST_CASE("Namespaces of others do not opt out by themselves", "[migrate][populate][webhooks]") {
  const std::string user = GENERATE("jo", "system:serviceaccount:fleet:other", "agent", "");
  CHECK_THAT(Changed(NamespaceReview(NamespaceText(), "null", user)), !Catch::Contains("opt-out"));
  CHECK_THAT(Changed(NamespaceReview(NamespaceText(), NamespaceText(), kAccount)),
             !Catch::Contains("opt-out"));
}

TEST_CASE("Whoever sets, changes or removes label or annotation needs the right to opt out",
          "[migrate][populate][webhooks]") {
  const auto [object, old_object] = GENERATE(table<std::string, std::string>({
      {OptOut("true"), "null"},
      {OptOut("false"), "null"},
      {OptOut("true"), NamespaceText()},
      {OptOut("true"), OptOut("false")},
      {OptOut("false"), OptOut("true")},
      {OptOutAnnotation("true"), "null"},
      {OptOutAnnotation("true"), NamespaceText()},
      {NamespaceText(), OptOutAnnotation("true")},
      {OptOutAnnotation("true"), OptOut("true")},
      {NamespaceText(), OptOut("true")},
      {"{}", OptOut("true")},
  }));
  CAPTURE(object, old_object);
  FakeAccess access;
  CHECK(Check(NamespaceReview(object, old_object), access) ==
        "403 policy/namespace-template-opt-out cannot be changed: User \"jo\" cannot "
        "optout resource \"namespacetemplates\" in API group \"policy.kubectl-prune.dev\" at the "
        "cluster scope");
  CHECK(access.asked == Strings{"jo optout"});
  access.answers["jo optout"] = AllowedAnswer();
  CHECK(Check(NamespaceReview(object, old_object), access).empty());
}

TEST_CASE("Where both stay as they are nobody is asked", "[migrate][populate][webhooks]") {
  const auto [object, old_object] = GENERATE(table<std::string, std::string>({
      {NamespaceText(), "null"},
      {NamespaceText(), NamespaceText()},
      {OptOut("true"), OptOut("true")},
      {OptOutAnnotation("true"), OptOutAnnotation("true")},
  }));
  FakeAccess access;
  CHECK(Check(NamespaceReview(object, old_object), access).empty());
  CHECK(access.asked.empty());
}

TEST_CASE("Accounts whose namespaces opt out need no right for that, but for later changes",
          "[migrate][populate][webhooks]") {
  FakeAccess access;
  CHECK(Check(NamespaceReview(OptOut("true"), "null", kAccount), access).empty());
  CHECK(access.asked.empty());
  CHECK_FALSE(Check(NamespaceReview(OptOut("true"), NamespaceText(), kAccount), access).empty());
}

TEST_CASE("What an authorizer says is told, and that it could not be asked",
          "[migrate][populate][webhooks]") {
  FakeAccess access;
  access.answers["jo optout"] = DeniedAnswer("no such role");
  CHECK(Check(NamespaceReview(OptOut("true")), access)
            .ends_with(" at the cluster scope: no such role"));
  access.answers["jo optout"] = UnknownAnswer("no answer");
  CHECK(Check(NamespaceReview(OptOut("true")), access) ==
        "503 policy/namespace-template-opt-out cannot be changed: it could not be asked "
        "whether User \"jo\" can optout resource \"namespacetemplates\" in API group "
        "\"policy.kubectl-prune.dev\" at the cluster scope: no answer");
}

}  // namespace opt_out_test
}  // namespace migrate::populate
