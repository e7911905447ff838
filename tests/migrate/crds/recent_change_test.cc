#include <catch2/catch.hpp>
#include <string>

#include "migrate/check/crd_guard.h"

namespace migrate::check {
namespace {

using std::chrono::seconds;

// 2026-11-21T12:00:00Z
const std::chrono::system_clock::time_point kNoon{seconds(1'795'262'400)};

seconds Wait(const std::string& entries) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"metadata":{"managedFields":[)" + entries + "]}}"));
  return std::chrono::duration_cast<seconds>(TimeUntilNoticed(document.root(), kNoon));
}

std::string Entry(const std::string& fields, const std::string& time) {
  return R"({"manager":"kubectl","time":")" + time + R"(","fieldsV1":{")" + fields + "\":{}}}";
}

TEST_CASE("A change of the spec takes five seconds to be noticed", "[migrate][recent_change]") {
  CHECK(Wait(Entry("f:spec", "2026-11-21T12:00:00Z")) == seconds(5));
  CHECK(Wait(Entry("f:spec", "2026-11-21T11:59:58Z")) == seconds(3));
  CHECK(Wait(Entry("f:spec", "2026-11-21T11:59:55Z")) == seconds(0));
  CHECK(Wait(Entry("f:spec", "2020-01-01T00:00:00Z")) == seconds(0));
}

TEST_CASE("The newest change of the spec counts", "[migrate][recent_change]") {
  CHECK(Wait(Entry("f:spec", "2026-11-21T11:59:59Z") + "," +
             Entry("f:spec", "2026-11-21T11:59:57Z")) == seconds(4));
  CHECK(Wait(Entry("f:status", "2026-11-21T12:00:00Z")) == seconds(0));
}

TEST_CASE("A clock that is behind that of the server costs five seconds, not more",
          "[migrate][recent_change]") {
  CHECK(Wait(Entry("f:spec", "2026-11-21T15:00:00Z")) == seconds(5));
}

TEST_CASE("A year far away is as good as any other", "[migrate][recent_change]") {
  CHECK(Wait(Entry("f:spec", "9999-12-31T23:59:59-23:59")) == seconds(5));
  CHECK(Wait(Entry("f:spec", "0000-01-01T00:00:00Z")) == seconds(0));
}

TEST_CASE("Without a time nothing is waited for", "[migrate][recent_change]") {
  CHECK(Wait("") == seconds(0));
  CHECK(Wait(Entry("f:spec", "noon")) == seconds(0));
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse("{}"));
  CHECK(TimeUntilNoticed(document.root(), kNoon) == std::chrono::system_clock::duration::zero());
}

TEST_CASE("What we have seen ourselves is told by our own clock", "[migrate][recent_change]") {
  const auto until = [](std::int64_t seen) {
    return TimeUntilNoticed(seen, std::chrono::system_clock::time_point(kNoon));
  };
  using std::chrono::milliseconds;
  const std::int64_t now = Milliseconds(kNoon);
  CHECK(until(now) == seconds(5));
  CHECK(until(now - 1500) == milliseconds(3500));
  CHECK(until(now - 5000) == seconds(0));
  CHECK(until(1) == seconds(0));
  CHECK(until(0) == seconds(5));
  CHECK(until(now + 1) == seconds(5));  // the clock was set back
}

}  // namespace
}  // namespace migrate::check
