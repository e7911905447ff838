#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "kube/base/result.h"
#include "migrate/rewrite/backup.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace pruned_by_test {

TEST_CASE("The CRD of a backup reads back, for its owner alone", "[migrate][pruned_by]") {
  const test_support::TempFolder folder;
  const std::filesystem::path backup = std::filesystem::path(folder.path()) / "widgets-1.ndjson";
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE(!document->Parse(test_support::FakeCrdText("widgets")));
  const auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  WritePrunedBy(backup, *crd, {"v1"});
  const std::filesystem::path file = std::filesystem::path(folder.path()) / "widgets-1.crd.json";
  CHECK(PrunedByPath(backup) == file);
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  const kube::crd::Crd read = ReadPrunedBy(file);
  CHECK(read.name == "widgets.demo.example.com");
  CHECK(read.stored_versions == std::vector<std::string>{"v1"});
  CHECK(read.versions.size() == 2);
  CHECK_THROWS_AS(WritePrunedBy(backup, *crd, {"v1"}), kube::base::Error);
}

}  // namespace pruned_by_test
}  // namespace migrate::rewrite
