#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/cli/flag_syntax.h"
#include "plugin/cli/options.h"
#include "plugin/cli/usage_error.h"

/// From argv to a value that can run, by a table of commands. Nothing is read or contacted here.
namespace plugin::cli {

using CommandRows = std::span<const CommandRow>;

/// The row of `name`; the null pointer where there is none.
const CommandRow* FindCommand(CommandRows commands, std::string_view name);

struct CommandLine {
  std::unique_ptr<Command> command;  ///< the null pointer: help is asked for
  const CommandRow* help = nullptr;  ///< whose; the null pointer: that of the program
};

/// Reads the command line, `words` being argv without the program's name. No words, or --help, asks
/// for help. Flags are spelled as kubectl takes them (flag_syntax.h); the command may stand behind
/// flags. Throws UsageError.
CommandLine ParseCommandLine(CommandRows commands, std::span<const std::string> words);

/// The flags of all commands.
std::vector<Flag> AllFlags(CommandRows commands);

/// The flags of a command; of the null pointer those that all commands have.
std::vector<Flag> FlagsOf(const CommandRow* command);

/// The flags that every command has, from a command line of `command` (the null pointer: of none)
/// that need not be complete. Throws UsageError.
CommonOptions ParseCommonOptions(const CommandRow* command, std::span<const std::string> words);

}  // namespace plugin::cli
