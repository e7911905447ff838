#include "migrate/restore/crd_target.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/support/fake_cluster.h"

namespace migrate::restore {
namespace crd_target_test {

kube::crd::Crd ReadText(const std::string& text) {
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE(!document->Parse(text));
  auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return *std::move(crd);
}

std::string LeftOf(const CrdTarget& target, const std::string& object) {
  kube::json::Document document;
  REQUIRE(!document.Parse(object));
  kube::json::Arena arena;
  const auto left = target.LeftOf(document.root(), arena);
  return left ? kube::json::Print(*left->Find("spec")) : "unknown";
}

TEST_CASE(
    "An object was pruned by the schemas of its version, the stored ones and the storage version",
    "[migrate][crd_target]") {
  const std::string crd = test_support::FakeCrdText("widgets");
  const std::string object =
      test_support::FakeObjectText("widgets", "a", R"({"a":"1","b":"2","c":"3"})");
  std::string old = crd;
  CHECK(LeftOf(CrdTarget(ReadText(crd), ReadText(old)), object) == R"({"a":"1"})");
  old.insert(old.rfind('}'), R"(,"status":{"storedVersions":["v1beta1","v1"]})");
  CHECK(LeftOf(CrdTarget(ReadText(crd), ReadText(old)), object) == "{}");
  CHECK(LeftOf(CrdTarget(ReadText(crd), std::nullopt), object) == "unknown");
}

TEST_CASE("What another version became by a webhook is not known", "[migrate][crd_target]") {
  const std::string crd =
      test_support::FakeCrdText("widgets", R"(,"conversion":{"strategy":"Webhook"})");
  std::string object = test_support::FakeObjectText("widgets", "a", R"({"a":"1","b":"2"})");
  const CrdTarget target(ReadText(crd), ReadText(crd));
  CHECK(LeftOf(target, object) == R"({"a":"1"})");
  object.replace(object.find("/v1"), 3, "/v1beta1");
  CHECK(LeftOf(target, object) == "unknown");
}

TEST_CASE("An object is written in its own version where that is served", "[migrate][crd_target]") {
  const auto version_of = [](const std::string& crd, const std::string& version) {
    const CrdTarget target(ReadText(crd), std::nullopt);
    kube::json::Document object;
    REQUIRE(!object.Parse(R"({"apiVersion":"demo.example.com/)" + version +
                          R"(","kind":"Kindwidgets"})"));
    const kube::crd::CrdVersion* found = target.VersionOf(object.root());
    return found == nullptr ? "none" : found->name;
  };
  const std::string crd = test_support::FakeCrdText("widgets");
  CHECK(version_of(crd, "v1beta1") == "v1beta1");
  CHECK(version_of(crd, "v1alpha1") == "v1");
  const std::string webhook =
      test_support::FakeCrdText("widgets", R"(,"conversion":{"strategy":"Webhook"})");
  CHECK(version_of(webhook, "v1") == "v1");
  CHECK(version_of(webhook, "v1alpha1") == "none");
}

}  // namespace crd_target_test
}  // namespace migrate::restore
