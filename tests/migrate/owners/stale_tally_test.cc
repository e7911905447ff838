#include <catch2/catch.hpp>
#include <string>

#include "migrate/cluster/stale_entries.h"
#include "tests/support/test_schema.h"

namespace migrate::cluster {
namespace stale_tally_test {

constexpr char kSpec[] = R"({"group":"g","scope":"Namespaced","names":{"plural":"ws","kind":"W"},
  "versions":[{"name":"v1","served":true,"storage":true}]})";

std::string Entry(const std::string& version, const std::string& manager) {
  return R"({"apiVersion":")" + version + R"(","manager":")" + manager +
         R"(","operation":"Apply","fieldsV1":{"f:a":{}}})";
}

struct World {
  void Add(StaleTally& tally, std::uint64_t number, const std::string& entries) const {
    kube::json::Document object;
    REQUIRE(!object.Parse(R"({"metadata":{"managedFields":[)" + entries + "]}}"));
    const std::string name = "shop/w" + std::to_string(number);
    tally.AddStale(object.root(), known, {.place = {0, number, 0}, .full_name = name});
  }
  static std::string Text(const StaleTally& tally) {
    std::string text;
    for (const report::StaleEntry& entry : tally.Report()) {
      text += entry.api_version + " " + entry.manager + " " + entry.operation + " " +
              entry.subresource + " " + std::to_string(entry.objects) + ":";
      for (const std::string& example : entry.examples) text += " " + example;
      text += "\n";
    }
    return text;
  }

  KnownVersions known{support::TestCrd("v1", kSpec)};
};

TEST_CASE("Stale entries are counted by version and owner", "[migrate][stale_tally]") {
  const World world;
  StaleTally one, other;
  world.Add(one, 5, Entry("g/v0", "b") + "," + Entry("g/v1", "c"));
  world.Add(one, 4, Entry("g/v0", "b") + "," + Entry("g/v0", "b"));
  world.Add(other, 1, Entry("g/v0", "b") + "," + Entry("f/v2", "a"));
  world.Add(other, 9, Entry("g/v0", "b"));
  world.Add(other, 2, Entry("g/v1", "b"));
  other.Merge(one);
  CHECK(World::Text(other) ==
        "f/v2 a Apply  1: shop/w1\n"
        "g/v0 b Apply  4: shop/w1 shop/w4 shop/w5\n");
}

TEST_CASE("Of very many owners the first are kept, with whole counts", "[migrate][stale_tally]") {
  const World world;
  StaleTally one, other;
  for (std::uint64_t i = 0; i < 2 * StaleTally::kMost; ++i) {
    world.Add(i % 2 ? one : other, i, Entry("g/v0", "m" + std::to_string(100'000 - i)));
    world.Add(i % 3 ? one : other, i + 100'000, Entry("g/v0", "m" + std::to_string(100'000 - i)));
  }
  one.Merge(other);
  const auto entries = one.Report();
  REQUIRE(entries.size() == StaleTally::kMost);
  CHECK(entries.front().manager == "m" + std::to_string(100'000));
  for (const report::StaleEntry& entry : entries) CHECK(entry.objects == 2);
}

TEST_CASE("Long texts are cut", "[migrate][stale_tally]") {
  const World world;
  StaleTally tally;
  world.Add(tally, 0, Entry("g/v0", std::string(100'000, 'x')));
  CHECK(tally.Report().at(0).manager.size() < 1000);
}

}  // namespace stale_tally_test
}  // namespace migrate::cluster
