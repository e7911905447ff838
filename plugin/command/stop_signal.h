#pragma once

#include <atomic>

namespace plugin::command {

/// What a shell adds to the number of the signal that ended a program.
inline constexpr int kSignalExitCode = 128;

/// From now on the first SIGINT or SIGTERM only sets StopFlag, so that a report can still be
/// written. Those of the next second are the same one (a shell, or timeout(1), may send it to the
/// program and to its process group); a later one ends the program at once, as ever.
void CatchStopSignals();

/// True once a signal was caught.
const std::atomic<bool>& StopFlag();

/// The exit code for the signal that was caught, 130 or 143; 0 if there was none.
int StopExitCode();

}  // namespace plugin::command
