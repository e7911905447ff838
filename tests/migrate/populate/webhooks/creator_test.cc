#include "migrate/populate/creator.h"

#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace creator_test {

using populate_test::ParseJson;
using webhooks_test::NamespaceReview;
using webhooks_test::NamespaceText;
using webhooks_test::ReadText;
using webhooks_test::ReviewText;
using webhooks_test::Told;

std::string Creator(const std::string& user) {
  return R"("annotations":{"authorization.k8s.io/creator":)" + user + "}";
}

/// What becomes of the Namespace of a request to create it.
std::string Changed(const ReviewText& text) {
  const ReadText read(text);
  kube::admission::ObjectDraft draft(read.review.object);
  SetCreator(read.review, draft);
  return kube::json::Print(draft.object());
}

std::string Check(const ReviewText& text) { return Told(CheckCreator(ReadText(text).review)); }

TEST_CASE("Whoever makes a namespace is noted on it", "[migrate][populate][webhooks]") {
  const std::string user = GENERATE("jo@example.com", "system:apiserver",
                                    "system:serviceaccount:ci:deployer", "oidc:a b/c=d");
  CHECK(Changed(NamespaceReview(NamespaceText(), "null", user)) ==
        R"({"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{)"
        R"("authorization.k8s.io/creator":")" +
            user + R"("},"name":"shop"}})");
}

TEST_CASE("The creator of a namespace cannot be forged", "[migrate][populate][webhooks]") {
  const std::string given = GENERATE(as<std::string>(), R"("admin")", R"("")", "null", "5", "{}");
  CAPTURE(given);
  CHECK(Changed(NamespaceReview(NamespaceText(Creator(given)))) ==
        Changed(NamespaceReview(NamespaceText(Creator(R"("jo")")))));
}

TEST_CASE("The creator is noted whatever the metadata are", "[migrate][populate][webhooks]") {
  const std::string object =
      GENERATE(as<std::string>(), "{}", R"({"metadata":null})", R"({"metadata":"a"})",
               R"({"metadata":{"annotations":null}})", R"({"metadata":{"annotations":["a"]}})");
  CAPTURE(object);
  CHECK(Changed(NamespaceReview(object)) ==
        R"({"metadata":{"annotations":{"authorization.k8s.io/creator":"jo"}}})");
}

TEST_CASE("Other annotations stay beside that of the creator", "[migrate][populate][webhooks]") {
  CHECK_THAT(Changed(NamespaceReview(NamespaceText(R"("annotations":{"a":"b"})"))),
             Catch::Contains(R"({"a":"b","authorization.k8s.io/creator":"jo"})"));
}

TEST_CASE("Nobody is called a creator where the user is not known",
          "[migrate][populate][webhooks]") {
  ReviewText text = NamespaceReview(NamespaceText(Creator(R"("admin")")));
  text.user = GENERATE("{}", R"({"username":""})", "null");
  CHECK_THAT(Changed(text), !Catch::Contains("admin"));
  CHECK_THAT(Check(text), Catch::Contains("must be the user that makes the namespace"));
}

TEST_CASE("Without an object there is nothing to note", "[migrate][populate][webhooks]") {
  CHECK(Changed(NamespaceReview("null")) == "null");
  CHECK(Check(NamespaceReview("null")).empty());
}

TEST_CASE("A new namespace has the creator that it was given, or none",
          "[migrate][populate][webhooks]") {
  CHECK(Check(NamespaceReview(NamespaceText(Creator(R"("jo")")))).empty());
  CHECK(Check(NamespaceReview(NamespaceText())).empty());
  CHECK(Check(NamespaceReview(NamespaceText(Creator(R"("admin")")))) ==
        "422 metadata.annotations[authorization.k8s.io/creator]: Invalid value: \"admin\": must be "
        "the user that makes the namespace");
  CHECK_FALSE(Check(NamespaceReview(NamespaceText(Creator("5")))).empty());
}

