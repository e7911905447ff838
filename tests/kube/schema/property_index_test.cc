#include "kube/schema/property_index.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::schema {
namespace {

std::optional<std::size_t> Look(const std::vector<std::string_view>& names, std::string_view name) {
  return PropertyIndex(names).Find(name, [&](std::size_t i) { return names[i] == name; });
}

TEST_CASE("Every name is found and no other", "[property_index]") {
  std::vector<std::string> texts{"", "a", "b", "aa", "metadata", "spec", "status"};
  for (int i = 0; i < 300; ++i) texts.push_back("field" + std::to_string(i));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(Look(names, names[i]) == i);
  for (const char* other : {"c", "field300", "Spec", "specs"}) CHECK(!Look(names, other));
}

TEST_CASE("A wrong guess finds the same", "[property_index]") {
  const std::vector<std::string_view> names{"a", "b", "c"};
  const PropertyIndex index(names);
  for (const std::string_view name : {"a", "b", "c", "d"}) {
    const auto is_it = [&](std::size_t i) { return names[i] == name; };
    for (const std::size_t guess : {0, 1, 2, 3, 70000}) {
      std::size_t likely = guess;
      const auto found = index.Find(name, likely, is_it);
      CHECK(found == index.Find(name, is_it));
      CHECK(likely == (found ? *found + 1 : guess));
    }
  }
}

TEST_CASE("An index of nothing or of too many names is empty", "[property_index]") {
  CHECK(PropertyIndex().empty());
  CHECK(PropertyIndex(std::vector<std::string_view>()).empty());
  CHECK(PropertyIndex(std::vector<std::string_view>(70000, "x")).empty());
}

TEST_CASE("Names that are all alike get no index", "[property_index]") {
  // Same length, first, middle and last byte.
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("a" + std::to_string(1000 + i) + "mmmmmmz");
  CHECK(PropertyIndex(std::vector<std::string_view>(names.begin(), names.end())).empty());
  names.resize(20);
  CHECK_FALSE(PropertyIndex(std::vector<std::string_view>(names.begin(), names.end())).empty());
}

TEST_CASE("Every name is found wherever a row of alike names stands", "[property_index]") {
  // One family after the other moves the row along the table, and over its end.
  for (const int count : {513, 550, 700, 1000}) {
    for (std::size_t length = 1; length < 40; ++length) {
      std::vector<std::string> texts;
      for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(1000 + i);
        texts.push_back(std::string(length, 'x') + number + std::string(length + 6, 'y'));
      }
      const std::vector<std::string_view> names(texts.begin(), texts.end());
      const PropertyIndex index(names);
      if (index.empty()) continue;
      for (const std::string_view name : names) {
        REQUIRE(index.Find(name, [&](std::size_t i) { return names[i] == name; }));
      }
    }
  }
}

}  // namespace
}  // namespace kube::schema
