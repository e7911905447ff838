#include "plugin/usage/usage.h"

#include "plugin/usage/renamed.h"

namespace plugin::usage {

std::string Usage(std::string_view text) {
  return Renamed(text, migrate::report::OwnProgramName());
}

}  // namespace plugin::usage
