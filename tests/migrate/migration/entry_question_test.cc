#include <catch2/catch.hpp>
#include <string>

#include "migrate/migration/dry_run_writes.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/test_schema.h"

namespace migrate::migration {
namespace entry_question_test {

using Catch::Matchers::Contains;
using Names = std::set<std::string>;
using test_support::FakeCluster;
using test_support::FakeFault;

constexpr char kWebhook[] = R"(,"conversion":{"strategy":"Webhook","webhook":{
  "conversionReviewVersions":["v1"],"clientConfig":{"url":"https://example.com"}}})";

std::string Entry(const std::string& version) {
  return R"({"apiVersion":"demo.example.com/)" + version +
         R"(","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:a":{}}},"manager":"m","operation":"Apply"})";
}

/// Objects of a CRD whose versions a webhook converts.
struct World {
  explicit World(const std::string& conversion = kWebhook)
      : crd(*support::ReadCrdText(test_support::FakeCrdText("widgets", conversion))) {
    cluster.server.Add(test_support::FakeCrdText("widgets", conversion));
  }
  void Add(const std::string& name, const std::string& entries) {
    std::string text = test_support::FakeObjectText("widgets", name, R"({"a":"x"})");
    text.insert(text.find(R"("namespace")"), R"("managedFields":[)" + entries + "],");
    cluster.server.Add(text);
  }
  /// What a dry run of an object is answered.
  void AnswerDryRun(const std::string& name, test_support::FakeAnswer answer) {
    cluster.server.AddFault(
        {.target = "/widgets/" + name + "?dryRun=All", .times = 0, .answer = std::move(answer)});
  }
  void Empty(const std::string& name) {
    test_support::FakeAnswer answer;
    answer.body = R"({"metadata":{"name":")" + name +
                  R"(","namespace":"shop","uid":"u","resourceVersion":"1"}})";
    AnswerDryRun(name, std::move(answer));
  }
  EntryAnswers Ask(bool may_ask = true) {
    const rewrite::SweepTarget target{
        .group = "demo.example.com", .version = "v1", .plural = "widgets"};
    return AskAboutEntries({.crd = crd, .target = target, .may_ask = may_ask}, cluster.session());
  }
  std::size_t DryRuns() const {
    std::size_t count = 0;
    for (const kube::client::HttpRequest& request : cluster.server.requests()) {
      count += request.target.find("dryRun=All") == std::string::npos ? 0 : 1;
    }
    return count;
  }

  kube::crd::Crd crd;
  FakeCluster cluster;
};

TEST_CASE("One object of each group of entries is asked about", "[migrate][entry_question]") {
  World world;
  world.Add("w0", Entry("v1"));
  world.Add("w1", Entry("v1beta1"));
  world.Add("w2", Entry("v1beta1") + "," + Entry("v1"));
  world.Add("w3", "");
  SECTION("that the server keeps") {
    const EntryAnswers answers = world.Ask();
    CHECK(answers.unfit.empty());
    REQUIRE(answers.lines.size() == 1);
    CHECK_THAT(answers.lines[0],
               Contains("managedFields of 2 objects, such as shop/w1, name v1beta1, to which a "
                        "webhook converts. By a dry run: a write keeps them"));
  }
  SECTION("that it empties") {
    world.Empty("w1");
    const EntryAnswers answers = world.Ask();
    CHECK(answers.unfit == Names{"v1beta1"});
    CHECK_THAT(answers.lines.at(0), Contains("By a dry run: a write empties them; the write "
                                             "carries those entries that fit the storage version"));
  }
  SECTION("of which it makes no dry run") {
    world.AnswerDryRun("w1",
                       test_support::FakeStatus(400, "BadRequest", "does not support dry run"));
    const EntryAnswers answers = world.Ask();
    CHECK(answers.unfit == Names{"v1beta1"});
    CHECK_THAT(answers.lines.at(0), Contains("unknown (") && Contains("does not support dry run"));
  }
  CHECK(world.DryRuns() == 1);
}

TEST_CASE("Nothing is asked where nothing may be, and all is taken for unknown",
          "[migrate][entry_question]") {
  World world;
  world.Add("w0", Entry("v1beta1"));
  const EntryAnswers answers = world.Ask(/*may_ask=*/false);
  CHECK(answers.unfit == Names{"v1beta1"});
  CHECK(answers.lines.size() == 1);
  CHECK(world.DryRuns() == 0);
}

TEST_CASE("Nothing is asked of a CRD without a webhook", "[migrate][entry_question]") {
  World world("");
  world.Add("w0", Entry("v1beta1"));
  const EntryAnswers answers = world.Ask();
  CHECK(answers.unfit.empty());
  CHECK(answers.lines.empty());
  CHECK(world.cluster.server.requests().empty());
}

TEST_CASE("What the list does not tell is taken for unknown", "[migrate][entry_question]") {
  World world;
  world.cluster.server.Forbid("widgets.demo.example.com");
  CHECK(world.Ask().unfit.contains("v1beta1"));
}

}  // namespace entry_question_test
}  // namespace migrate::migration
