#include "plugin/command/server_warnings.h"

#include <atomic>

namespace plugin::command {
namespace {

std::atomic<std::size_t> warnings = 0;

}  // namespace

void CountServerWarning() { ++warnings; }

std::size_t ServerWarnings() { return warnings; }

}  // namespace plugin::command
