#pragma once

#include <atomic>

namespace plugin::report {
struct Output;
}

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

// The end of a run, which is its exit code, or that of the signal that was caught.

/// Writes what a command has to say.
int EndRun(const report::Output& output);
/// Says that a signal has ended it before all objects were read.
int EndInterrupted();

}  // namespace plugin::command
