#include "plugin/stop_signal.h"

#include <signal.h>

namespace plugin {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> caught{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// What a shell adds to the number of the signal that ended a program.
constexpr int kSignalExitCode = 128;

void OnSignal(int signal) {
  caught = signal;
  stop = true;
}

}  // namespace

void CatchStopSignals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    // A run in the background of a script without job control ignores SIGINT, and shall go on.
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& StopFlag() { return stop; }

int StopExitCode() { return caught == 0 ? 0 : kSignalExitCode + caught; }

}  // namespace plugin
