#include "plugin/cli/command_line.h"

#include <algorithm>
#include <utility>

#include "kube/base/suggestions.h"
#include "kube/go/go_format.h"
#include "migrate/report/program_name.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;

// A command between the declaration of its flags and its run.
struct Draft {
  explicit Draft(const CommandRow* row) : flags(row ? row->name : "") {
    if (row && row->make) command = row->make();
    AddCommonFlags(flags, common(), asks_for_help, row ? row->patience : Patience::kNone);
    if (command) command->AddFlags(flags);
  }

  CommonOptions& common() { return command ? command->common() : helped; }

  std::unique_ptr<Command> command;  // the null pointer: it only prints help
  CommonOptions helped;              // of what only prints help
  bool asks_for_help = false;
  FlagSet flags;
};

CommandLine ParseCommand(const CommandRow& row, std::span<const std::string> words) {
  Draft draft(&row);
  std::vector<std::string> arguments = draft.flags.Parse(words);
  if (draft.asks_for_help || !draft.command) return {.command = nullptr, .help = &row};
  draft.flags.Finish(std::move(arguments));
  return {.command = std::move(draft.command)};
}

UsageError UnknownCommand(CommandRows commands, const std::string& word) {
  std::string message = "unknown command " + GoQuote(word) + " for " +
                        GoQuote(migrate::report::OwnProgramName().command);
  std::vector<std::string_view> names;
  for (const CommandRow& row : commands) names.push_back(row.name);
  const std::vector<std::string_view> suggestions = kube::base::Suggest(word, names);
  if (!suggestions.empty()) message += "\n\nDid you mean this?\n";
  for (const std::string_view suggestion : suggestions) {
    message.append("\t").append(suggestion).append("\n");
  }
  return UsageError("", message);
}

const CommandRow& KnownCommand(CommandRows commands, const std::string& word) {
  if (const CommandRow* row = FindCommand(commands, word)) return *row;
  throw UnknownCommand(commands, word);
}

CommandLine ParseHelp(CommandRows commands, std::span<const std::string> words) {
  Draft draft(nullptr);
  const std::vector<std::string> arguments = draft.flags.Parse(words);
  if (arguments.empty()) return {};
  return {.command = nullptr, .help = &KnownCommand(commands, arguments[0])};
}

}  // namespace

const CommandRow* FindCommand(CommandRows commands, std::string_view name) {
  const auto row = std::ranges::find(commands, name, &CommandRow::name);
  return row == commands.end() ? nullptr : &*row;
}

std::vector<Flag> FlagsOf(const CommandRow* command) { return Draft(command).flags.flags(); }

std::vector<Flag> AllFlags(CommandRows commands) {
  std::vector<Flag> all;
  for (const CommandRow& row : commands) {
    for (Flag& flag : FlagsOf(&row)) all.push_back(std::move(flag));
  }
  return all;
}

CommonOptions ParseCommonOptions(const CommandRow* command, std::span<const std::string> words) {
  Draft draft(command);
  draft.flags.Parse(words);
  draft.flags.FinishCommon();
  return std::move(draft.common());
}

CommandLine ParseCommandLine(CommandRows commands, std::span<const std::string> words) {
  // Enough to tell the command from the value of a flag before it.
  const std::size_t place = FindFirstArgument(words, AllFlags(commands));
  if (place == words.size()) return ParseHelp(commands, words);
  const std::string& name = words[place];
  std::vector<std::string> rest(words.begin(), words.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  if (name == "help") return ParseHelp(commands, rest);
  return ParseCommand(KnownCommand(commands, name), rest);
}

}  // namespace plugin::cli
