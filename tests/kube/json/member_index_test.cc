#include "kube/json/member_index.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::json {
namespace member_index_test {

TEST_CASE("Members of small and of large objects are found, however often", "[member_index]") {
  const int size = GENERATE(0, 1, 32, 33, 500);
  std::string text = "{";
  for (int i = 0; i < size; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i * 7 % size) + "\":" + std::to_string(i);
  }
  Document document;
  REQUIRE_FALSE(document.Parse(text + "}"));
  MemberIndex index;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < size; ++i) {
      const std::string key = "k" + std::to_string(i);
      REQUIRE(index.Find(document.root(), key) == document.root().Find(key));
    }
    CHECK(index.Find(document.root(), "k500") == nullptr);
    CHECK(index.Find(document.root(), "") == nullptr);
  }
  CHECK(index.Find(Value::Number("1"), "k") == nullptr);
}

}  // namespace member_index_test
}  // namespace kube::json
