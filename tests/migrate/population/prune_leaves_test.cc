#include "migrate/populate/object_prune.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace prune_leaves_test {

using namespace population_test;

/// The templates of a cluster as they were read, and what is said of them since.
struct Asked : World {
  void Read() { input = ReadPopulationInput({}, /*trusts_creator=*/false, cluster.session()); }
  /// How often the server was asked for `name`.
  std::size_t Asks(const std::string& name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(cluster.server.requests(), [&name](const auto& request) {
          return request.method == "GET" && request.target.ends_with("namespacetemplates/" + name);
        }));
  }

  PopulationInput input;
  Names refused;
  DeletionCheck leaves{input, cluster.session(),
                       [this](const std::string& name, bool is_changed, const std::string&) {
                         refused.push_back(name + (is_changed ? " changed" : " unknown"));
                       }};
};

TEST_CASE("A leave is asked for once, and again after some seconds", "[migrate][population]") {
  Asked asked;
  asked.PutTemplate("every", {Widget("w")});
  asked.Read();
  CHECK_FALSE(asked.leaves.WhyNot("every"));
  asked.cluster.clock.Advance(std::chrono::seconds(4));
  CHECK_FALSE(asked.leaves.WhyNot("every"));
  CHECK(asked.Asks("every") == 1);
  asked.PutTemplate("every", {});
  asked.cluster.clock.Advance(std::chrono::seconds(2));
  CHECK(asked.leaves.WhyNot("every"));
  CHECK(asked.Asks("every") == 2);
  // It is not given any more, and told once.
  asked.cluster.clock.Advance(std::chrono::seconds(60));
  CHECK(asked.leaves.WhyNot("every"));
  CHECK(asked.Asks("every") == 2);
  CHECK(asked.refused == Names{"every changed"});
}

TEST_CASE("What was made of a template may be deleted that is gone, as long as it is",
          "[migrate][population]") {
  Asked asked;
  asked.Read();
  CHECK_FALSE(asked.leaves.WhyNot("gone"));
  asked.PutTemplate("again", {Widget("w")});
  CHECK(asked.leaves.WhyNot("again"));
  CHECK(asked.refused == Names{"again changed"});
}

TEST_CASE("Where the server does not say nothing may be deleted", "[migrate][population]") {
  Asked asked;
  asked.PutTemplate("every", {Widget("w")});
  asked.Read();
  asked.cluster.server.AddFault({.target = "namespacetemplates/every",
                                 .times = 0,
                                 .answer = FakeStatus(403, "Forbidden", "not you")});
  CHECK(asked.leaves.WhyNot("every") ==
        "the server does not say whether the template is as it was");
  CHECK(asked.refused == Names{"every unknown"});
}

}  // namespace prune_leaves_test
}  // namespace migrate::populate
