#include "migrate/report/program_name.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

namespace migrate::report {
namespace {

TEST_CASE("N5: the plugin is called by the name of its file", "[migrate][program_name]") {
  struct Case {
    const char *path, *file, *command;
  };
  for (const Case& c :
       {Case{"kubectl-prune", "kubectl-prune", "kubectl prune"},
        Case{"/usr/local/bin/kubectl-prune", "kubectl-prune", "kubectl prune"},
        Case{"/h/.krew/bin/kubectl-prune_crd", "kubectl-prune_crd", "kubectl prune-crd"},
        Case{"./kubectl-crd_prune", "kubectl-crd_prune", "kubectl crd-prune"},
        Case{"kubectl-crd-prune", "kubectl-crd-prune", "kubectl crd prune"}}) {
    CAPTURE(c.path);
    const ProgramName name = ParseProgramName(c.path);
    CHECK(name.file == c.file);
    CHECK(name.command == c.command);
  }
}

TEST_CASE("A command for the cluster of the run has the flags that lead there",
          "[migrate][program_name]") {
  CHECK(OwnClusterCommand("check a.g") == OwnCommand("check a.g"));
  SetClusterFlags(" --context=staging --as=alice");
  CHECK(OwnClusterCommand("check a.g") == OwnCommand("check a.g --context=staging --as=alice"));
  CHECK(ClusterFlags() == " --context=staging --as=alice");
  {
    const ClusterFlagsOfThread of_this(" --context=a");
    const ClusterFlagsOfThread of_another(" --context=b");
    CHECK(ClusterFlags() == " --context=b");
    std::string seen;
    std::thread([&] { seen = ClusterFlags(); }).join();
    CHECK(seen == " --context=staging --as=alice");
  }
  CHECK(ClusterFlags() == " --context=staging --as=alice");
  CHECK(OwnCommand("check a.g") == OwnProgramName().command + " check a.g");
  SetClusterFlags("");
}

TEST_CASE("N1: what is no plugin's file is kubectl prune", "[migrate][program_name]") {
  for (const char* path :
       {"", "foo", "./foo", "kubectl", "kubectl-", "/kubectl-x/prune", "kubectl-a--b", "kubectl-a-",
        "kubectl-a b", "kubectl-$(reboot)", "kubectl-\x1B[2J"}) {
    CAPTURE(path);
    const ProgramName name = ParseProgramName(path);
    CHECK(name.file == "kubectl-prune");
    CHECK(name.command == "kubectl prune");
  }
}

TEST_CASE("N1: messages name commands under the program's own name", "[migrate][program_name]") {
  CHECK(OwnCommand("check widgets") == OwnProgramName().command + " check widgets");
}

}  // namespace
}  // namespace migrate::report
