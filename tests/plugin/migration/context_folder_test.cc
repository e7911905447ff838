#include <catch2/catch.hpp>
#include <set>

#include "plugin/command/fleet_clusters.h"

namespace plugin::command {
namespace context_folder_test {

TEST_CASE("A plain name is its own folder", "[plugin][context_folder]") {
  const std::string name = GENERATE(as<std::string>(), "prod-a", "kind_1.2", "admin@prod", "a:b=c");
  CHECK(ContextFolder(name) == name);
}

TEST_CASE("No name leads elsewhere", "[plugin][context_folder]") {
  CHECK(ContextFolder(".") == "%2E");
  CHECK(ContextFolder("..") == "%2E.");
  CHECK(ContextFolder(".hidden") == "%2Ehidden");
  CHECK(ContextFolder("../x") == "%2E.%2Fx");
  CHECK(ContextFolder("arn:aws:eks:eu:1:cluster/prod") == "arn:aws:eks:eu:1:cluster%2Fprod");
  CHECK(ContextFolder("") == "%");
  CHECK(ContextFolder("a b\n\xC3\xBC") == "a%20b%0A%C3%BC");
}

TEST_CASE("No two names have the same folder", "[plugin][context_folder]") {
  std::set<std::string> folders;
  const std::vector<std::string> names = {"a/b",
                                          "a%2Fb",
                                          "a_b",
                                          "a%b",
                                          "a",
                                          "A",
                                          "%",
                                          "",
                                          ".",
                                          "%2E",
                                          std::string(300, 'x'),
                                          std::string(301, 'x'),
                                          std::string(255, 'x'),
                                          std::string(299, 'x') + "y"};
  for (const std::string& name : names) {
    const std::string folder = ContextFolder(name);
    CHECK(folder.size() <= 255);
    CHECK(folders.insert(folder).second);
    CHECK(ContextFolder(name) == folder);
  }
}

}  // namespace context_folder_test
}  // namespace plugin::command
