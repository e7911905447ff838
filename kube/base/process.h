#pragma once

#include <signal.h>
#include <spawn.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/result.h"

namespace kube::base {

/// What a new process shall differ in from this one: for posix_spawn and posix_spawnp. All methods
/// throw std::bad_alloc where there is no memory, and nothing else can go wrong.
class SpawnSettings {
 public:
  /// `default_signals` end the process as ever, whatever we do with them.
  explicit SpawnSettings(const sigset_t& default_signals);
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings();

  /// It reads /dev/null.
  void ReadNothing();
  /// It writes its output to `fd`, of ours.
  void WriteTo(int fd);
  /// It has stdin, stdout and stderr alone.
  void CloseOthers();

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_ = {};
  posix_spawnattr_t attributes_ = {};
};

/// A command to run, without a shell.
struct ProcessRequest {
  std::string command;  ///< a path, or a name that is looked up in $PATH
  std::vector<std::string> arguments;
  /// Beside this process' own variables; of equal names the last counts.
  std::vector<std::pair<std::string, std::string>> environment;
  bool shares_stdin = false;  ///< else its stdin is empty
  std::size_t max_output = 1024 * 1024;
};

struct ProcessOutcome {
  std::string output;  ///< what it wrote to stdout
  int exit_code = 0;   ///< -1 where a signal ended it
};

/// Why a command did not run to its end.
struct ProcessError {
  enum class Kind {
    kNotInPath,    ///< no such name in $PATH
    kNoSuchFile,   ///< no file of that path
    kInterrupted,  ///< the caller asked to stop
    kOther,
  };
  Kind kind;
  std::string message;  ///< as Go words it: "fork/exec /opt/plugin: permission denied"
};

/// Runs a command as Go's os/exec does and waits for its end, which is no error whatever its exit
/// code. Its stderr is ours, it is in our process group, and no other file of ours is open in it.
///
/// Relative folders of $PATH are not searched. What it leaves running in the background is not
/// waited for, though that may hold its stdout. Where `*stop` becomes true, or its output is larger
/// than max_output, it is ended (SIGTERM, after a second SIGKILL). Nothing of it is left over when
/// this returns. `stop` may be the null pointer.
Result<ProcessOutcome, ProcessError> RunProcess(const ProcessRequest& request,
                                                const std::atomic<bool>* stop);

}  // namespace kube::base
