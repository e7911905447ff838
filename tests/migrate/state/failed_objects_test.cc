#include <catch2/catch.hpp>
#include <fstream>

#include "migrate/rewrite/retried_objects.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace failed_objects_test {

namespace fs = std::filesystem;
using test_support::TempFolder;

const std::string kUid = "00000000-0000-4000-8000-000000000001";

fs::path FileIn(const TempFolder& folder) { return fs::path(folder.path()) / "failed" / kUid; }

TEST_CASE("What failed is remembered of each CRD", "[migrate][failed_objects]") {
  const TempFolder folder;
  SaveFailedObjects({{"shop", "a", false}, {"", "b", true}}, folder.path(), kUid);
  const auto failed = LoadFailedObjects(folder.path(), kUid);
  REQUIRE(failed.size() == 2);
  CHECK(failed[0].namespace_ == "shop");
  CHECK(failed[0].name == "a");
  CHECK_FALSE(failed[0].is_held);
  CHECK(failed[1].namespace_.empty());
  CHECK(failed[1].is_held);
  CHECK(LoadFailedObjects(folder.path(), "another").empty());
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  CHECK((fs::status(FileIn(folder)).permissions() & others) == fs::perms::none);
}

TEST_CASE("The last run counts, and where nothing failed nothing is left",
          "[migrate][failed_objects]") {
  const TempFolder folder;
  SaveFailedObjects({}, folder.path(), kUid);
  SaveFailedObjects({{"shop", "a", false}}, folder.path(), kUid);
  SaveFailedObjects({{"shop", "b", false}}, folder.path(), kUid);
  const auto failed = LoadFailedObjects(folder.path(), kUid);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].name == "b");
  SaveFailedObjects({}, folder.path(), kUid);
  CHECK(LoadFailedObjects(folder.path(), kUid).empty());
  CHECK_FALSE(fs::exists(FileIn(folder)));
}

TEST_CASE("A file that is none of ours tells of nothing", "[migrate][failed_objects]") {
  const TempFolder folder;
  fs::create_directories(FileIn(folder).parent_path());
  std::ofstream(FileIn(folder)) << GENERATE(
      "", "{", "[]", R"({"format":"other","objects":[{"name":"a"}]})",
      R"({"format":"kubectl-prune-failed/v1","objects":7})",
      R"({"format":"kubectl-prune-failed/v1","objects":[7,{"name":""}]})");
  CHECK(LoadFailedObjects(folder.path(), kUid).empty());
}

}  // namespace failed_objects_test
}  // namespace migrate::rewrite
