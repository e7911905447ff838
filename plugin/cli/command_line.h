#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/common_flags.h"
#include "plugin/cli/flag_set.h"
#include "plugin/cli/flag_syntax.h"

/// From argv to a value that can run, by a table of commands. Nothing is read or contacted here.
namespace plugin::cli {

/// A command as a value that can run.
class Command {
 public:
  virtual ~Command() = default;

  /// Where the flags go that every command has.
  virtual CommonOptions& common() = 0;
  /// Declares the others. They set the command itself, which must live until `flags` finish, as
  /// must `flags`.
  virtual void AddFlags(FlagSet& flags) = 0;

  /// Does it and returns the exit code. Throws kube::base::Error.
  virtual int Run() = 0;
};

/// A command whose flags and arguments set `Options`, which have a member `common`. It is two
/// functions: `DeclareFlags(FlagSet&, Options&)` and `int RunCommand(Options&)`.
template <typename Options>
class CommandWith final : public Command {
 public:
  CommonOptions& common() override { return options_.common; }
  void AddFlags(FlagSet& flags) override { DeclareFlags(flags, options_); }
  int Run() override { return RunCommand(options_); }
  const Options& options() const { return options_; }

 private:
  Options options_;
};

/// What an argument of a command names, for completion.
enum class ArgumentKind {
  kNone,
  kCrd,
  kCrdOrObject,  ///< CRD, or CRD/NAME
  kFileThenCrdOrObject,
  kNamespace,
  kCommand,  ///< a single one
  kShell,    ///< a single one, that of `completion`
};

/// All that the parser, the help, the completion and main know of a command.
struct CommandRow {
  std::string_view name;
  std::string_view summary;  ///< one line of the program's help
  /// Its help, in which the line "{flags}" stands for those of its flags; empty: the program's.
  std::string_view help;
  /// The null pointer where the command does nothing but print help.
  std::unique_ptr<Command> (*make)() = nullptr;
  ArgumentKind arguments = ArgumentKind::kNone;
  Patience patience = Patience::kNone;
};

/// For CommandRow::make.
template <typename Options>
std::unique_ptr<Command> Make() {
  return std::make_unique<CommandWith<Options>>();
}

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
