#include "kube/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "kube/base/file_text.h"
#include "kube/base/result.h"

extern char** environ;
namespace kube::base {
namespace {

void Check(int error) {
  if (error != 0) throw std::bad_alloc();  // the only reason there is
}

}  // namespace

SpawnSettings::SpawnSettings(const sigset_t& default_signals) {
  Check(posix_spawn_file_actions_init(&actions_));
  Check(posix_spawnattr_init(&attributes_));
  Check(posix_spawnattr_setsigdefault(&attributes_, &default_signals));
  Check(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF));
}

SpawnSettings::~SpawnSettings() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

void SpawnSettings::ReadNothing() {
  Check(posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
}

void SpawnSettings::WriteTo(int fd) {
  Check(posix_spawn_file_actions_adddup2(&actions_, fd, STDOUT_FILENO));
}

void SpawnSettings::CloseOthers() {
  Check(posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
}

namespace {

using Kind = ProcessError::Kind;

// How long a pause may be until the end of the process, or the wish to stop, is noticed.
constexpr int kFirstPauseMilliseconds = 1;
constexpr int kLongestPauseMilliseconds = 50;
// How long a process may take to end by SIGTERM.
constexpr int kGraceMilliseconds = 1000;

std::string SystemMessage(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

ProcessError CannotRun(const std::string& path, int error) {
  return {error == ENOENT ? Kind::kNoSuchFile : Kind::kOther,
          "fork/exec " + path + ": " + SystemMessage(error)};
}

bool IsExecutable(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
         faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

/// The file that `command` names. A program in the folder where we happen to be is never taken for
/// one of $PATH, as in Go.
std::optional<std::string> FindCommand(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* variable = std::getenv("PATH");
  std::string_view list = variable == nullptr ? "" : variable;
  while (true) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string path = std::string(list.substr(0, end)) + "/" + command;
    if (list.starts_with('/') && IsExecutable(path)) return path;
    if (end == list.size()) return std::nullopt;
    list.remove_prefix(end + 1);
  }
}

/// A list as execve takes it. What it points to must outlive it.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

/// Our variables with those of `request`, as "NAME=value".
std::vector<std::string> EnvironmentOf(const ProcessRequest& request) {
  std::map<std::string, std::string> by_name;
  const auto add = [&](const std::string& entry) {
    by_name[entry.substr(0, entry.find('='))] = entry;
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) add(*entry);
  for (const auto& [name, value] : request.environment) add(name + "=" + value);
  std::vector<std::string> entries;
  for (auto& [name, entry] : by_name) entries.push_back(std::move(entry));
  return entries;
}

struct Pipe {
  Pipe() : Pipe(Open()) {}

  Descriptor read_end, write_end;

 private:
  explicit Pipe(std::array<int, 2> ends) : read_end(ends[0]), write_end(ends[1]) {}
  static std::array<int, 2> Open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error("cannot make a pipe: " + SystemMessage(errno));
    }
    return ends;
  }
};

// A library of ours may ignore the one, we ignore the other; a process shall end by them as ever.
sigset_t IgnoredSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  return signals;
}

/// A running process. Ends and reaps it when it goes, unless that has happened.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { End(); }

  /// True once it has ended.
  bool HasEnded() { return has_ended_ || Wait(WNOHANG); }
  /// Only once it has ended.
  int ExitCode() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

 private:
  bool Wait(int options) {
    pid_t waited = -1;
    do {
      waited = waitpid(pid_, &status_, options);
    } while (waited < 0 && errno == EINTR);
    return has_ended_ = waited != 0;
  }
  void End() {
    if (HasEnded()) return;
    kill(pid_, SIGTERM);
    for (int waited = 0; waited < kGraceMilliseconds; waited += kLongestPauseMilliseconds) {
      poll(nullptr, 0, kLongestPauseMilliseconds);
      if (HasEnded()) return;
    }
    kill(pid_, SIGKILL);
    Wait(0);
  }

  pid_t pid_;
  int status_ = 0;
  bool has_ended_ = false;
};

enum class ReadState { kSome, kNothing, kEnd };

/// Appends what has come within `milliseconds` to `output`.
ReadState ReadSome(int fd, int milliseconds, std::string& output) {
  pollfd ready{fd, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return ReadState::kNothing;
  std::array<char, 4096> piece{};
  const ssize_t count = read(fd, piece.data(), piece.size());
  if (count < 0) return errno == EINTR ? ReadState::kNothing : ReadState::kEnd;
  if (count == 0) return ReadState::kEnd;
  output.append(piece.data(), static_cast<std::size_t>(count));
  return ReadState::kSome;
}

/// Gathers the output of `child` until it has ended.
Result<ProcessOutcome, ProcessError> Gather(Child& child, Descriptor& stdout_end,
                                            const ProcessRequest& request,
                                            const std::atomic<bool>* stop) {
  ProcessOutcome outcome;
  int pause = kFirstPauseMilliseconds;
  while (true) {
    if (stop != nullptr && *stop)
      return Unexpected(ProcessError{Kind::kInterrupted, "interrupted"});
    // Asked first: what it wrote before its end can be read without waiting.
    const bool has_ended = child.HasEnded();
    const ReadState state = ReadSome(stdout_end.get(), has_ended ? 0 : pause, outcome.output);
    if (outcome.output.size() > request.max_output) {
      return Unexpected(ProcessError{
          Kind::kOther,
          request.command + " printed more than " + std::to_string(request.max_output) + " bytes"});
    }
    if (state == ReadState::kEnd) stdout_end.Close();  // poll passes over it from now on
    if (has_ended && state != ReadState::kSome) break;
    pause = state == ReadState::kSome ? kFirstPauseMilliseconds
                                      : std::min(pause * 2, kLongestPauseMilliseconds);
  }
  outcome.exit_code = child.ExitCode();
  return outcome;
}

std::optional<ProcessError> NulProblem(const ProcessRequest& request, const std::string& path) {
  if (std::ranges::any_of(request.arguments, HasNul) || HasNul(path)) {
    return CannotRun(path, EINVAL);
  }
  for (const auto& [name, value] : request.environment) {
    if (HasNul(name) || HasNul(value)) {
      return ProcessError{Kind::kOther, "exec: environment variable contains NUL"};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ProcessOutcome, ProcessError> RunProcess(const ProcessRequest& request,
                                                const std::atomic<bool>* stop) {
  const std::optional<std::string> path = FindCommand(request.command);
  if (!path) {
    return Unexpected(
        ProcessError{Kind::kNotInPath, "executable " + request.command + " not found"});
  }
  if (auto problem = NulProblem(request, *path)) return Unexpected(*std::move(problem));
  std::vector<std::string> words = {request.command};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> variables = EnvironmentOf(request);
  Pipe pipe;
  pid_t pid = 0;
  {
    SpawnSettings settings(IgnoredSignals());
    settings.WriteTo(pipe.write_end.get());
    if (!request.shares_stdin) settings.ReadNothing();
    settings.CloseOthers();
    const int error = posix_spawn(&pid, path->c_str(), settings.actions(), settings.attributes(),
                                  Pointers(words).data(), Pointers(variables).data());
    if (error != 0) return Unexpected(CannotRun(*path, error));
  }
  pipe.write_end.Close();
  Child child(pid);
  return Gather(child, pipe.read_end, request, stop);
}

}  // namespace kube::base
