#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/report/field_tally.h"

namespace migrate::report {
namespace {

FirstTexts Numbers(std::uint64_t from, std::uint64_t step, int count) {
  FirstTexts texts;
  for (int i = 0; i < count; ++i, from += step) texts.Add({0, from, 0}, std::to_string(from));
  return texts;
}

TEST_CASE("The first twenty texts by place are kept, and all are counted",
          "[migrate][first_texts]") {
  std::vector<std::string> first;
  for (int i = 0; i < 20; ++i) first.push_back(std::to_string(i));
  // Backwards: each is before all that there are.
  CHECK(Numbers(99, static_cast<std::uint64_t>(-1), 100).Texts() == first);
  FirstTexts even = Numbers(0, 2, 50), odd = Numbers(1, 2, 50);
  even.Merge(std::move(odd));
  CHECK(even.Texts() == first);
  CHECK(even.count() == 100);
}

TEST_CASE("A few texts are all kept", "[migrate][first_texts]") {
  CHECK(FirstTexts().Texts().empty());
  CHECK(Numbers(7, static_cast<std::uint64_t>(-2), 2).Texts() ==
        std::vector<std::string>{"5", "7"});
}

}  // namespace
}  // namespace migrate::report
