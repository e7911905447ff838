#include <catch2/catch.hpp>

#include "migrate/populate/population_state.h"

namespace migrate::populate {
namespace due_namespaces_test {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;
using TimePoint = DueNamespaces::TimePoint;

constexpr TimePoint kNow{1h};

/// Takes the one that is due and notes that something has failed there.
void Fail(DueNamespaces& due, TimePoint now) {
  REQUIRE(due.Take(9, now) == Names{"a"});
  due.NoteDone("a", true, now);
}

TEST_CASE("New namespaces come first", "[migrate][population]") {
  DueNamespaces due;
  due.Add("a");
  due.AddNew("y");
  due.AddNew("z");
  due.Add("z");
  CHECK(due.CountDue(kNow) == 3);
  CHECK(due.Take(1, kNow) == Names{"y"});
  CHECK(due.Take(1, kNow) == Names{"z"});
  CHECK(due.Take(1, kNow) == Names{"a"});
  CHECK(due.Take(1, kNow).empty());
  CHECK(due.CountDue(kNow) == 0);
}

TEST_CASE("No more namespaces are taken than are asked for", "[migrate][population]") {
  DueNamespaces due;
  for (const char* name : {"x", "y", "z"}) due.AddNew(name);
  for (const char* name : {"d", "e"}) due.Add(name);
  CHECK(due.Take(4, kNow) == Names{"x", "y", "z", "d"});
  CHECK(due.Take(4, kNow) == Names{"e"});
}

TEST_CASE("A namespace that has what it is to have is not due by itself", "[migrate][population]") {
  DueNamespaces due;
  CHECK_FALSE(due.next());
  due.AddNew("a");
  REQUIRE(due.next());
  CHECK(*due.next() <= kNow);
  due.Take(1, kNow);
  due.NoteDone("a", false, kNow);
  CHECK_FALSE(due.next());
  CHECK(due.waiting() == 0);
}

TEST_CASE("The wait after a failure doubles up to five minutes", "[migrate][population]") {
  DueNamespaces due;
  due.AddNew("a");
  TimePoint now = kNow;
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s, 300s}) {
    CAPTURE(pause.count());
    Fail(due, now);
    CHECK(due.next() == now + pause);
    CHECK(due.waiting() == 1);
    CHECK(due.CountDue(now) == 0);
    CHECK(due.Take(9, now + pause - 1ms).empty());
    now += pause;
    CHECK(due.CountDue(now) == 1);
  }
  // Once it has succeeded it begins anew.
  due.Take(9, now);
  due.NoteDone("a", false, now);
  due.Add("a");
  Fail(due, now);
  CHECK(due.next() == now + 1s);
}

TEST_CASE("The next one is due when the first wait ends", "[migrate][population]") {
  DueNamespaces due;
  due.Add("a");
  Fail(due, kNow);
  Fail(due, kNow + 1s);
  due.Add("b");
  due.Take(9, kNow + 1s);
  due.NoteDone("b", true, kNow + 1s);
  CHECK(due.next() == kNow + 2s);
  CHECK(due.CountDue(kNow + 2s) == 1);
  CHECK(due.CountDue(kNow + 3s) == 2);
}

TEST_CASE("A change ends the wait", "[migrate][population]") {
  DueNamespaces due;
  due.Add("a");
  Fail(due, kNow);
  Fail(due, kNow + 1s);
  SECTION("something has changed") { due.Add("a"); }
  SECTION("it was made anew") { due.AddNew("a"); }
  CHECK(due.waiting() == 0);
  CHECK(due.CountDue(kNow + 1s) == 1);
  Fail(due, kNow + 1s);
  CHECK(due.next() == kNow + 2s);
}

TEST_CASE("A namespace that is gone is not looked at", "[migrate][population]") {
  DueNamespaces due;
  SECTION("it was new") { due.AddNew("a"); }
  SECTION("it had changed") { due.Add("a"); }
  SECTION("it waited") {
    due.Add("a");
    Fail(due, kNow);
  }
  SECTION("it was not there") {}
  due.Forget("a");
  CHECK_FALSE(due.next());
  CHECK(due.Take(9, kNow + 1h).empty());
}

TEST_CASE("What has changed while a namespace was looked at is looked at too",
          "[migrate][population]") {
  DueNamespaces due;
  due.Add("a");
  due.Take(9, kNow);
  SECTION("it has changed") { due.Add("a"); }
  SECTION("it was made anew") { due.AddNew("a"); }
  const bool is_unfinished = GENERATE(false, true);
  due.NoteDone("a", is_unfinished, kNow);
  CHECK(due.waiting() == 0);
  CHECK(due.Take(9, kNow) == Names{"a"});
}

}  // namespace due_namespaces_test
}  // namespace migrate::populate
