#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "tests/migrate/sweep/sweep_world.h"
#include "tests/support/test_schema.h"

namespace migrate::rewrite {
namespace managed_fields_sweep_test {

using sweep_test::kResource;

std::string Entry(const std::string& version, const std::string& fields = R"({"f:a":{}})") {
  return R"({"apiVersion":"demo.example.com/)" + version +
         R"(","fieldsType":"FieldsV1","fieldsV1":{"f:spec":)" + fields +
         R"(},"manager":"kubectl","operation":"Apply"})";
}

/// Widgets of a CRD that lost v1alpha1, on a server that empties managedFields that name it.
struct World : sweep_test::World {
  explicit World(int count = 6) : sweep_test::World(0) {
    cluster.server.EmptyManagedFields();
    for (int i = 0; i < count; ++i) AddOwned(i, Entry("v1alpha1"));
    options.pace.concurrency = 1;
  }
  void Clean(cluster::Cleaning cleaning = cluster::Cleaning::kAlways) {
    auto crd = support::ReadCrdText(test_support::FakeCrdText("widgets"));
    REQUIRE(crd);
    target.cleaner = std::make_shared<cluster::EntryCleaner>(*crd, "v1", cleaning);
  }
  void AddOwned(int number, const std::string& entries, const std::string& spec = R"({"a":"x"})") {
    std::string text = test_support::FakeObjectText("widgets", Name(number), spec);
    text.insert(text.find(R"("namespace")"), R"("managedFields":[)" + entries + "],");
    cluster.server.Add(text);
  }
  std::string Owners(int number) const {
    const auto* stored = cluster.server.Stored(kResource, "shop/" + Name(number));
    const auto* entries = stored->Find("metadata")->Find("managedFields");
    return entries == nullptr ? "none" : kube::json::Print(*entries);
  }
};

TEST_CASE("A sweep goes on where a write empties managedFields, and names the object",
          "[migrate][managed_fields_sweep]") {
  World world(6);
  world.AddOwned(6, Entry("v1"));
  const SweepResult result = world.Run();
  CHECK_FALSE(result.stopped);
  CHECK(result.counts[report::ObjectClass::kRewritten] == 6);
  CHECK(result.counts[report::ObjectClass::kUnchanged] == 1);
  CHECK(result.failures.empty());
  CHECK(result.emptied.size() == 6);
  CHECK(result.emptied.contains("shop/" + World::Name(0)));
  CHECK_FALSE(result.emptied.contains("shop/" + World::Name(6)));
  CHECK(world.Owners(0) == "none");
  CHECK(world.Owners(6) == "[" + Entry("v1") + "]");
}

TEST_CASE("A sweep that was killed names what it has emptied before",
          "[migrate][managed_fields_sweep]") {
  World world(6);
  world.Before(sweep_test::kInShop + World::Name(3), 1, [] { throw sweep_test::Killed(); });
  CHECK_THROWS_AS(world.Run(), sweep_test::Killed);
  const SweepResult result = world.Run();
  CHECK(result.emptied.size() == 6);
}

TEST_CASE("A sweep cleans what is stale by the one write of an object",
          "[migrate][managed_fields_sweep]") {
  World world(3);
  world.AddOwned(3, Entry("v1"));
  world.AddOwned(4, Entry("v1alpha1", R"({"f:gone":{}})") + "," + Entry("v1"));
  world.Clean();
  const SweepResult result = world.Run();
  CHECK_FALSE(result.stopped);
  CHECK(result.cleaned.objects == 4);
  CHECK(result.cleaned.entries == 4);
  CHECK(result.stale_left == 0);
  CHECK(result.counts[report::ObjectClass::kRewritten] == 4);
  CHECK(result.counts[report::ObjectClass::kUnchanged] == 1);
  for (int i = 0; i < 5; ++i) CHECK(world.Owners(i) == "[" + Entry("v1") + "]");
  CHECK(world.Requests("PATCH") == 5);
  CHECK(world.Requests("GET /apis/demo.example.com/v1/namespaces/shop/widgets/") == 4);

  const SweepResult again = world.Verify();
  CHECK(again.counts[report::ObjectClass::kUnchanged] == 5);
  CHECK(again.cleaned.objects == 0);
}

TEST_CASE("A sweep that was killed counts what it has cleaned before",
          "[migrate][managed_fields_sweep]") {
  World world(6);
  world.Clean();
  world.Before(sweep_test::kInShop + World::Name(3), 1, [] { throw sweep_test::Killed(); });
  CHECK_THROWS_AS(world.Run(), sweep_test::Killed);
  const SweepResult result = world.Run();
  CHECK_FALSE(result.stopped);
  CHECK(result.cleaned.objects == 6);
  CHECK(result.counts[report::ObjectClass::kRewritten] == 6);
}

TEST_CASE("What was listed while other versions were fit is listed anew",
          "[migrate][managed_fields_sweep]") {
  World world(0);
  for (int i = 0; i < 6; ++i) world.AddOwned(i, Entry("v1beta1"), "{}");
  // By the schemas v1beta1 holds them.
  world.Clean(cluster::Cleaning::kAuto);
  world.Before(sweep_test::kInShop + World::Name(3), 1, [] { throw sweep_test::Killed(); });
  CHECK_THROWS_AS(world.Run(), sweep_test::Killed);
  auto crd = support::ReadCrdText(test_support::FakeCrdText("widgets"));
  REQUIRE(crd);
  world.target.cleaner = std::make_shared<cluster::EntryCleaner>(
      *crd, "v1", cluster::Cleaning::kAuto, std::set<std::string>{"v1beta1"});
  const SweepResult result = world.Run();
  CHECK(result.counts.Total() == 6);
  CHECK(result.cleaned.objects == 6);
}

TEST_CASE("What another writer puts back is seen by the next pass",
          "[migrate][managed_fields_sweep]") {
  World world(2);
  world.Clean();
  REQUIRE_FALSE(world.Run().stopped);
  world.Delete(1);
  world.AddOwned(1, Entry("v1alpha1"));
  // It was not known to be stale when it was listed.
  const SweepResult again = world.Verify();
  CHECK(again.stale_left + again.cleaned.objects > 0);
}

TEST_CASE("Named objects are cleaned as well", "[migrate][managed_fields_sweep]") {
  World world(2);
  world.Clean();
  const SweepResult result = world.RunNamed({{"shop", World::Name(0)}});
  CHECK(result.cleaned.objects == 1);
  CHECK(world.Owners(0) == "[" + Entry("v1") + "]");
  CHECK(world.Owners(1) == "[" + Entry("v1alpha1") + "]");
}

}  // namespace managed_fields_sweep_test
}  // namespace migrate::rewrite
