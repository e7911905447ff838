#include "migrate/check/rewrite_forecast.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace migrate::check {
namespace rewrite_forecast_test {

using Strings = std::vector<std::string>;

/// v1 (storage) knows spec.a, which has a default if asked for, v1beta1 knows spec.b.
CrdCheck Check(const std::string& stored, const std::string& a = R"({"type":"string"})") {
  std::string text = test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":true)");
  text.replace(text.find(R"({"type":"string"})"), 17, a);
  text.back() = ',';
  text += R"("status":{"storedVersions":)" + stored + "}}";
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE_FALSE(document->Parse(text));
  auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return {*std::move(crd), "", {.origin = CrdCheckOptions::Origin::kServer}};
}

kube::json::Document Object(const std::string& spec) {
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(test_support::FakeObjectText("widgets", "one", spec)));
  return object;
}

TEST_CASE("An object is changed by a rewrite if a field or null goes or a default comes",
          "[migrate][rewrite_forecast]") {
  const CrdCheck check = Check(R"(["v1"])", R"({"type":"string","default":"x"})");
  const RewriteForecast forecast(check, "v1", false);
  CHECK_FALSE(forecast.Changes(Object(R"({"a":"1"})").root()));
  CHECK(forecast.Changes(Object(R"({"a":"1","extra":2})").root()));
  CHECK(forecast.Changes(Object("{}").root()));
  const CrdCheck plain = Check(R"(["v1"])");
  const RewriteForecast without_default(plain, "v1", false);
  CHECK_FALSE(without_default.Changes(Object("{}").root()));
  CHECK(without_default.Changes(Object(R"({"a":null})").root()));
}

// v1 is not served: what is rewritten as v1beta1 is pruned by that before it is stored as v1.
TEST_CASE("An object is changed by the schema of the version that it is rewritten in",
          "[migrate][rewrite_forecast]") {
  const CrdCheck check = Check(R"(["v1"])");
  const auto object = Object(R"({"a":"1"})");
  CHECK_FALSE(RewriteForecast(check, "v1", false).Changes(object.root()));
  CHECK(RewriteForecast(check, "v1beta1", false).Changes(object.root()));
}

TEST_CASE("In one pass the worst of all versions counts that an object may be stored in",
          "[migrate][rewrite_forecast]") {
  const CrdCheck check = Check(R"(["v1beta1","v1"])");
  const auto object = Object(R"({"a":"1"})");
  CHECK_FALSE(RewriteForecast(check, "v1", false).Changes(object.root()));
  CHECK(RewriteForecast(check, "v1", true).Changes(object.root()));
}

TEST_CASE("Of very many or very long doomed fields some are told", "[migrate][rewrite_forecast]") {
  const CrdCheck check = Check(R"(["v1"])");
  const RewriteForecast forecast(check, "v1", false);
  const auto longest = Object("{\"" + std::string(10'000, 'x') + "\":1,\"b\":2}");
  CHECK(forecast.LosingPaths(longest.root()) == Strings{"spec.b"});
  std::string spec = "{\"a\":\"1\"";
  for (int i = 0; i < 3000; ++i) spec += ",\"k" + std::to_string(i) + "\":1";
  CHECK(forecast.LosingPaths(Object(spec + "}").root()).size() == 1000);
}

TEST_CASE("Doomed are the fields that no read shows once the server prunes",
          "[migrate][rewrite_forecast]") {
  const CrdCheck check = Check(R"(["v1beta1","v1"])");
  const auto object = Object(R"({"a":"1","b":"2","list":[{"x":1}],"c":1})");
  const Strings by_v1{"spec.b", "spec.c", "spec.list"};
  const Strings by_v1beta1{"spec.a", "spec.c", "spec.list"};
  const Strings by_both{"spec.a", "spec.b", "spec.c", "spec.list"};
  CHECK(RewriteForecast(check, "v1", false).LosingPaths(object.root()) == by_v1);
  CHECK(RewriteForecast(check, "v1", true).LosingPaths(object.root()) == by_v1);
  // Stored in v1, and shown in v1beta1.
  CHECK(RewriteForecast(check, "v1beta1", false).LosingPaths(object.root()) == by_both);
  // Some are stored in v1beta1, where spec.a was pruned by neither.
  CHECK(RewriteForecast(check, "v1beta1", true).LosingPaths(object.root()) == by_v1beta1);
}

}  // namespace rewrite_forecast_test
}  // namespace migrate::check