TEST_CASE("The creator of a namespace cannot be changed, removed or added later",
          "[migrate][populate][webhooks]") {
  constexpr char kPath[] = "422 metadata.annotations[authorization.k8s.io/creator]: ";
  const std::string by_jo = NamespaceText(Creator(R"("jo")"));
  const std::string by_admin = NamespaceText(Creator(R"("admin")"));
  CHECK(Check(NamespaceReview(by_admin, by_jo)) ==
        kPath + std::string("Invalid value: \"admin\": field is immutable"));
  CHECK(Check(NamespaceReview(by_jo, by_admin)) ==
        kPath + std::string("Invalid value: \"jo\": field is immutable"));
  CHECK(Check(NamespaceReview(by_jo, NamespaceText())) ==
        kPath + std::string("Invalid value: \"jo\": field is immutable"));
  CHECK(Check(NamespaceReview(NamespaceText(), by_jo)).starts_with(kPath));
  CHECK(Check(NamespaceReview(NamespaceText(Creator("null")), by_jo)).starts_with(kPath));
  CHECK(Check(NamespaceReview("{}", by_jo)).starts_with(kPath));
}

TEST_CASE("Other changes leave the creator of a namespace alone", "[migrate][populate][webhooks]") {
  const std::string by_jo = NamespaceText(Creator(R"("jo")"));
  const std::string labelled = NamespaceText(Creator(R"("jo")") + R"(,"labels":{"a":"b"})");
  ReviewText text = NamespaceReview(labelled, by_jo, "other");
  text.subresource = GENERATE("", "status", "finalize");
  CHECK(Check(text).empty());
  CHECK(Check(NamespaceReview(NamespaceText(), NamespaceText(R"("labels":{"a":"b"})"))).empty());
}

/// A list of one configuration with this webhook, whose name is of ours.
std::string WhyUnguarded(const std::string& webhook) {
  return WhyCreatorUnguarded(
      ParseJson(R"({"items":[{},{"webhooks":[{"name":"other"},{"name":"creator.check.ours")" +
                webhook + "}]}]}")
          .root());
}

// Of apiserver pkg/admission/plugin/webhook.
TEST_CASE("A webhook that is not asked about each namespace, or lets pass, guards no creator",
          "[migrate][populate][webhooks]") {
  const std::string fail = R"(,"failurePolicy":"Fail")",
                    ours = "the webhook \"creator.check.ours\" ";
  const auto rules = [](const std::string& resources, const std::string& operations,
                        const std::string& more = "") {
    return R"(,"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":[)" + resources +
           R"(],"operations":[)" + operations + "]" + more + "}]";
  };
  const std::string all = rules(R"("namespaces/*")", R"("CREATE","UPDATE")");
  const std::string not_asked = ours + "is not asked about each change of each namespace (rules)";
  const auto [webhook, why] = GENERATE_COPY(table<std::string, std::string>({
      {fail + all, ""},
      {fail + all + R"(,"namespaceSelector":{},"objectSelector":{"matchLabels":{}})", ""},
      {fail + rules(R"("*/*")", R"("*")"), ""},
      {fail + rules(R"("namespaces","namespaces/status","namespaces/finalize")", R"("*")",
                    R"(,"scope":"Cluster")"),
       ""},
      {all, ours + "lets pass while nobody answers"},
      {R"(,"failurePolicy":"Ignore")" + all, ours + "lets pass while nobody answers"},
      {fail + all + R"(,"namespaceSelector":{"matchLabels":{"a":"b"}})",
       ours + "is not asked about each change of each namespace (namespaceSelector)"},
      {fail + all + R"(,"objectSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]})",
       ours + "is not asked about each change of each namespace (objectSelector)"},
      {fail + all + R"(,"matchConditions":[{"name":"a","expression":"false"}])",
       ours + "is not asked about each change of each namespace (matchConditions)"},
      {fail + rules(R"("*")", R"("*")"), not_asked},
      {fail + rules(R"("namespaces")", R"("*")"), not_asked},
      {fail + rules(R"("namespaces","namespaces/status")", R"("*")"), not_asked},
      {fail + rules(R"("namespaces/*")", R"("CREATE")"), not_asked},
      {fail + rules(R"("namespaces/*")", R"("UPDATE")"), not_asked},
      {fail + rules(R"("namespaces/*")", R"("*")", R"(,"scope":"Namespaced")"), not_asked},
      {fail, not_asked},
  }));
  CAPTURE(webhook);
  CHECK(WhyUnguarded(webhook) == why);
}

TEST_CASE("Where there is no webhook of ours no creator is guarded",
          "[migrate][populate][webhooks]") {
  for (const char* list :
       {"{}", R"({"items":[]})", R"({"items":[{"webhooks":[{"name":"creator"}]}]})"}) {
    CAPTURE(list);
    CHECK(WhyCreatorUnguarded(ParseJson(list).root()) ==
          "the cluster does not have the webhook creator of kubectl prune populate");
  }
}

}  // namespace creator_test
}  // namespace migrate::populate
