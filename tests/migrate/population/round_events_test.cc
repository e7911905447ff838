#include <catch2/catch.hpp>

#include "migrate/populate/population_notes.h"

namespace migrate::populate {
namespace round_events_test {
using report::PopulatedObject;
using report::PopulationClass;
using Strings = std::vector<std::string>;

const std::map<std::string, std::string> kUids = {{"a", "uid-a"}, {"b", "uid-b"}};

PopulatedObject Object(const std::string& name, PopulationClass population_class,
                       const std::string& message = "", const std::string& namespace_ = "a") {
  return {.group = "",
          .kind = "ConfigMap",
          .namespace_ = namespace_,
          .name = name,
          .template_name = "every",
          .population_class = population_class,
          .message = message};
}

/// "Populated: applied ..."; what warns has "! " before it.
Strings TextsOf(const std::vector<PopulationEvent>& events) {
  Strings texts;
  for (const PopulationEvent& event : events) {
    texts.push_back((event.is_warning ? "! " : "") + event.reason + ": " + event.message);
  }
  return texts;
}

/// A round that looks at the namespace a.
Strings Round(RoundEvents& events, const std::vector<PopulatedObject>& objects,
              const Expansion& expansion = {}) {
  events.HandleExpansion("a", expansion);
  for (const PopulatedObject& object : objects) events.HandleObject(object);
  return TextsOf(events.Take(kUids));
}

TEST_CASE("What was done in a namespace is one Event", "[migrate][population]") {
  RoundEvents events;
  CHECK(Round(events, {Object("x", PopulationClass::kApplied),
                       Object("y", PopulationClass::kApplied, "was there already, by jo"),
                       Object("z", PopulationClass::kPruned)}) ==
        Strings{R"(Populated: applied ConfigMap "x" of the template every, ConfigMap "y" of the )"
                R"(template every (was there already, by jo); deleted ConfigMap "z" of the )"
                "template every"});
  CHECK(Round(events, {Object("z", PopulationClass::kPruned)}) ==
        Strings{R"(Populated: deleted ConfigMap "z" of the template every)"});
}

TEST_CASE("Where nothing was done nothing is told", "[migrate][population]") {
  RoundEvents events;
  CHECK(
      Round(events, {Object("x", PopulationClass::kUnchanged), Object("y", PopulationClass::kGone)})
          .empty());
  CHECK(events.Take(kUids).empty());
}

TEST_CASE("Ten objects are named, and the others counted", "[migrate][population]") {
  RoundEvents events;
  std::vector<PopulatedObject> objects;
  for (char name = 'a'; name <= 'k'; ++name) {
    objects.push_back(Object(std::string(1, name), PopulationClass::kApplied));
  }
  const std::string eleven = Round(events, objects).at(0);
  CHECK_THAT(eleven, Catch::Contains(R"("j")") && !Catch::Contains(R"("k")"));
  CHECK_THAT(eleven, Catch::EndsWith("template every and 1 more"));
  objects.pop_back();
  CHECK_THAT(Round(events, objects).at(0), Catch::EndsWith(R"("j" of the template every)"));
}

TEST_CASE("Each problem is an Event that warns, told once", "[migrate][population]") {
  RoundEvents events;
  const std::vector<PopulatedObject> both = {Object("y", PopulationClass::kKept, "not made of it"),
                                             Object("x", PopulationClass::kFailed, "no such kind")};
  CHECK(Round(events, both) == Strings{R"(! Failed: ConfigMap "x" of the template every: no such )"
                                       "kind",
                                       R"(! Kept: ConfigMap "y" of the template every: not made )"
                                       "of it"});
  SECTION("as long as it is the same") {
    CHECK(Round(events, both).empty());
    CHECK(Round(events, {both[1], both[0]}).empty());
  }
  SECTION("and again where it is another") {
    CHECK(Round(events, {both[0], Object("x", PopulationClass::kFailed, "quota exceeded")}) ==
          Strings{R"(! Failed: ConfigMap "x" of the template every: quota exceeded)"});
  }
  SECTION("and again where it was gone in between") {
    CHECK(Round(events, {both[0]}).empty());
    CHECK(Round(events, both).size() == 1);
  }
  SECTION("and again where the namespace was") {
    events.Forget("a");
    CHECK(Round(events, both).size() == 2);
  }
  SECTION("also where another namespace was looked at in between") {
    events.HandleExpansion("b", {});
    events.Take(kUids);
    CHECK(Round(events, both).empty());
  }
}

TEST_CASE("What templates do to each other is told as a problem", "[migrate][population]") {
  RoundEvents events;
  const ObjectKey key{{"", "ConfigMap"}, "x"};
  Expansion expansion;
  expansion.replaced = {{key, "one", "two"}};
  expansion.held = {{key, "one", "two", true}};
  CHECK(
      Round(events, {Object("z", PopulationClass::kRefused, "it is in no namespace")}, expansion) ==
      Strings{"! Held: " + Describe(expansion.held[0]),
              R"(! Refused: ConfigMap "z" of the template every: it is in no namespace)",
              "! Replaced: " + Describe(expansion.replaced[0])});
}

TEST_CASE("What comes twice in a round is told once", "[migrate][population]") {
  RoundEvents events;
  const PopulatedObject refused = Object("z", PopulationClass::kRefused, "it is in no namespace");
  CHECK(Round(events, {refused, refused}).size() == 1);
}

TEST_CASE("No more than ten problems are told of a namespace", "[migrate][population]") {
  RoundEvents events;
  std::vector<PopulatedObject> objects;
  for (char name = 'l'; name >= 'a'; --name) {
    objects.push_back(Object(std::string(1, name), PopulationClass::kFailed, "no"));
  }
  const Strings texts = Round(events, objects);
  REQUIRE(texts.size() == 10);
  CHECK_THAT(texts.front(), Catch::Contains(R"("a")"));
  CHECK_THAT(texts.back(), Catch::Contains(R"("j")"));
  // As one of them is gone there is room for the next.
  objects.pop_back();
  const Strings next = Round(events, objects);
  REQUIRE(next.size() == 1);
  CHECK_THAT(next[0], Catch::Contains(R"("k")"));
}

TEST_CASE("Each namespace has its own Events, and one without a uid none",
          "[migrate][population]") {
  RoundEvents events;
  for (const char* name : {"b", "gone", "a"}) {
    events.HandleObject(Object("x", PopulationClass::kApplied, "", name));
  }
  const auto told = events.Take(kUids);
  REQUIRE(told.size() == 2);
  CHECK(told[0].name == "a");
  CHECK(told[0].uid == "uid-a");
  CHECK_FALSE(told[0].is_warning);
  CHECK(told[1].name == "b");
  CHECK(told[1].uid == "uid-b");
}

}  // namespace round_events_test
}  // namespace migrate::populate
