#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plugin::cli {

/// `text`, one of texts.h, calling the program as the user does.
std::string Usage(std::string_view text);

/// One line of the program's help.
struct CommandSummary {
  std::string_view name, summary;
};

/// The help of the whole program, which lists `commands` in their order. It calls the program
/// as the user does.
std::string ProgramUsage(std::span<const CommandSummary> commands);

}  // namespace plugin::cli
