#include "plugin/command/external_diff.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace plugin::command {
namespace {

using test_support::TempFolder;
using Words = std::vector<std::string>;

bool Never() { return false; }

int RunShell(const std::string& script, const std::function<bool()>& is_terminated = Never) {
  return RunDiffCommand({"sh", "-c", script}, is_terminated);
}

std::string ErrorOf(const Words& words) {
  try {
    RunDiffCommand(words, Never);
  } catch (const kube::base::Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("diff -u -N is the program unless another is named", "[plugin][external_diff]") {
  const char* external = GENERATE(static_cast<const char*>(nullptr), "");
  CHECK(MakeDiffCommand(external, "a", "b").words == Words{"diff", "-u", "-N", "a", "b"});
}

TEST_CASE("Arguments of the program come after the folders", "[plugin][external_diff]") {
  const DiffCommandLine command = MakeDiffCommand("colordiff -N -U=3", "a", "b");
  CHECK(command.words == Words{"colordiff", "a", "b", "-N", "-U=3"});
  CHECK(command.ignored.empty());
}

// Seen with kubectl 1.32.
TEST_CASE("Only letters, digits, dashes and equal signs make an argument",
          "[plugin][external_diff]") {
  const DiffCommandLine command =
      MakeDiffCommand("/bin/d -N  a_b x/y 'q' \xC3\xA9 -u=3 ", "a", "b");
  CHECK(command.words == Words{"/bin/d", "a", "b", "-N", "-u=3"});
  CHECK(command.ignored == Words{"a_b", "x/y", "'q'", "\xC3\xA9"});
}

TEST_CASE("A blank before the program is no program, as for kubectl", "[plugin][external_diff]") {
  const DiffCommandLine command = MakeDiffCommand(" diff", "a", "b");
  CHECK(ErrorOf(command.words) == "failed to run \"\": exec: no command");
}

TEST_CASE("The exit codes 0 and 1 of the program are the answer", "[plugin][external_diff]") {
  const int code = GENERATE(0, 1);
  CHECK(RunShell("exit " + std::to_string(code)) == code);
}

TEST_CASE("Any other exit code is an error in kubectl's words", "[plugin][external_diff]") {
  CHECK(ErrorOf({"sh", "-c", "exit 3"}) == "failed to run \"sh\": exit status 3");
}

TEST_CASE("A program that is not there, or cannot be run, is an error", "[plugin][external_diff]") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "x");
  const std::string program = GENERATE_COPY(std::string("nosuchprogram"), file, file + "/below");
  CHECK(ErrorOf({program, "a", "b"}) ==
        "failed to run \"" + program + "\": executable file not found in $PATH");
}

TEST_CASE("The program reads nothing", "[plugin][external_diff]") {
  CHECK(RunShell("[ \"$(readlink /proc/self/fd/0)\" = /dev/null ]") == 0);
}

TEST_CASE("A signal that ends the program is in the result", "[plugin][external_diff]") {
  CHECK(RunShell("kill -PIPE $$") == 128 + SIGPIPE);
  CHECK(RunShell("kill -INT $$") == 128 + SIGINT);
  CHECK(ErrorOf({"sh", "-c", "kill -KILL $$"}) == "failed to run \"sh\": signal: Killed");
}

TEST_CASE("SIGINT ends the program, and not us while it runs", "[plugin][external_diff]") {
  CHECK(RunShell("kill -INT $PPID") == 0);
}

TEST_CASE("SIGTERM is passed on", "[plugin][external_diff]") {
  CHECK(RunShell("exec sleep 600", [] { return true; }) == 128 + SIGTERM);
}

}  // namespace
}  // namespace plugin::command
