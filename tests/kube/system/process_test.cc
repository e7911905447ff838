#include "kube/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/temp_folder.h"

namespace kube::base {
namespace {

using Kind = ProcessError::Kind;
using test_support::TempFolder;

/// Sets an environment variable while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

/// The output of a shell script, which must end with exit code 0.
std::string OutputOf(const std::string& script, ProcessRequest request = {}) {
  const TempFolder folder;
  request.command = folder.WriteScript("script", script);
  const auto outcome = RunProcess(request, nullptr);
  REQUIRE(outcome);
  CHECK(outcome->exit_code == 0);
  return outcome->output;
}

ProcessError ErrorOf(const ProcessRequest& request) {
  const auto outcome = RunProcess(request, nullptr);
  REQUIRE_FALSE(outcome);
  return outcome.error();
}

ProcessRequest Command(const std::string& command) {
  ProcessRequest request;
  request.command = command;
  return request;
}

bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST_CASE("A command gets its arguments as they are, without a shell", "[kube][process]") {
  ProcessRequest request;
  request.arguments = {"a b", "", "$HOME", "*", "'"};
  CHECK(OutputOf(R"(for word; do printf '%s|' "$word"; done)", request) == "a b||$HOME|*|'|");
}

TEST_CASE("X2: of equal variables the last counts", "[kube][process]") {
  const Variable ours("KUBE_PROCESS_TEST", "ours");
  CHECK(OutputOf("printf $KUBE_PROCESS_TEST") == "ours");
  ProcessRequest request;
  request.environment = {{"KUBE_PROCESS_TEST", "one"}, {"OTHER", ""}, {"KUBE_PROCESS_TEST", "two"}};
  CHECK(OutputOf("printf $KUBE_PROCESS_TEST; env | grep -c KUBE_PROCESS; printf \"${OTHER-unset}\"",
                 request) == "two1\n");
}

TEST_CASE("All of a long output is read", "[kube][process]") {
  CHECK(OutputOf("head -c 300000 /dev/zero").size() == 300000);
}

TEST_CASE("An output above the limit is an error", "[kube][process]") {
  const TempFolder folder;
  ProcessRequest request = Command(folder.WriteScript("script", "exec yes"));
  request.max_output = 1000;
  CHECK(ErrorOf(request).message == request.command + " printed more than 1000 bytes");
  CHECK_FALSE(HasChildren());
}

TEST_CASE("The exit code is no error, and a signal is -1", "[kube][process]") {
  const TempFolder folder;
  CHECK(RunProcess(Command(folder.WriteScript("a", "echo x; exit 3")), nullptr)->exit_code == 3);
  CHECK(RunProcess(Command(folder.WriteScript("b", "kill -TERM $$")), nullptr)->exit_code == -1);
  CHECK_FALSE(HasChildren());
}

TEST_CASE("What runs on in the background is not waited for", "[kube][process]") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(OutputOf("sleep 120 & printf done; exit 0") == "done");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(80));
}

TEST_CASE("A command that closes its stdout is waited for", "[kube][process]") {
  const TempFolder folder;
  OutputOf("exec >&-; sleep 0.2; touch " + folder.path() + "/ended");
  CHECK(std::filesystem::exists(folder.path() + "/ended"));
}

TEST_CASE("X1: stdin is passed on only where that is asked for", "[kube][process]") {
  const TempFolder folder;
  const std::string path = folder.Write("in", "typed\n");
  const int before = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  dup2(file, STDIN_FILENO);
  ProcessRequest request;
  CHECK(OutputOf("cat", request).empty());
  request.shares_stdin = true;
  CHECK(OutputOf("cat", request) == "typed\n");
  dup2(before, STDIN_FILENO);
  close(before);
  close(file);
}

