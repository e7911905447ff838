#include "kube/base/spawn_settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <new>

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

}  // namespace kube::base
