#include "plugin/completion_script.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/file_text.h"
#include "plugin/options.h"

namespace plugin {
namespace {

TEST_CASE("C1: every shell has a script that asks kubectl-prune", "[plugin][completion_script]") {
  for (const std::string_view shell : kShells) {
    CAPTURE(shell);
    CHECK(CompletionScript(shell).find("kubectl-prune __complete ") != std::string_view::npos);
  }
}

TEST_CASE("C1: the file that is installed is the one that is printed",
          "[plugin][completion_script]") {
  const auto text = kube::ReadFileText("plugin/kubectl_complete-prune");
  REQUIRE(text);
  CHECK(*text == CompletionScript("kubectl"));
}

}  // namespace
}  // namespace plugin
