#include "plugin/command/fleet_migration.h"

#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace plugin::command {
namespace common_question_test {

using Names = std::vector<std::string>;

/// What was asked, in rounds.
struct Asked {
  std::vector<Names> clusters, ended;
};

/// Says yes to those clusters that `agreed` names.
CommonQuestion::Ask Answering(Asked& asked, Names agreed) {
  return [&asked, agreed](const std::vector<Request>& requests, const Names& ended) {
    asked.clusters.emplace_back();
    asked.ended.push_back(ended);
    std::vector<bool> answers;
    for (const Request& request : requests) {
      asked.clusters.back().push_back(request.cluster);
      answers.push_back(std::ranges::find(agreed, request.cluster) != agreed.end());
    }
    return answers;
  };
}

TEST_CASE("All are asked about at once, and each gets its answer", "[plugin][common_question]") {
  Asked asked;
  CommonQuestion question(3, Answering(asked, {"a", "c"}));
  std::map<std::string, bool> answers;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (const std::string name : {"c", "a", "b"}) {
      threads.emplace_back([&, name] {
        const bool answer = question.Confirm({name, "?"});
        question.End(name);
        const std::scoped_lock lock(mutex);
        answers[name] = answer;
      });
    }
  }
  CHECK(asked.clusters == std::vector<Names>{{"a", "b", "c"}});
  CHECK(answers == std::map<std::string, bool>{{"a", true}, {"b", false}, {"c", true}});
}

TEST_CASE("Those that have ended are not waited for, but named", "[plugin][common_question]") {
  Asked asked;
  CommonQuestion question(3, Answering(asked, {"b"}));
  question.End("c");
  bool answer = false;
  {
    const std::jthread waiting([&] { answer = question.Confirm({"b", "?"}); });
    // Whichever of the two comes last has it asked.
    question.End("a");
  }
  CHECK(answer);
  CHECK(asked.clusters == std::vector<Names>{{"b"}});
  CHECK(asked.ended == std::vector<Names>{{"a", "c"}});
}

TEST_CASE("Who asks again is asked about again", "[plugin][common_question]") {
  Asked asked;
  CommonQuestion question(2, Answering(asked, {"a", "b"}));
  {
    const std::jthread one([&] {
      CHECK(question.Confirm({"a", "first"}));
      CHECK(question.Confirm({"a", "second"}));
      question.End("a");
    });
    const std::jthread other([&] {
      CHECK(question.Confirm({"b", "first"}));
      question.End("b");
    });
  }
  CHECK(asked.clusters == std::vector<Names>{{"a", "b"}, {"a"}});
}

TEST_CASE("Where nobody can be asked after all it is no to all", "[plugin][common_question]") {
  CommonQuestion question(
      1, [](const auto&, const auto&) -> std::vector<bool> { throw std::runtime_error("oops"); });
  CHECK_FALSE(question.Confirm({"a", "?"}));
}

}  // namespace common_question_test
}  // namespace plugin::command
