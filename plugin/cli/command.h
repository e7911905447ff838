#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/command_flags.h"
#include "plugin/cli/flag_set.h"
#include "plugin/cli/options.h"

namespace plugin::cli {

/// A command as a value that can run. ParseCommandLine calls AddFlags, SetArguments and Finish
/// once each, in this order.
class Command {
 public:
  virtual ~Command() = default;

  /// Where the flags go that every command has.
  virtual CommonOptions& common() = 0;
  /// Declares the flags that not every command has. They set the command itself, which must live
  /// until `flags` have parsed, and where several commands read a value further, `raw`.
  virtual void AddFlags(FlagSet& flags, RawValues& raw) = 0;
  /// Takes what is neither a flag nor the command's name. Throws UsageError.
  virtual void SetArguments(std::vector<std::string> arguments) = 0;
  /// Completes and validates what the flags have set. Throws UsageError.
  virtual void Finish(const FlagSet& flags, const RawValues& raw) = 0;

  /// Does it and returns the exit code. Throws kube::base::Error.
  virtual int Run() = 0;
};

/// A command whose flags and arguments set `Options`, which have a member `common`.
template <typename Options>
class CommandWith : public Command {
 public:
  CommonOptions& common() override { return options_.common; }
  const Options& options() const { return options_; }

 protected:
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
  std::string_view usage;    ///< its help (plugin/cli/usage.h); empty: the program's
  /// The null pointer where the command does nothing but print help.
  std::unique_ptr<Command> (*make)() = nullptr;
  ArgumentKind arguments = ArgumentKind::kNone;
  std::span<const std::string_view> outputs = {};  ///< values of -o, as completion offers them
};

/// For CommandRow::make.
template <typename T>
std::unique_ptr<Command> Make() {
  return std::make_unique<T>();
}

}  // namespace plugin::cli
