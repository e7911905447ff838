#include <catch2/catch.hpp>

#include "plugin/cli/help.h"
#include "plugin/command/commands.h"

namespace plugin::cli {
namespace {

const migrate::report::ProgramName kOther{"kubectl-crd.prune_x", "kubectl crd.prune-x"};

TEST_CASE("N1: texts call the program as the user does", "[plugin][renamed]") {
  CHECK(Renamed("Usage:\n  kubectl prune check", kOther) == "Usage:\n  kubectl crd.prune-x check");
  CHECK(Renamed("kubectl-prune __complete", kOther) == "kubectl-crd.prune_x __complete");
  CHECK(Renamed("bin/kubectl_complete-prune", kOther) == "bin/kubectl_complete-crd.prune_x");
  CHECK(Renamed("_kubectl_prune() {", kOther) == "_kubectl_crd_prune_x() {");
  CHECK(Renamed("behind \"prune\".", kOther) == "behind \"crd.prune-x\".");
  CHECK(Renamed("kubectl diff, prune", kOther) == "kubectl diff, prune");
}

TEST_CASE("N1: folders for data are the same under every name", "[plugin][renamed]") {
  CHECK(Renamed("--backup-dir='kubectl-prune-backup'", kOther) ==
        "--backup-dir='kubectl-prune-backup'");
  CHECK(Renamed("~/.local/state/kubectl-prune.", kOther) == "~/.local/state/kubectl-prune.");
}

TEST_CASE("N1: under its first name a text stays as it is", "[plugin][renamed]") {
  for (const char* name : {"help", "migrate", "completion"}) {
    const std::string text = HelpOf(command::Commands(), FindCommand(command::Commands(), name));
    CHECK(Renamed(text, {"kubectl-prune", "kubectl prune"}) == text);
  }
}

}  // namespace
}  // namespace plugin::cli
