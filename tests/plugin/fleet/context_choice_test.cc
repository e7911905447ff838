#include "plugin/command/fleet_clusters.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace plugin::command {
namespace context_choice_test {

using Names = std::vector<std::string>;

kube::client::Kubeconfig KubeconfigOf(const Names& names) {
  kube::client::Kubeconfig kubeconfig;
  for (const std::string& name : names) kubeconfig.contexts[name];
  return kubeconfig;
}

const kube::client::Kubeconfig kKubeconfig =
    KubeconfigOf({"prod-b", "prod-a", "staging", "arn:aws:eks:eu:1:cluster/prod-c", ".hidden"});

std::string ErrorOf(const Names& patterns, const kube::client::Kubeconfig& kubeconfig) {
  try {
    ChooseContexts(patterns, kubeconfig);
  } catch (const kube::base::Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A pattern chooses contexts, sorted", "[plugin][context_choice]") {
  CHECK(ChooseContexts({"prod-*"}, kKubeconfig) == Names{"prod-a", "prod-b"});
  CHECK(ChooseContexts({"prod-?"}, kKubeconfig) == Names{"prod-a", "prod-b"});
  CHECK(ChooseContexts({"prod-[b-z]"}, kKubeconfig) == Names{"prod-b"});
  CHECK(ChooseContexts({"*"}, kKubeconfig).size() == 5);
}

TEST_CASE("Slashes and dots in names of contexts mean nothing", "[plugin][context_choice]") {
  CHECK(ChooseContexts({"*prod-c"}, kKubeconfig) == Names{"arn:aws:eks:eu:1:cluster/prod-c"});
  CHECK(ChooseContexts({"?hidden"}, kKubeconfig) == Names{".hidden"});
}

TEST_CASE("A context that several patterns choose comes once", "[plugin][context_choice]") {
  CHECK(ChooseContexts({"staging", "s*", "prod-a", "staging"}, kKubeconfig) ==
        Names{"prod-a", "staging"});
}

TEST_CASE("A name counts as it is, whatever it means as a pattern", "[plugin][context_choice]") {
  CHECK(ChooseContexts({"[prod]"}, KubeconfigOf({"[prod]", "p"})) == Names{"[prod]", "p"});
  CHECK(ChooseContexts({"[prod"}, KubeconfigOf({"[prod", "p"})) == Names{"[prod"});
}

TEST_CASE("A pattern that chooses nothing is an error that lists what there is",
          "[plugin][context_choice]") {
  CHECK(ErrorOf({"prod-*", "tset"}, kKubeconfig) ==
        "no context of the kubeconfig matches \"tset\"; there are: .hidden, "
        "arn:aws:eks:eu:1:cluster/prod-c, prod-a, prod-b, staging");
  CHECK(ErrorOf({"*"}, {}) == "no context of the kubeconfig matches \"*\"; there is none");
  Names many;
  for (int i = 10; i < 40; ++i) many.push_back("c" + std::to_string(i));
  CHECK(ErrorOf({"x"}, KubeconfigOf(many)).ends_with(", c28, c29 and 10 more"));
}

TEST_CASE("A file has a pattern a line", "[plugin][context_choice]") {
  const test_support::TempFolder folder;
  const std::string path =
      folder.Write("fleet.txt", "# the clusters of production\n\n  prod-*\r\nstaging \n#x\nlast");
  CHECK(ReadPatterns({"first", "@" + path}) == Names{"first", "prod-*", "staging", "last"});
}

TEST_CASE("A file that is missing or says nothing is an error", "[plugin][context_choice]") {
  const test_support::TempFolder folder;
  const std::string path = folder.path() + "/fleet.txt";
  CHECK_THROWS_WITH(ReadPatterns({"@" + path}),
                    "--contexts: open " + path + ": no such file or directory");
  folder.Write("fleet.txt", "# nobody yet\n");
  CHECK_THROWS_WITH(ReadPatterns({"@" + path}), "--contexts: " + path + " names no context");
}

TEST_CASE("A context that leads to no server of the kubeconfig leads nowhere",
          "[plugin][context_choice]") {
  kube::client::Kubeconfig kubeconfig = KubeconfigOf({"good", "none", "gone", "empty"});
  kubeconfig.clusters["here"].server = "https://here";
  kubeconfig.clusters["bare"];
  kubeconfig.contexts["good"].cluster = "here";
  kubeconfig.contexts["gone"].cluster = "removed";
  kubeconfig.contexts["empty"].cluster = "bare";
  CHECK(WhyNowhere("good", kubeconfig).empty());
  CHECK(WhyNowhere("none", kubeconfig) == "the context names no cluster");
  CHECK(WhyNowhere("gone", kubeconfig) == "the cluster \"removed\" does not exist");
  CHECK(WhyNowhere("empty", kubeconfig) == "the cluster \"bare\" has no server");
}

}  // namespace context_choice_test
}  // namespace plugin::command
