#include "plugin/cli/help.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace plugin::cli {
constexpr std::string_view kOptionsHelp =
    R"(The following options can be passed to any command:

{flags}
Usage:
  kubectl prune options
)";

namespace {

constexpr std::string_view kStart =
    R"(Find out what pruning would remove from custom resources, then migrate them

 "check" reads the CRDs and custom resources of a cluster, or of files, and writes nothing. It
tells what keeps the schemas from being structural, and which fields of which objects would be
lost. Run it before spec.preserveUnknownFields of a CustomResourceDefinition (CRD) is turned off.
"migrate" turns pruning on where it is told to, and rewrites every custom resource. Then etcd holds
all of them pruned and in the storage version, and it proves that.

Available Commands:
)";

constexpr std::string_view kEnd = R"(
Examples:
  # What would the objects of the cluster lose?
  kubectl prune check

  # What would the CRDs and objects of a folder lose?
  kubectl prune check --local -f manifests/ -R

  # What would it change in these objects, line by line?
  kubectl prune diff widgets.demo.example.com

  # Turn pruning on for one CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # Prove that they are clean: nothing is left to rewrite
  kubectl prune migrate widgets.demo.example.com

Exit codes:
  0   clean, or done
  1   findings, or some object that could not be migrated
  2   an error: a wrong flag, a file that cannot be read, a server that does not answer

Usage:
  kubectl prune COMMAND [options]

Use "kubectl prune COMMAND --help" for more information about a command.
Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

constexpr std::size_t kNameWidth = 14;

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

// A shell function may not have every character that a file has.
std::string Identifier(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return text;
}

std::string WithoutKubectl(const std::string& text) {
  return text.substr(std::string_view("kubectl-").size());
}

// The first that fits at a place counts. Folders stay the same: another name for the same program
// must find what it left there.
Replacements ReplacementsFor(const migrate::report::ProgramName& name) {
  const std::string completion = "kubectl_complete-" + WithoutKubectl(name.file);
  return {{"kubectl-prune-backup", "kubectl-prune-backup"},
          {"/kubectl-prune", "/kubectl-prune"},
          {"kubectl-prune", name.file},
          {"kubectl_complete-prune", completion},
          {"kubectl_prune", Identifier(name.file)},
          {"kubectl prune", name.command},
          {"\"prune\"", "\"" + WithoutKubectl(name.command) + "\""}};
}

}  // namespace

std::string Renamed(std::string_view text, const migrate::report::ProgramName& name) {
  const Replacements replacements = ReplacementsFor(name);
  std::string result;
  while (!text.empty()) {
    const auto fits = std::ranges::find_if(
        replacements, [&](const auto& replacement) { return text.starts_with(replacement.first); });
    const bool is_found = fits != replacements.end();
    result += is_found ? std::string_view(fits->second) : text.substr(0, 1);
    text.remove_prefix(is_found ? fits->first.size() : 1);
  }
  return result;
}

std::string Usage(std::string_view text) {
  return Renamed(text, migrate::report::OwnProgramName());
}

namespace {

// "    -f, --filename=[]:" and what it does.
std::string HelpOf(const Flag& flag) {
  const std::string shorthand =
      flag.shorthand ? std::string("-") + flag.shorthand + ", " : std::string();
  return "    " + shorthand + "--" + flag.name + "=" + flag.default_text + ":" + flag.help + "\n";
}

// Those of `flags` that are told together, sorted.
std::string FlagHelp(std::vector<Flag> flags, bool are_global) {
  std::ranges::sort(flags, {}, &Flag::name);
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.is_global == are_global) text += HelpOf(flag) + "\n";
  }
  return text;
}

std::string ProgramHelp(CommandRows commands) {
  std::string text(kStart);
  for (const CommandRow& row : commands) {
    text.append("  ").append(row.name).append(kNameWidth - row.name.size(), ' ');
    text.append(row.summary) += '\n';
  }
  return text.append(kEnd);
}

}  // namespace

std::string HelpOf(CommandRows commands, const CommandRow* command) {
  if (!command || command->help.empty()) return Usage(ProgramHelp(commands));
  constexpr std::string_view kFlags = "{flags}\n";
  std::string text(command->help);
  const bool are_global = command->make == nullptr;
  return Usage(
      text.replace(text.find(kFlags), kFlags.size(), FlagHelp(FlagsOf(command), are_global)));
}

}  // namespace plugin::cli
