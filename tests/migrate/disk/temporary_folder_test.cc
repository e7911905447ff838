#include <catch2/catch.hpp>
#include <fstream>

#include "migrate/cluster/private_file.h"

namespace migrate::cluster {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A temporary folder is ours alone, and gone at the end", "[migrate][temporary_folder]") {
  fs::path path;
  {
    const TemporaryFolder folder, other, named("LIVE-");
    path = folder.path();
    CHECK(named.path().filename().string().starts_with("LIVE-"));
    CHECK(path != other.path());
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
    fs::create_directory(path / "sub");
    std::ofstream(path / "sub" / "file") << "x";
  }
  CHECK_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace migrate::cluster
