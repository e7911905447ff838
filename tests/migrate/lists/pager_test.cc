#include "migrate/cluster/pager.h"

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace migrate::cluster {
namespace pager_test {

using Step = Pager::Step;

constexpr std::uint64_t kSome = 50;  // items of a page

kube::client::CallError Expired(std::string token) {
  kube::client::ApiStatus status;
  status.code = 410;
  status.reason = "Expired";
  status.continue_token = std::move(token);
  return {.status = status, .transport = std::nullopt, .message = "expired"};
}

kube::client::CallError Status(int code) {
  kube::client::ApiStatus status;
  status.code = code;
  return {.status = status, .transport = std::nullopt, .message = "status"};
}

kube::client::CallError Lost(
    kube::client::TransportError::Kind kind = kube::client::TransportError::Kind::kConnectionLost) {
  return {.status = std::nullopt,
          .transport = kube::client::TransportError{kind, "reset"},
          .message = "reset"};
}

TEST_CASE("H3: Pages follow the continue tokens until there is none", "[migrate][pager]") {
  Pager pager;
  CHECK(pager.page().continue_token.empty());
  CHECK(pager.OnPage("a", kSome) == Step::kRead);
  CHECK(pager.page().continue_token == "a");
  CHECK(pager.OnPage("", kSome) == Step::kDone);
}

TEST_CASE("H3: An expired continue token goes on from the token in the error", "[migrate][pager]") {
  Pager pager;
  pager.OnPage("old", kSome);
  CHECK(pager.OnError(Expired("inconsistent"), 0) == Step::kRead);
  CHECK(pager.page().continue_token == "inconsistent");
  CHECK(pager.page().skip == 0);
  CHECK(pager.OnPage("new", kSome) == Step::kRead);
  CHECK(pager.OnError(Expired("again"), 0) == Step::kRead);
  CHECK(pager.page().continue_token == "again");
}

TEST_CASE("An expired token without a new one begins the list anew, not for ever",
          "[migrate][pager]") {
  Pager pager;
  for (int i = 0; i < 3; ++i) {
    pager.OnPage("old", kSome);
    CHECK(pager.OnError(Expired(""), 0) == Step::kRestart);
    CHECK(pager.page().continue_token.empty());
  }
  pager.OnPage("old", kSome);
  CHECK(pager.OnError(Expired(""), 0) == Step::kFailed);
}

TEST_CASE("A first page cannot expire", "[migrate][pager]") {
  Pager pager;
  CHECK(pager.OnError(Expired("token"), 0) == Step::kFailed);
}

TEST_CASE("A page of a token that breaks off is read again without what was there",
          "[migrate][pager]") {
  Pager pager;
  pager.OnPage("a", kSome);
  CHECK(pager.OnError(Lost(), 7) == Step::kRead);
  CHECK(pager.page().continue_token == "a");
  CHECK(pager.page().skip == 7);
  CHECK(pager.OnPage("b", kSome) == Step::kRead);
  CHECK(pager.page().skip == 0);
}

TEST_CASE("A page that breaks off sooner the second time keeps what was read the first time",
          "[migrate][pager]") {
  Pager pager;
  pager.OnPage("a", kSome);
  pager.OnError(Lost(), 5);
  CHECK(pager.OnError(Lost(), 2) == Step::kRead);
  CHECK(pager.page().skip == 5);
  CHECK(pager.OnError(Lost(), 8) == Step::kRead);
  CHECK(pager.page().skip == 8);
}

TEST_CASE("A page that breaks off and then expires begins the list anew", "[migrate][pager]") {
  Pager pager;
  pager.OnPage("a", kSome);
  pager.OnError(Lost(), 5);
  CHECK(pager.OnError(Expired("b"), 0) == Step::kRestart);
  CHECK(pager.page().continue_token.empty());
  CHECK(pager.page().skip == 0);
}

TEST_CASE("A page that gives its own token again is the end", "[migrate][pager]") {
  Pager pager;
  CHECK(pager.OnPage("a", kSome) == Step::kRead);
  CHECK(pager.OnPage("a", kSome) == Step::kFailed);
}

// How many pages are read before the list fails; none where it does not within `most`.
std::optional<int> PagesUntilFault(Pager& pager, int most, std::uint64_t items,
                                   const std::function<std::string(int)>& token) {
  for (int page = 1; page <= most; ++page) {
    if (pager.OnPage(token(page), items) == Step::kFailed) return page;
  }
  return std::nullopt;
}

TEST_CASE("Tokens that lead in a circle of any length are the end", "[migrate][pager]") {
  const int length = GENERATE(1, 2, 3, 10, 1000), before = GENERATE(0, 7, 100);
  CAPTURE(length, before);
  Pager pager(500);
  const auto fault = PagesUntilFault(pager, 10'000, 500, [&](int page) {
    return std::to_string(page < before ? page : before + (page - before) % length);
  });
  REQUIRE(fault);
  CHECK(*fault <= 3 * (before + length));
  CHECK_THAT(pager.fault(), Catch::Contains("the same continue token"));
}

TEST_CASE("Pages that go on with next to nothing in them are the end", "[migrate][pager]") {
  const auto number = [](int page) { return std::to_string(page); };
  Pager empty(1), thin(500), all_at_once, honest(500), one_by_one(1);
  CHECK(PagesUntilFault(empty, 2000, 0, number) == 1001);
  CHECK(PagesUntilFault(thin, 2000, 249, number) == 1001);
  CHECK(PagesUntilFault(all_at_once, 2000, 0, number) == 1001);
  CHECK_THAT(thin.fault(), Catch::Contains("next to nothing"));
  CHECK_FALSE(PagesUntilFault(honest, 10'000, 250, number));
  CHECK_FALSE(PagesUntilFault(one_by_one, 10'000, 1, number));
}

TEST_CASE("A list of more than any etcd bears is the end", "[migrate][pager]") {
  Pager pager(500);
  const auto fault =
      PagesUntilFault(pager, 1'000'000, 500, [](int p) { return std::to_string(p); });
  CHECK(fault == 200'001);
  CHECK(pager.fault() == "the server's list has no end");
}

TEST_CASE("A page may be too much while it comes", "[migrate][pager]") {
  Pager pager(500, 1000);
  CHECK_FALSE(pager.HasNoEnd(1000));
  CHECK(pager.HasNoEnd(1001));
  REQUIRE(pager.OnPage("a", 500) == Step::kRead);
  CHECK_FALSE(pager.HasNoEnd(500));
  CHECK(pager.HasNoEnd(501));
}

TEST_CASE("A list that is begun anew may have the tokens of before", "[migrate][pager]") {
  Pager pager(500);
  for (int round = 0; round < 3; ++round) {
    CHECK(pager.OnPage("a", 500) == Step::kRead);
    CHECK(pager.OnError(Expired(""), 0) == Step::kRestart);
  }
}

TEST_CASE("A first page that breaks off begins the list anew, as objects may have changed",
          "[migrate][pager]") {
  Pager pager;
  CHECK(pager.OnError(Lost(), 7) == Step::kRestart);
  CHECK(pager.page().skip == 0);
  SECTION("but for nothing read there is nothing to forget") {
    CHECK(pager.OnError(Lost(), 0) == Step::kRead);
  }
}

TEST_CASE("A page by the token of a 410 that breaks off begins the list anew", "[migrate][pager]") {
  Pager pager;
  pager.OnPage("a", kSome);
  pager.OnError(Expired("b"), 0);
  CHECK(pager.OnError(Lost(), 1) == Step::kRestart);
}

TEST_CASE("A page that always breaks off fails after two minutes, with longer and longer pauses",
          "[migrate][pager]") {
  Pager pager;
  pager.OnPage("a", kSome);
  std::chrono::seconds last(0), all(0);
  CHECK(pager.OnError(Lost(), 1) == Step::kRead);
  CHECK(pager.pause() == last);
  while (pager.OnError(Lost(), 1) == Step::kRead && all < std::chrono::minutes(3)) {
    CHECK(pager.pause() >= last);
    last = pager.pause();
    all += last;
  }
  CHECK(all >= std::chrono::seconds(100));
  CHECK(all <= std::chrono::seconds(140));
}

TEST_CASE("What another try would not fix fails at once", "[migrate][pager]") {
  const auto error = GENERATE(Status(403), Status(404), Status(500),
                              Lost(kube::client::TransportError::Kind::kTls),
                              Lost(kube::client::TransportError::Kind::kTimeout));
  Pager pager;
  pager.OnPage("a", kSome);
  CHECK(pager.OnError(error, 0) == Step::kFailed);
}

TEST_CASE("A page tells where the list goes on, and how much is left of it", "[migrate][pager]") {
  struct Row {
    const char* list;
    const char* resource_version;
    const char* continue_token;
    std::optional<std::uint64_t> remaining;
  };
  const Row row =
      GENERATE(Row{R"({"metadata":{"resourceVersion":"7","continue":"a","remainingItemCount":3}})",
                   "7", "a", 3},
               Row{R"({"metadata":{"resourceVersion":"7","remainingItemCount":0}})", "7", "", 0},
               Row{R"({"metadata":{"continue":"a"}})", "", "a", std::nullopt},
               Row{R"({"metadata":{"remainingItemCount":-1}})", "", "", std::nullopt},
               Row{R"({"metadata":{"remainingItemCount":1.5}})", "", "", std::nullopt},
               Row{R"({"metadata":{"remainingItemCount":"3"}})", "", "", std::nullopt},
               Row{R"({"metadata":null})", "", "", std::nullopt}, Row{"{}", "", "", std::nullopt});
  CAPTURE(row.list);
  kube::json::Document list;
  REQUIRE_FALSE(list.Parse(row.list));
  const PageMetadata metadata = ReadPageMetadata(list.root());
  CHECK(metadata.resource_version == row.resource_version);
  CHECK(metadata.continue_token == row.continue_token);
  CHECK(metadata.remaining == row.remaining);
}

}  // namespace pager_test
}  // namespace migrate::cluster
