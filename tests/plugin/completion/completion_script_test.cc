#include "plugin/cli/completion_script.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/base/file_text.h"

namespace plugin::cli {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("C1: every shell has a script that asks kubectl-prune", "[plugin][completion_script]") {
  for (const std::string_view shell : kShells) {
    CAPTURE(shell);
    const std::string script = CompletionScript(shell, {"kubectl-prune", "kubectl prune"});
    CHECK(Has(script, "kubectl-prune __complete "));
  }
}

TEST_CASE("C1: the file that is installed is the one that is printed",
          "[plugin][completion_script]") {
  const auto text = kube::base::ReadFileText("plugin/kubectl_complete-prune");
  REQUIRE(text);
  CHECK(*text == CompletionScript("kubectl", {"kubectl-prune", "kubectl prune"}));
}

TEST_CASE("N5: the scripts of a plugin under another name know no other",
          "[plugin][completion_script]") {
  for (const std::string_view shell : kShells) {
    CAPTURE(shell);
    const std::string script = CompletionScript(shell, {"kubectl-prune_crd", "kubectl prune-crd"});
    CHECK(Has(script, "kubectl-prune_crd __complete "));
    CHECK_FALSE(Has(script, "kubectl-prune "));
    CHECK_FALSE(Has(script, "kubectl prune "));
    CHECK_FALSE(Has(script, "kubectl_complete-prune "));
  }
  CHECK(CompletionScript("kubectl", {"kubectl-prune_crd", "kubectl prune-crd"}) ==
        "#!/bin/sh\n"
        "# kubectl's own completion runs this for \"kubectl prune-crd ...\", with the words behind "
        "\"prune-crd\".\n"
        "exec kubectl-prune_crd __complete \"$@\"\n");
}

}  // namespace
}  // namespace plugin::cli
