#include <catch2/catch.hpp>

#include "migrate/check/apply_effect.h"
#include "tests/support/fake_cluster.h"

namespace migrate::check {
namespace apply_question_test {

using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeStatus;

const std::string kName = "widgets.demo.example.com";

/// Asks about the CRD widgets, which is there with `more` in its spec.
report::ApplyReport Ask(FakeCluster& cluster, const std::string& more = "",
                        const std::string& manifest = FakeCrdText("widgets")) {
  cluster.server.Add(FakeCrdText("widgets", more));
  report::ApplyReport answer{.accepted = false, .message = "foretold"};
  answer.preserves_unknown_fields = true;
  AskApply({{kName, manifest, &answer}}, cluster.client);
  return answer;
}

void Answer(FakeCluster& cluster, const std::string& target,
            const test_support::FakeAnswer& answer) {
  cluster.server.AddFault({.target = target, .times = 0, .answer = answer});
}

TEST_CASE("What apply leaves is what the server's dry run answers", "[migrate][apply_question]") {
  FakeCluster cluster;
  const report::ApplyReport kept = Ask(cluster, R"(,"preserveUnknownFields":true)");
  CHECK(kept.accepted);
  CHECK(kept.message.empty());
  CHECK(kept.not_asked_because.empty());
  CHECK(kept.preserves_unknown_fields);
  const report::ApplyReport pruned =
      Ask(cluster, R"(,"preserveUnknownFields":true)",
          FakeCrdText("widgets", R"(,"preserveUnknownFields":false)"));
  CHECK(pruned.accepted);
  CHECK_FALSE(pruned.preserves_unknown_fields);
}

TEST_CASE("A new CRD is asked for by its creation", "[migrate][apply_question]") {
  FakeCluster cluster;
  report::ApplyReport answer;
  const std::string manifest = FakeCrdText("gadgets");
  AskApply({{"gadgets.demo.example.com", manifest, &answer}}, cluster.client);
  CHECK(answer.accepted);
  CHECK(answer.not_asked_because.empty());
}

TEST_CASE("A refusal of apply is shown in the server's words", "[migrate][apply_question]") {
  FakeCluster cluster;
  Answer(cluster, "dryRun=All",
         FakeStatus(403, "Forbidden", "admission webhook \"w\" denied the request: no"));
  const report::ApplyReport answer = Ask(cluster);
  CHECK_FALSE(answer.accepted);
  CHECK(answer.message ==
        "Error from server (Forbidden): admission webhook \"w\" denied the request: no");
  CHECK(answer.not_asked_because.empty());
}

TEST_CASE("Where the server gives no answer to apply what was foretold stays",
          "[migrate][apply_question]") {
  FakeCluster cluster;
  std::string why;
  SECTION("the right is missing") {
    why = "customresourcedefinitions.apiextensions.k8s.io \"" + kName +
          "\" is forbidden: User \"u\" cannot patch resource \"customresourcedefinitions\" in API "
          "group \"apiextensions.k8s.io\" at the cluster scope";
    Answer(cluster, "dryRun=All", FakeStatus(403, "Forbidden", why));
  }
  SECTION("a webhook allows no dry run") {
    why = "admission webhook \"w\" does not support dry run";
    Answer(cluster, "dryRun=All", FakeStatus(400, "BadRequest", why));
  }
  SECTION("it has changed meanwhile") {
    why = "the object has been modified";
    Answer(cluster, "dryRun=All", FakeStatus(409, "Conflict", why));
  }
  SECTION("the CRD cannot be read") {
    why = "the server is down";
    Answer(cluster, kName, FakeStatus(500, "InternalError", why));
  }
  const report::ApplyReport answer = Ask(cluster);
  CHECK_FALSE(answer.accepted);
  CHECK(answer.message == "foretold");
  CHECK_THAT(answer.not_asked_because, Contains(why));
}

TEST_CASE("Of a version that is gone apply says what kubectl says", "[migrate][apply_question]") {
  FakeCluster cluster;
  cluster.server.ServeCrdVersions({"v1"});
  std::string manifest = FakeCrdText("widgets");
  manifest.insert(manifest.find("/v1\"") + 3, "beta1");
  const report::ApplyReport answer = Ask(cluster, "", manifest);
  CHECK_FALSE(answer.accepted);
  CHECK(answer.message ==
        "no matches for kind \"CustomResourceDefinition\" in version "
        "\"apiextensions.k8s.io/v1beta1\"");
}

}  // namespace apply_question_test
}  // namespace migrate::check
