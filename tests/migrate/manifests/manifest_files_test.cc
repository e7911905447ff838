#include "migrate/cluster/manifest_files.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

using test_support::TempFolder;

std::vector<std::string> Names(const TempFolder& folder, const std::vector<std::string>& filenames,
                               bool recursive) {
  std::vector<std::string> names;
  for (const ManifestFile& file : ListManifestFiles(filenames, recursive)) {
    names.push_back(file.is_stdin() ? "-" : file.path.substr(folder.path().size() + 1));
  }
  return names;
}

TEST_CASE("A folder stands for its manifests in the order of their names",
          "[migrate][manifest_files]") {
  TempFolder folder;
  for (const char* name : {"b.yaml", "a.yml", "c.json", "d.txt", "sub/e.yaml", "README"}) {
    folder.Write(name, "");
  }
  using Expected = std::vector<std::string>;
  CHECK(Names(folder, {folder.path()}, false) == Expected{"a.yml", "b.yaml", "c.json"});
  CHECK(Names(folder, {folder.path()}, true) ==
        Expected{"a.yml", "b.yaml", "c.json", "sub/e.yaml"});
  CHECK(Names(folder, {"-", folder.path() + "/d.txt"}, false) == Expected{"-", "d.txt"});
  CHECK(Names(folder, {folder.path() + "/*.yaml"}, false) == Expected{"b.yaml"});
}

TEST_CASE("What cannot be read is said before anything is", "[migrate][manifest_files]") {
  TempFolder folder;
  folder.Write("sub/x.txt", "");
  const auto message = [](const std::vector<std::string>& filenames) -> std::string {
    try {
      ListManifestFiles(filenames, false);
    } catch (const kube::base::Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message({folder.path() + "/no.yaml"}) ==
        "the path \"" + folder.path() + "/no.yaml\" does not exist");
  CHECK(message({folder.path() + "/sub"}) ==
        "error reading [" + folder.path() +
            "/sub]: recognized file extensions are [.json .yaml .yml]");
  CHECK(message({"https://example.com/crd.yaml"}).find("URLs are not read") != std::string::npos);
  CHECK(message({"-", "-"}).find("only once") != std::string::npos);
}

}  // namespace
}  // namespace migrate::cluster
