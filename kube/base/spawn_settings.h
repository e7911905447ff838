#pragma once

#include <signal.h>
#include <spawn.h>

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

}  // namespace kube::base
