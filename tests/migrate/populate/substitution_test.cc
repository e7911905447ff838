#include "migrate/populate/substitution.h"

#include <catch2/catch.hpp>
#include <string>

namespace migrate::populate {
namespace substitution_test {

using kube::json::Document;

constexpr Variables kTeamOfJo{.namespace_ = "team-a", .creator = "jo@example.com"};

std::string Substitute(const std::string& text, const Variables& variables = kTeamOfJo) {
  Document document;
  REQUIRE_FALSE(document.Parse(text));
  Substitution substitution(variables);
  substitution.ApplyTo(document.root(), document.arena());
  REQUIRE(substitution.problem().empty());
  return kube::json::Print(document.root());
}

// The rules of Expand (third_party/forked/golang/expansion of Kubernetes), case by case.
TEST_CASE("References become values as in the args of a container", "[migrate][populate]") {
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {"$(NAMESPACE)", "team-a"},
      {"$(CREATOR)", "jo@example.com"},
      {"a-$(NAMESPACE)-b", "a-team-a-b"},
      {"$(NAMESPACE)$(NAMESPACE)", "team-ateam-a"},
      {"$(CREATOR) of $(NAMESPACE)", "jo@example.com of team-a"},
      // Escaped.
      {"$$(NAMESPACE)", "$(NAMESPACE)"},
      {"$$$(NAMESPACE)", "$team-a"},
      {"$$$$(NAMESPACE)", "$$(NAMESPACE)"},
      {"$$(NAMESPACE) of $(NAMESPACE)", "$(NAMESPACE) of team-a"},
      {"5$$", "5$"},
      // No variable, or no reference.
      {"$(OTHER)", "$(OTHER)"},
      {"$(namespace)", "$(namespace)"},
      {"$( NAMESPACE )", "$( NAMESPACE )"},
      {"$()", "$()"},
      {"$(NAMESPACE", "$(NAMESPACE"},
      {"$(NAMESPACE$(NAMESPACE)", "$(NAMESPACE$(NAMESPACE)"},
      {"$($(NAMESPACE))", "$($(NAMESPACE))"},
      {"$NAMESPACE", "$NAMESPACE"},
      {"${NAMESPACE}", "${NAMESPACE}"},
      {"(NAMESPACE)", "(NAMESPACE)"},
      {"5$", "5$"},
      {"$", "$"},
      {"$(", "$("},
      {")$(", ")$("},
      {"$\u00e9$(NAMESPACE)", "$\u00e9team-a"},
      {"", ""},
  }));
  CAPTURE(text);
  CHECK(Substitution(kTeamOfJo).Expand(text) == want);
}

TEST_CASE("All texts of an object are substituted, and nothing else", "[migrate][populate]") {
  CHECK(Substitute(R"j({"a":["$(NAMESPACE)",{"b":"x/$(NAMESPACE)"}],"c":1,"d":true,"e":null})j") ==
        R"({"a":["team-a",{"b":"x/team-a"}],"c":1,"d":true,"e":null})");
  CHECK(Substitute(R"j({"$(NAMESPACE)":"$(NAMESPACE)"})j") == R"j({"$(NAMESPACE)":"team-a"})j");
  CHECK(Substitute(R"j("$(NAMESPACE)")j") == R"("team-a")");
}

TEST_CASE("A value is not substituted itself", "[migrate][populate]") {
  const Variables variables{.namespace_ = "team-a", .creator = "$(NAMESPACE)$$"};
  CHECK(Substitute(R"j({"a":"$(CREATOR)"})j", variables) == R"j({"a":"$(NAMESPACE)$$"})j");
}

TEST_CASE("A creator that is needed and not known is told", "[migrate][populate]") {
  const std::string problem =
      "$(CREATOR) is not known: the namespace has no annotation authorization.k8s.io/creator";
  for (const Variables variables :
       {Variables{.namespace_ = "a", .creator = {}}, Variables{.namespace_ = "a", .creator = ""}}) {
    Substitution with(variables), without(variables);
    with.Expand("by $(CREATOR)");
    CHECK(with.problem() == problem);
    without.Expand("$$(CREATOR) $(NAMESPACE)");
    CHECK(without.problem().empty());
  }
}

TEST_CASE("An object cannot grow beyond what a server takes", "[migrate][populate]") {
  const std::string creator(1024 * 1024, 'x');
  Document document;
  std::string references;
  for (int i = 0; i < 100000; ++i) references += "$(CREATOR)";
  REQUIRE_FALSE(document.Parse("[\"" + references + "\",\"" + references + "\"]"));
  Substitution substitution({.namespace_ = "a", .creator = creator});
  substitution.ApplyTo(document.root(), document.arena());
  CHECK(substitution.problem() == "it becomes larger than an API server takes");
}

TEST_CASE("Many references without an end cost little", "[migrate][populate]") {
  std::string text = ")";
  for (int i = 0; i < 1000000; ++i) text += "$(";
  CHECK(Substitution(kTeamOfJo).Expand(text) == text);
}

}  // namespace substitution_test
}  // namespace migrate::populate
