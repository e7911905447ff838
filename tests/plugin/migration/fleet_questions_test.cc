#include "plugin/command/fleet_migration.h"

#include <catch2/catch.hpp>

namespace plugin::command {
namespace fleet_questions_test {

using Lines = std::vector<std::string>;

Request Pruning(const std::string& cluster, const std::string& crd, std::uint64_t objects,
                std::uint64_t losing) {
  migrate::report::ForetoldLoss loss{.objects = objects, .objects_losing_fields = losing};
  for (const char* path : {"spec.a", "spec.b", "spec.c", "spec.d"}) {
    if (loss.pruned_fields.size() == losing) break;
    loss.pruned_fields.emplace_back().path = path;
  }
  loss.plan = {"plan: the same everywhere", "plan: " + std::to_string(objects) + " writes"};
  return {cluster, "Turn pruning on?", crd, std::move(loss)};
}

TEST_CASE("All that turn pruning on are one question, with a row each",
          "[plugin][fleet_questions]") {
  const auto questions = QuestionsOf(
      {Pruning("a", "widgets", 5, 4), Pruning("b", "widgets", 3, 1), Pruning("c", "widgets", 3, 0)},
      {"d", "e"});
  REQUIRE(questions.size() == 1);
  CHECK(questions[0].requests == std::vector<std::size_t>{0, 1, 2});
  CHECK(questions[0].lines ==
        Lines{"all clusters: plan: the same everywhere", "a: plan: 5 writes",
              "b, c: plan: 3 writes", "CLUSTER   NAME      OBJECTS   LOSING-FIELDS   FIELDS",
              "a         widgets   5         4               spec.a, spec.b, spec.c and 1 more",
              "b         widgets   3         1               spec.a",
              "c         widgets   3         0               <none>",
              "Not asked about, as they have ended already: d, e"});
  CHECK(questions[0].question ==
        "Turn pruning on for widgets in 3 clusters, where 5 of 11 objects lose fields? "
        "apiextensions.k8s.io/v1 cannot turn it off again.");
}

TEST_CASE("Where they are about several CRDs these are counted", "[plugin][fleet_questions]") {
  const auto questions =
      QuestionsOf({Pruning("a", "widgets", 1, 1), Pruning("b", "gadgets", 1, 0)}, {});
  REQUIRE(questions.size() == 1);
  CHECK(questions[0].question ==
        "Turn pruning on for 2 CustomResourceDefinitions in 2 clusters, where 1 of 2 objects loses "
        "fields? apiextensions.k8s.io/v1 cannot turn it off again.");
}

TEST_CASE("What is asked beside pruning is asked by itself", "[plugin][fleet_questions]") {
  const auto questions = QuestionsOf({{"a", "Without a backup?"},
                                      Pruning("b", "widgets", 1, 1),
                                      {"c", "Without a backup?"},
                                      {"d", "Really?"}},
                                     {});
  REQUIRE(questions.size() == 3);
  CHECK(questions[0].requests == std::vector<std::size_t>{1});
  CHECK(questions[1].requests == std::vector<std::size_t>{0, 2});
  CHECK(questions[1].question == "In a, c: Without a backup?");
  CHECK(questions[2].requests == std::vector<std::size_t>{3});
  CHECK(questions[2].question == "In d: Really?");
}

}  // namespace fleet_questions_test
}  // namespace plugin::command