TEST_CASE("No other file of ours is open in a command", "[kube][process]") {
  const int inherited = open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open)
  const std::string file = std::to_string(inherited);
  CHECK(OutputOf("[ -e /proc/$$/fd/" + file + " ] && readlink /proc/$$/fd/" + file + "; exit 0")
            .find("/dev/null") == std::string::npos);
  close(inherited);
}

TEST_CASE("A pipeline of a command ends by SIGPIPE though we ignore it", "[kube][process]") {
  struct sigaction before = {};
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const TempFolder folder;
  const auto outcome =
      RunProcess(Command(folder.WriteScript("script", "kill -PIPE $$; echo survived")), nullptr);
  sigaction(SIGPIPE, &before, nullptr);
  REQUIRE(outcome);
  CHECK(outcome->output.empty());
  CHECK(outcome->exit_code == -1);
}

TEST_CASE("X3: a command that cannot be run is told as Go does", "[kube][process]") {
  const TempFolder folder;
  CHECK(ErrorOf(Command("no-such-plugin")).kind == Kind::kNotInPath);
  CHECK(ErrorOf(Command("no-such-plugin")).message == "executable no-such-plugin not found");
  const ProcessError missing = ErrorOf(Command("/no/such/plugin"));
  CHECK(missing.kind == Kind::kNoSuchFile);
  CHECK(missing.message == "fork/exec /no/such/plugin: no such file or directory");
  CHECK(ErrorOf(Command(folder.path())).message ==
        "fork/exec " + folder.path() + ": permission denied");
  const std::string plain = folder.Write("plain", "echo hi\n");
  CHECK(ErrorOf(Command(plain)).message == "fork/exec " + plain + ": permission denied");
  std::filesystem::permissions(plain, std::filesystem::perms::owner_all);
  CHECK(ErrorOf(Command(plain)).message == "fork/exec " + plain + ": exec format error");
  ProcessRequest request = Command("/bin/true");
  request.arguments = {std::string("a\0b", 3)};
  CHECK(ErrorOf(request).message == "fork/exec /bin/true: invalid argument");
  request = Command("/bin/true");
  request.environment = {{"A", std::string("a\0b", 3)}};
  CHECK(ErrorOf(request).message == "exec: environment variable contains NUL");
}

TEST_CASE("X3: a name is looked up in the absolute folders of $PATH", "[kube][process]") {
  const TempFolder folder;
  folder.WriteScript("bin/one", "printf one");
  folder.Write("bin/two", "not executable");
  std::filesystem::create_directories(folder.path() + "/bin/three");
  folder.WriteScript("second/two", "printf second");
  const Variable path("PATH", ".::bin:" + folder.path() + "/bin:" + folder.path() + "/second");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  folder.WriteScript("here", "printf here");
  CHECK(RunProcess(Command("one"), nullptr)->output == "one");
  CHECK(RunProcess(Command("two"), nullptr)->output == "second");
  CHECK(ErrorOf(Command("three")).kind == Kind::kNotInPath);
  CHECK(ErrorOf(Command("here")).kind == Kind::kNotInPath);
  CHECK(RunProcess(Command("./here"), nullptr)->output == "here");
  std::filesystem::current_path(before);
}

TEST_CASE("A command is ended when we are asked to stop", "[kube][process]") {
  const TempFolder folder;
  std::string trap;
  SECTION("by SIGTERM") {}
  SECTION("by SIGKILL if it does not mind the other") { trap = "trap '' TERM; "; }
  ProcessRequest request = Command(folder.WriteScript(
      "script", trap + "touch " + folder.path() + "/started; while :; do sleep 0.05; done"));
  std::atomic<bool> stop{false};
  std::thread stopper([&] {
    while (!std::filesystem::exists(folder.path() + "/started")) std::this_thread::yield();
    stop = true;
  });
  const auto outcome = RunProcess(request, &stop);
  stopper.join();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == Kind::kInterrupted);
  CHECK(outcome.error().message == "interrupted");
  CHECK_FALSE(HasChildren());
}

}  // namespace
}  // namespace kube::base
