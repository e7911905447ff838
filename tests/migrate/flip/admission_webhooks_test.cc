#include "migrate/migration/admission_webhooks.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace admission_webhooks_test {

using test_support::FakeCluster;
using Strings = std::vector<std::string>;

const UpdatedResource kWidgets{.group = "demo.example.com",
                               .plural = "widgets",
                               .served_versions = {"v1", "v1beta1"},
                               .written_version = "v1"};

std::string Rule(const std::string& operation, const std::string& group, const std::string& version,
                 const std::string& resource) {
  return R"({"operations":["CREATE",")" + operation + R"("],"apiGroups":[")" + group +
         R"("],"apiVersions":[")" + version + R"("],"resources":[")" + resource + "\"]}";
}

TEST_CASE("A webhook is asked where one of its rules matches updates of the resource",
          "[migrate][admission_webhooks]") {
  const std::string group = "demo.example.com";
  const auto [rule, matches] = GENERATE_COPY(table<std::string, bool>({
      {Rule("UPDATE", group, "v1", "widgets"), true},
      {Rule("*", "*", "*", "*"), true},
      {Rule("UPDATE", group, "v1", "*/*"), true},
      {Rule("UPDATE", group, "v1", "widgets/*"), true},
      {Rule("UPDATE", group, "v1", "widgets/status"), false},
      {Rule("UPDATE", group, "v1", "*/scale"), false},
      {Rule("DELETE", group, "v1", "widgets"), false},
      {Rule("UPDATE", "", "v1", "widgets"), false},
      {Rule("UPDATE", group, "v1", "gadgets"), false},
      {Rule("UPDATE", group, "v1beta1", "widgets"), true},
      {Rule("UPDATE", group, "v2", "widgets"), false},
  }));
  CAPTURE(rule);
  kube::json::Document webhook;
  REQUIRE_FALSE(webhook.Parse("{\"rules\":[" + rule + "]}"));
  CHECK(MatchesUpdates(webhook.root(), kWidgets) == matches);
}

TEST_CASE("A webhook with matchPolicy Exact is asked about the version that is written",
          "[migrate][admission_webhooks]") {
  const auto [version, matches] =
      GENERATE(table<std::string, bool>({{"v1", true}, {"v1beta1", false}}));
  kube::json::Document webhook;
  REQUIRE_FALSE(webhook.Parse(R"({"matchPolicy":"Exact","rules":[)" +
                              Rule("UPDATE", "demo.example.com", version, "widgets") + "]}"));
  CHECK(MatchesUpdates(webhook.root(), kWidgets) == matches);
}

TEST_CASE("A rule may be for namespaced or cluster-scoped resources only",
          "[migrate][admission_webhooks]") {
  const auto [scope, matches] =
      GENERATE(table<std::string, bool>({{"*", true}, {"Namespaced", true}, {"Cluster", false}}));
  std::string rule = Rule("UPDATE", "*", "*", "*");
  rule.back() = ',';
  rule += R"("scope":")" + scope + "\"}";
  kube::json::Document webhook;
  REQUIRE_FALSE(webhook.Parse("{\"rules\":[" + rule + "]}"));
  CHECK(MatchesUpdates(webhook.root(), kWidgets) == matches);
}

void Answer(FakeCluster& cluster, const std::string& target, int status, const std::string& body) {
  cluster.server.AddFault({.target = target,
                           .times = 0,
                           .answer = test_support::FakeText(status, "application/json", body)});
}

std::string Configuration(const std::string& webhook) {
  return R"({"items":[{"webhooks":[{"name":")" + webhook + R"(","rules":[)" +
         Rule("UPDATE", "*", "*", "*") + R"(]},{"name":"other.example.com","rules":[]}]}]})";
}

TEST_CASE("Webhooks of both kinds are found, in v1 or v1beta1", "[migrate][admission_webhooks]") {
  FakeCluster cluster;
  const std::string group = "/apis/admissionregistration.k8s.io/";
  Answer(cluster, group + "v1/validating", 404, "{}");
  Answer(cluster, group + "v1beta1/validating", 200, Configuration("b.example.com"));
  Answer(cluster, group + "v1/mutating", 200, Configuration("a.example.com"));
  const UpdateWebhooks found = FindUpdateWebhooks(kWidgets, cluster.client);
  CHECK(found.names == Strings{"a.example.com", "b.example.com"});
  CHECK(found.unknown_because.empty());
}

TEST_CASE("Webhooks that may not be read are unknown, not none", "[migrate][admission_webhooks]") {
  FakeCluster cluster;
  const std::string group = "/apis/admissionregistration.k8s.io/";
  Answer(cluster, group + "v1/validating", 403,
         test_support::FakeStatus(403, "Forbidden", "no").body);
  Answer(cluster, group + "v1/mutating", 200, Configuration("a.example.com"));
  const UpdateWebhooks found = FindUpdateWebhooks(kWidgets, cluster.client);
  CHECK_THAT(found.unknown_because, Catch::Contains("Forbidden"));
}

}  // namespace admission_webhooks_test
}  // namespace migrate::migration
