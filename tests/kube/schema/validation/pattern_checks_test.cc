#include "kube/schema/pattern_checks.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace kube::schema {
namespace pattern_checks_test {

std::chrono::nanoseconds StandStill() { return {}; }

std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST_CASE("A text is refused for a pattern that it does not match", "[pattern_checks]") {
  PatternChecks checks(StandStill);
  CHECK(!checks.Mismatch("^a", "ab"));
  CHECK(checks.Mismatch("^a", "ba") == "should match '^a'");
  CHECK(checks.Mismatch("^b", "ab") == "should match '^b'");
  CHECK(checks.undecided() == 0);
}

TEST_CASE("What matched last tells nothing of other texts and patterns", "[pattern_checks]") {
  PatternChecks checks(StandStill);
  for (int i = 0; i < 3; ++i) {
    CHECK(!checks.Mismatch("^a?$", "a"));
    CHECK(!checks.Mismatch("^a?$", ""));
    CHECK(checks.Mismatch("^a?$", "ab"));
    CHECK(checks.Mismatch("^b", "a"));
    CHECK(checks.Mismatch("^b", ""));
  }
}

TEST_CASE("A text is refused for a pattern that is none", "[pattern_checks]") {
  PatternChecks checks(StandStill);
  for (int i = 0; i < 2; ++i) {
    CHECK(checks.Mismatch("[", "a") ==
          "should match '[, but pattern is invalid: error parsing regexp: missing closing ]: `[`'");
  }
  CHECK(checks.Mismatch("^b", "a") == "should match '^b'");
}

TEST_CASE("Many patterns are each told from the others", "[pattern_checks]") {
  PatternChecks checks(StandStill);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 300; ++i) {
      const std::string pattern = "^a" + std::to_string(i) + "$";
      CHECK(!checks.Mismatch(pattern, "a" + std::to_string(i)));
      CHECK(checks.Mismatch(pattern, "a" + std::to_string(i + 1)) ==
            "should match '" + pattern + "'");
    }
  }
  CHECK(checks.undecided() == 0);
}

TEST_CASE("What RE2 cannot run, or only with much work, is undecided", "[pattern_checks]") {
  const auto [pattern, text] = GENERATE(table<std::string, std::string>({
      {R"(^\p{Cn}$)", "a"},
      {"^(?:" + Repeat("a?", 1600) + "){1000}$", Repeat("a", 4000)},
      {R"(^(\pL{100}|x){9}$)", "y"},
      {Repeat(R"(\pL|)", 100000) + "a", "-"},
      {"^(?:" + Repeat(".?", 100) + "b){400}c", Repeat("ab", 2000)},
  }));
  CAPTURE(pattern.substr(0, 20));
  PatternChecks checks(StandStill);
  CHECK(!checks.Mismatch(pattern, text));
  CHECK(checks.undecided() == 1);
}

TEST_CASE("After three seconds of work all is undecided", "[pattern_checks]") {
  std::chrono::milliseconds now(5000), takes(999);
  PatternChecks checks([&now, &takes] { return now += takes; });
  for (const char* pattern : {"^a", "^c", "^d", "^e"}) CHECK(checks.Mismatch(pattern, "b"));
  CHECK(checks.undecided() == 0);
  CHECK(!checks.Mismatch("^a", "b"));
  CHECK(!checks.Mismatch("[", "b"));
  CHECK(checks.undecided() == 2);
}

TEST_CASE("Time that is allowed comes on top", "[pattern_checks]") {
  std::chrono::seconds now(0);
  PatternChecks checks([&now] { return now += std::chrono::seconds(3); });
  CHECK(checks.Mismatch("^a", "b"));
  CHECK(!checks.Mismatch("^a", "b"));
  checks.Allow(std::chrono::nanoseconds(1));
  CHECK(checks.Mismatch("^c", "b"));
  CHECK(!checks.Mismatch("^a", "b"));
}

TEST_CASE("Short texts count for their steps, and take no look at the clock", "[pattern_checks]") {
  int looks = 0;
  PatternChecks checks([&looks] {
    ++looks;
    return std::chrono::nanoseconds(0);
  });
  const std::string pattern = "^(?:" + Repeat("[ab]", 100) + "c?)$";
  const std::string texts[] = {Repeat("a", 100), Repeat("b", 100)};
  for (std::size_t i = 0; i < 1'000'000 && checks.undecided() == 0; ++i) {
    checks.Mismatch(pattern, texts[i % 2]);
  }
  CHECK(checks.undecided() == 1);
  CHECK(looks == 2);  // as the pattern was compiled
}

TEST_CASE("The time that others take does not count", "[pattern_checks]") {
  std::chrono::seconds now(0);
  PatternChecks checks([&now] { return now; });
  for (int i = 0; i < 10; ++i) {
    CHECK(checks.Mismatch("^a", "b"));
    now += std::chrono::seconds(1);
  }
}

}  // namespace pattern_checks_test
}  // namespace kube::schema
