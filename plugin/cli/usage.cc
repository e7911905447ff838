#include "plugin/cli/usage.h"

#include "plugin/cli/renamed.h"

namespace plugin::cli {

std::string Usage(std::string_view text) {
  return Renamed(text, migrate::report::OwnProgramName());
}

}  // namespace plugin::cli
