#include <catch2/catch.hpp>

#include "migrate/migration/cluster_engine.h"

namespace migrate::migration {
namespace engine_choice_test {

TEST_CASE("The cluster's own engine may have all objects of a CRD with nothing else to do",
          "[migrate][engine]") {
  CHECK(WhyNotInCluster({}).empty());
  CHECK(WhyNotByItself({}).empty());
}

TEST_CASE("What the cluster's own engine cannot do is done by us", "[migrate][engine]") {
  const auto [flag, why] = GENERATE(table<bool EngineSituation::*, std::string>(
      {{&EngineSituation::is_partial, "it rewrites all objects, and only some are to be"},
       {&EngineSituation::changes_objects, "it does not change objects as this run is to"},
       {&EngineSituation::is_paced, "it does not know of --max-rate"},
       {&EngineSituation::keeps_versions,
        "it trims status.storedVersions by itself, from Kubernetes 1.36 on"},
       {&EngineSituation::is_server_dry_run, "it makes no dry run"},
       {&EngineSituation::turns_pruning_on,
        "pruning is turned on, and objects that the backup does not have must not be rewritten"},
       {&EngineSituation::holds_objects, "some objects are held, and it rewrites all"}}));
  EngineSituation situation;
  situation.*flag = true;
  CHECK(WhyNotInCluster(situation) == why);
  CHECK(WhyNotByItself(situation) == why);
}

TEST_CASE("Nobody believes the cluster's own engine", "[migrate][engine]") {
  CHECK(WhyNotInCluster({.verifies = false}) ==
        "what it says is not taken for granted, and --verify=false is set");
  CHECK(WhyNotInCluster({.is_storage_version_served = false}) ==
        "the storage version is not served");
}

TEST_CASE("By itself it is used where a version is to go, as long as somebody takes it up",
          "[migrate][engine]") {
  EngineSituation situation;
  std::string why;
  SECTION("only pruning is to be proven") {
    situation.has_old_versions = false;
    why = "status.storedVersions is just the storage version, so that only pruning is to be proven";
  }
  SECTION("an earlier run is gone on with") {
    situation.is_begun = true;
    why = "an earlier run has begun to rewrite the objects by itself";
  }
  SECTION("there is no controller") {
    situation.is_abandoned = true;
    why = "nobody has taken up the StorageVersionMigration of another CustomResourceDefinition";
  }
  CHECK(WhyNotByItself(situation) == why);
  CHECK(WhyNotInCluster(situation).empty());
}

}  // namespace engine_choice_test
}  // namespace migrate::migration
