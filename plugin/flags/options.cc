#include "plugin/flags/options.h"

#include <algorithm>

#include "kube/go/go_format.h"
#include "migrate/crds/crd_names.h"
#include "migrate/report/program_name.h"
#include "plugin/flags/command_flags.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/suggestions.h"

namespace plugin::flags {
namespace {

using kube::go::GoQuote;

void TakeArguments(CheckOptions& options, std::vector<std::string> arguments) {
  options.input.crds = std::move(arguments);
}

// CRD or CRD/NAME, in the words of kubectl (cli-runtime pkg/resource/builder.go).
migrate::inspect::DiffTarget ParseTarget(const std::string& argument) {
  const std::string_view text = migrate::crds::WithoutCrdType(argument);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {std::string(text), ""};
  const std::string_view name = text.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) {
    throw UsageError("diff", "arguments in resource/name form may not have more than one slash");
  }
  if (slash == 0 || name.empty()) {
    throw UsageError("diff",
                     "arguments in resource/name form must have a single resource and name");
  }
  return {std::string(text.substr(0, slash)), std::string(name)};
}

void TakeArguments(DiffOptions& options, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) options.targets.push_back(ParseTarget(argument));
}

void TakeArguments(MigrateOptions& options, std::vector<std::string> arguments) {
  options.input.crds = std::move(arguments);
}

void TakeArguments(VersionOptions&, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw UsageError("version", "unknown argument " + GoQuote(arguments[0]));
}

void TakeArguments(CompletionOptions& options, const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    throw UsageError("completion", arguments.empty() ? "Shell not specified."
                                                     : "Too many arguments. Expected only the "
                                                       "shell type.");
  }
  options.shell = arguments[0];
  if (std::ranges::find(kShells, options.shell) != std::end(kShells)) return;
  throw UsageError("completion", "Unsupported shell type " + GoQuote(options.shell) + ".");
}

template <typename Options>
Command ParseCommand(std::string_view command, std::span<const std::string> words) {
  Options options;
  RawValues raw;
  FlagSet flags;
  AddFlags(flags, options, raw);
  std::vector<std::string> arguments = flags.Parse(command, words);
  raw.has_filename = flags.IsGiven("filename");
  raw.has_fail_on = flags.IsGiven("fail-on");
  raw.has_chunk_size = flags.IsGiven("chunk-size");
  if (raw.help) return HelpOptions{std::string(command)};
  TakeArguments(options, std::move(arguments));
  Finish(command, options.common, raw);
  Finish(options, raw);
  return options;
}

UsageError UnknownCommand(const std::string& word) {
  std::string message = "unknown command " + GoQuote(word) + " for " +
                        GoQuote(migrate::report::OwnProgramName().command);
  const std::vector<std::string_view> suggestions = Suggest(word, kCommands);
  if (!suggestions.empty()) message += "\n\nDid you mean this?\n";
  for (const std::string_view suggestion : suggestions) {
    message.append("\t").append(suggestion).append("\n");
  }
  return UsageError("", message);
}

Command ParseHelp(std::span<const std::string> words) {
  CommonOptions common;
  RawValues raw;
  FlagSet flags;
  AddCommonFlags(flags, common, raw);
  const std::vector<std::string> arguments = flags.Parse("", words);
  if (arguments.empty()) return HelpOptions{};
  if (std::ranges::find(kCommands, arguments[0]) == std::end(kCommands)) {
    throw UnknownCommand(arguments[0]);
  }
  return HelpOptions{arguments[0]};
}

// `kubectl prune options`, as `kubectl options`: help, whatever else is there.
Command ParseOptions(std::span<const std::string> words) {
  CommonOptions common;
  RawValues raw;
  FlagSet flags;
  AddCommonFlags(flags, common, raw);
  flags.Parse("options", words);
  return HelpOptions{"options"};
}

// What a command line of some command sets, where only a part of it is wanted.
struct AnyOptions {
  CheckOptions check;
  DiffOptions diff;
  MigrateOptions migrate;
  VersionOptions version;
  CommonOptions common;
  RawValues raw;
};

// The flags of `command`, which set `options`; returns what they set of the common ones.
CommonOptions& AddFlagsOf(std::string_view command, FlagSet& flags, AnyOptions& options) {
  if (command == "check") {
    AddFlags(flags, options.check, options.raw);
    return options.check.common;
  }
  if (command == "diff") {
    AddFlags(flags, options.diff, options.raw);
    return options.diff.common;
  }
  if (command == "migrate") {
    AddFlags(flags, options.migrate, options.raw);
    return options.migrate.common;
  }
  if (command == "version") {
    AddFlags(flags, options.version, options.raw);
    return options.version.common;
  }
  AddCommonFlags(flags, options.common, options.raw);
  return options.common;
}

}  // namespace

std::vector<Flag> FlagsOf(std::string_view command) {
  FlagSet flags;
  AnyOptions options;
  AddFlagsOf(command, flags, options);
  return flags.flags();
}

CommonOptions ParseCommonOptions(std::string_view command, std::span<const std::string> words) {
  FlagSet flags;
  AnyOptions options;
  CommonOptions& common = AddFlagsOf(command, flags, options);
  flags.Parse(command, words);
  Finish(command, common, options.raw);
  return common;
}

std::vector<Flag> AllFlags() {
  std::vector<Flag> all;
  for (const std::string_view command : kCommands) {
    for (Flag& flag : FlagsOf(command)) all.push_back(std::move(flag));
  }
  return all;
}

Command ParseCommandLine(std::span<const std::string> words) {
  if (!words.empty() && words[0] == "__complete") {
    return CompleteOptions{{words.begin() + 1, words.end()}};
  }
  // Enough to tell the command from the value of a flag before it.
  const std::size_t place = FindFirstArgument(words, AllFlags());
  if (place == words.size()) return ParseHelp(words);
  const std::string& command = words[place];
  std::vector<std::string> rest(words.begin(), words.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  if (command == "check") return ParseCommand<CheckOptions>(command, rest);
  if (command == "diff") return ParseCommand<DiffOptions>(command, rest);
  if (command == "migrate") return ParseCommand<MigrateOptions>(command, rest);
  if (command == "version") return ParseCommand<VersionOptions>(command, rest);
  if (command == "completion") return ParseCommand<CompletionOptions>(command, rest);
  if (command == "help") return ParseHelp(rest);
  if (command == "options") return ParseOptions(rest);
  throw UnknownCommand(command);
}

}  // namespace plugin::flags
