#pragma once

#include <atomic>

namespace plugin {

/// From now on the first SIGINT or SIGTERM only sets StopFlag, so that a report can still be
/// written; the second ends the program at once, as ever.
void CatchStopSignals();

/// True once a signal was caught.
const std::atomic<bool>& StopFlag();

/// The exit code for the signal that was caught, 130 or 143; 0 if there was none.
int StopExitCode();

}  // namespace plugin
