#include <catch2/catch.hpp>
#include <memory>

#include "migrate/rewrite/backup_run.h"
#include "tests/support/fake_cluster.h"

namespace migrate::rewrite {
namespace {

using Strings = std::vector<std::string>;

check::CrdCheck Check() {
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE_FALSE(
      document->Parse(test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":true)")));
  auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return {*std::move(crd), "", {.origin = check::CrdCheckOptions::Origin::kServer}};
}

/// Objects on their way through a list; v1 knows spec.a.
struct Listed {
  void Look(std::uint64_t number, const std::string& spec) {
    std::string text = test_support::FakeObjectText("widgets", "w" + std::to_string(number), spec);
    text.insert(text.find("\"namespace\""), "\"uid\":\"uid-" + std::to_string(number) + "\",");
    kube::json::Document object;
    REQUIRE_FALSE(object.Parse(text));
    losing.Look(object.root(), number, forecast);
  }
  Strings Names(const std::string& unfit = "") const {
    Strings names;
    for (const LosingObject& object :
         losing.Pick([&](std::string_view uid) { return uid == unfit; })) {
      names.push_back(object.name);
    }
    return names;
  }

  const check::CrdCheck check = Check();
  const check::RewriteForecast forecast{check, "v1", false};
  LosingObjects losing;
};

TEST_CASE("Objects that lose a field are picked in the order of the list", "[migrate][doomed]") {
  Listed listed;
  listed.Look(3, R"({"x":1})");
  listed.Look(1, R"({"x":1})");
  listed.Look(2, R"({"a":"1"})");
  CHECK(listed.Names() == Strings{"w1", "w3"});
  CHECK(listed.Names("uid-1") == Strings{"w3"});
  listed.losing.Clear();
  CHECK(listed.Names().empty());
}

TEST_CASE("A doomed object is told with where it is and what it loses", "[migrate][doomed]") {
  Listed listed;
  listed.Look(1, R"({"a":"1","x":[{"y":1}],"z":null})");
  const auto picked = listed.losing.Pick([](std::string_view) { return false; });
  REQUIRE(picked.size() == 1);
  CHECK(picked[0].namespace_ == "shop");
  CHECK(picked[0].name == "w1");
  CHECK(picked[0].uid == "uid-1");
  CHECK(picked[0].paths == Strings{"spec.x", "spec.z"});
}

TEST_CASE("Of many doomed objects the first ones of the list are kept, with a few paths each",
          "[migrate][doomed]") {
  Listed listed;
  // Threads look at the pages of a list in any order.
  for (std::uint64_t number = 200; number > 0; --number) {
    listed.Look(number, R"({"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1})");
  }
  const auto picked = listed.losing.Pick([](std::string_view) { return false; });
  REQUIRE(picked.size() == 50);
  CHECK(picked.front().name == "w1");
  CHECK(picked.back().name == "w50");
  CHECK(picked.front().paths == Strings{"spec.l", "spec.m", "spec.n", "spec.o", "spec.p"});
}

}  // namespace
}  // namespace migrate::rewrite
