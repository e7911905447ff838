#include "plugin/command/external_diff.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "kube/base/process.h"
#include "kube/base/result.h"
#include "kube/go/go_format.h"
#include "plugin/command/stop_signal.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

// How long a signal may wait to be passed on.
constexpr int kPollMilliseconds = 100;

bool IsAllowed(std::string_view argument) {
  return std::ranges::all_of(argument, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '=';
  });
}

std::vector<std::string> SplitAtBlanks(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t blank = text.find(' ');
    words.emplace_back(text.substr(0, blank));
    if (blank == std::string_view::npos) return words;
    text.remove_prefix(blank + 1);
  }
}

[[noreturn]] void Fail(const std::string& program, const std::string& why) {
  throw kube::base::Error("failed to run " + kube::go::GoQuote(program) + ": " + why);
}

/// SIGINT and SIGQUIT ignored for a while.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;
  ~IgnoredInterrupts() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }

  /// Those that were not ignored before, which a child should not ignore either.
  sigset_t Heeded() const {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);  // which we ignore always
    if (interrupt_.sa_handler != SIG_IGN) sigaddset(&signals, SIGINT);
    if (quit_.sa_handler != SIG_IGN) sigaddset(&signals, SIGQUIT);
    return signals;
  }

 private:
  struct sigaction interrupt_ = {}, quit_ = {};
};

// os/exec tells of all these in the same way.
std::string SpawnError(int error) {
  if (error == ENOENT || error == EACCES || error == ENOTDIR) {
    return "executable file not found in $PATH";
  }
  return std::generic_category().message(error);
}

pid_t Spawn(const std::vector<std::string>& words, const kube::base::SpawnSettings& settings) {
  if (words[0].empty()) Fail(words[0], "exec: no command");
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], settings.actions(), settings.attributes(),
                                 arguments.data(), environ);
  if (error != 0) Fail(words[0], SpawnError(error));
  return child;
}

// Until the child has ended, or is to be told to.
void WaitUntilDue(pid_t child, const std::function<bool()>& is_terminated) {
  // glibc 2.36 declares pidfd_open without the linkage of C.
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) return;  // an old kernel: it is not told
  pollfd ended{descriptor, POLLIN, 0};
  while (!is_terminated() && poll(&ended, 1, kPollMilliseconds) <= 0) {
  }
  close(descriptor);
}

int Wait(pid_t child, const std::function<bool()>& is_terminated) {
  WaitUntilDue(child, is_terminated);
  if (is_terminated()) kill(child, SIGTERM);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int ProgramExitCode(const std::string& program, int status) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    if (code > 1) Fail(program, "exit status " + std::to_string(code));
    return code;
  }
  const int signal = WTERMSIG(status);
  const bool is_quiet = signal == SIGINT || signal == SIGTERM || signal == SIGPIPE;
  if (!is_quiet) Fail(program, std::string("signal: ") + strsignal(signal));
  return kSignalExitCode + signal;
}

}  // namespace

DiffCommandLine MakeDiffCommand(const char* external, const std::string& from,
                                const std::string& to) {
  if (external == nullptr || *external == '\0') return {{"diff", "-u", "-N", from, to}, {}};
  const std::vector<std::string> given = SplitAtBlanks(external);
  DiffCommandLine command{{given[0], from, to}, {}};
  for (std::size_t i = 1; i < given.size(); ++i) {
    // What is between two blanks is no argument to anybody.
    if (given[i].empty()) continue;
    (IsAllowed(given[i]) ? command.words : command.ignored).push_back(given[i]);
  }
  return command;
}

int RunDiffCommand(const std::vector<std::string>& words,
                   const std::function<bool()>& is_terminated) {
  const IgnoredInterrupts interrupts;
  kube::base::SpawnSettings settings(interrupts.Heeded());
  settings.ReadNothing();
  const pid_t child = Spawn(words, settings);
  return ProgramExitCode(words[0], Wait(child, is_terminated));
}

int CompareFolders(const std::filesystem::path& from, const std::filesystem::path& to) {
  const DiffCommandLine command =
      MakeDiffCommand(std::getenv("KUBECTL_EXTERNAL_DIFF"), from.string(), to.string());
  for (const std::string& argument : command.ignored) {
    terminal::WriteStderr("Warning: invalid argument is ignored: " + terminal::Printable(argument) +
                          ", only Alphanumeric (case-insensitive), dash and equal are allowed\n");
  }
  return RunDiffCommand(command.words, [] { return StopExitCode() == kSignalExitCode + SIGTERM; });
}

}  // namespace plugin::command
