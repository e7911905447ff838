#include "plugin/command/stop_signal.h"

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "plugin/report/report_forms.h"
#include "plugin/terminal/output.h"

namespace plugin::command {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> caught{0};
std::atomic<std::int64_t> caught_at{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t kSameSignalMilliseconds = 1000;

std::int64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler of signals
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void OnSignal(int signal) {
  if (!stop) {
    caught = signal;
    caught_at = Milliseconds();
    stop = true;
  } else if (Milliseconds() - caught_at > kSameSignalMilliseconds) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal);  // comes once this handler returns
  }
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
    sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& StopFlag() { return stop; }

int StopExitCode() { return caught == 0 ? 0 : kSignalExitCode + caught; }

int EndRun(const report::Output& output) {
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

int EndInterrupted() {
  terminal::WriteLine("error", "interrupted: not all objects were read");
  return StopExitCode();
}

}  // namespace plugin::command
