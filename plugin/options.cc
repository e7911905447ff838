#include "plugin/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <initializer_list>
#include <optional>

#include "kube/schema/go_format.h"
#include "plugin/flag_syntax.h"
#include "plugin/suggestions.h"

namespace plugin {
namespace {

namespace po = boost::program_options;
using kube::schema::GoQuote;

constexpr std::string_view kCommands[] = {"check", "help", "migrate", "version"};

std::string CommandPath(std::string_view command) {
  std::string path = "kubectl prune";
  if (!command.empty()) path.append(" ").append(command);
  return path;
}

/// The flags of a command, and the variables that take their values.
class FlagSet {
 public:
  void Bool(std::string name, char shorthand, bool& target) {
    Add(std::move(name), shorthand, FlagKind::kBool, po::value<bool>(&target));
  }
  void Int(std::string name, char shorthand, int& target) {
    Add(std::move(name), shorthand, FlagKind::kInt, po::value<int>(&target));
  }
  void String(std::string name, char shorthand, std::string& target) {
    Add(std::move(name), shorthand, FlagKind::kString, po::value<std::string>(&target));
  }
  void Strings(std::string name, char shorthand, std::vector<std::string>& target) {
    Add(std::move(name), shorthand, FlagKind::kStrings,
        po::value<std::vector<std::string>>(&target));
  }

  /// Sets the variables and returns the arguments.
  std::vector<std::string> Parse(std::string_view command, std::span<const std::string> words) {
    auto normal = ParseFlags(words, flags_);
    if (!normal) throw UsageError(command, normal.error());
    // Already in one form, so Boost's own spelling rules and guesses have no part in it.
    po::parsed_options parsed(&description_);
    for (const FlagValue& flag : normal->flags) {
      parsed.options.emplace_back(flag.name, std::vector<std::string>{flag.value});
    }
    po::variables_map values;
    po::store(parsed, values);
    po::notify(values);
    return std::move(normal->arguments);
  }

  const std::vector<Flag>& flags() const { return flags_; }

 private:
  void Add(std::string name, char shorthand, FlagKind kind, const po::value_semantic* semantic) {
    description_.add_options()(name.c_str(), semantic);
    flags_.push_back({std::move(name), shorthand, kind});
  }

  po::options_description description_;
  std::vector<Flag> flags_;
};

// Values that are read further once all flags are known.
struct RawValues {
  bool help = false;
  std::string output;
  std::vector<std::string> fail_on;
};

void AddCommonFlags(FlagSet& flags, CommonOptions& options, RawValues& raw) {
  flags.Bool("help", 'h', raw.help);
  flags.Int("v", 'v', options.verbosity);
}

void AddInputFlags(FlagSet& flags, InputOptions& options) {
  flags.Strings("filename", 'f', options.filenames);
  flags.Bool("recursive", 'R', options.recursive);
  flags.Bool("local", 0, options.local);
}

void AddFlags(FlagSet& flags, CheckOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  AddInputFlags(flags, options.input);
  flags.String("output", 'o', raw.output);
  flags.Bool("show-objects", 0, options.show_objects);
  flags.Bool("skip-objects", 0, options.skip_objects);
  flags.Bool("all-objects", 0, options.all_objects);
  flags.Strings("fail-on", 0, raw.fail_on);
  flags.Strings("ignore", 0, options.ignore);
  flags.Bool("no-headers", 0, options.no_headers);
}

void AddFlags(FlagSet& flags, MigrateOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  AddInputFlags(flags, options.input);
  flags.String("output", 'o', raw.output);
  flags.Bool("enable-pruning", 0, options.enable_pruning);
}

void AddFlags(FlagSet& flags, VersionOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  flags.String("output", 'o', raw.output);
  flags.Bool("client", 0, options.client);
}

std::string ToLower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct NamedFormat {
  std::string_view name;
  OutputFormat format;
};

// In any case of letters, as kubectl. `formats` are sorted by name. Empty is `otherwise`.
OutputFormat ParseOutput(std::string_view command, const std::string& text, OutputFormat otherwise,
                         std::initializer_list<NamedFormat> formats) {
  if (text.empty()) return otherwise;
  const std::string wanted = ToLower(text);
  std::string allowed;
  for (const NamedFormat& named : formats) {
    if (named.name == wanted) return named.format;
    allowed.append(allowed.empty() ? "" : ",").append(named.name);
  }
  throw UsageError(command, "unable to match a printer suitable for the output format " +
                                GoQuote(text) + ", allowed formats are: " + allowed);
}

FailOn ParseFailOn(const std::vector<std::string>& words) {
  if (words.empty()) return FailOn();
  FailOn result{.blocked = false, .loses_fields = false, .migration_needed = false};
  for (const std::string& word : words) {
    if (word == "blocked") {
      result.blocked = true;
    } else if (word == "loses-fields") {
      result.loses_fields = true;
    } else if (word == "migration-needed") {
      result.migration_needed = true;
    } else if (word != "none") {
      throw UsageError("check", "invalid --fail-on value (" + word +
                                    "), must be \"blocked\", \"loses-fields\", "
                                    "\"migration-needed\" or \"none\"");
    } else if (words.size() > 1) {
      throw UsageError("check", "--fail-on=none cannot be combined with other values");
    }
  }
  return result;
}

void RequireFilesIfLocal(std::string_view command, const InputOptions& input) {
  if (!input.local || !input.filenames.empty()) return;
  throw UsageError(command,
                   "--local contacts no server, so CRDs and objects must be given with -f FILE");
}

void RefuseBoth(std::string_view command, bool a, std::string_view a_name, bool b,
                std::string_view b_name) {
  if (!a || !b) return;
  throw UsageError(command, std::string(a_name).append(" and ").append(b_name) +
                                " cannot be specified together");
}

// Completes and validates what the flags set.
void Finish(CheckOptions& options, const RawValues& raw) {
  options.output = ParseOutput("check", raw.output, OutputFormat::kTable,
                               {{"json", OutputFormat::kJson},
                                {"name", OutputFormat::kName},
                                {"table", OutputFormat::kTable},
                                {"wide", OutputFormat::kWide},
                                {"yaml", OutputFormat::kYaml}});
  options.fail_on = ParseFailOn(raw.fail_on);
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.all_objects, "--all-objects");
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.show_objects,
             "--show-objects");
  RequireFilesIfLocal("check", options.input);
}

void Finish(MigrateOptions& options, const RawValues& raw) {
  options.output = ParseOutput("migrate", raw.output, OutputFormat::kYaml,
                               {{"json", OutputFormat::kJson}, {"yaml", OutputFormat::kYaml}});
  RequireFilesIfLocal("migrate", options.input);
}

void Finish(VersionOptions& options, const RawValues& raw) {
  if (raw.output.empty()) return;
  if (raw.output != "json" && raw.output != "yaml") {
    throw UsageError("version", "--output must be 'yaml' or 'json'");
  }
  options.output = raw.output == "json" ? OutputFormat::kJson : OutputFormat::kYaml;
}

void TakeArguments(CheckOptions& options, std::vector<std::string> arguments) {
  options.input.crds = std::move(arguments);
}

void TakeArguments(MigrateOptions& options, std::vector<std::string> arguments) {
  options.input.crds = std::move(arguments);
}

void TakeArguments(VersionOptions&, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw UsageError("version", "unknown argument " + GoQuote(arguments[0]));
}

template <typename Options>
Command ParseCommand(std::string_view command, std::span<const std::string> words) {
  Options options;
  RawValues raw;
  FlagSet flags;
  AddFlags(flags, options, raw);
  std::vector<std::string> arguments = flags.Parse(command, words);
  if (raw.help) return HelpOptions{std::string(command)};
  TakeArguments(options, std::move(arguments));
  Finish(options, raw);
  return options;
}

UsageError UnknownCommand(const std::string& word) {
  std::string message = "unknown command " + GoQuote(word) + " for \"kubectl prune\"";
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

// Every flag of every command: enough to tell the command from the value of a flag before it.
std::vector<Flag> AllFlags() {
  CheckOptions check;
  MigrateOptions migrate;
  VersionOptions version;
  RawValues raw;
  FlagSet sets[3];
  AddFlags(sets[0], check, raw);
  AddFlags(sets[1], migrate, raw);
  AddFlags(sets[2], version, raw);
  std::vector<Flag> all;
  for (const FlagSet& set : sets) all.insert(all.end(), set.flags().begin(), set.flags().end());
  return all;
}

}  // namespace

UsageError::UsageError(std::string_view command, const std::string& message)
    : runtime_error(message + "\nSee '" + CommandPath(command) + " --help' for usage.") {}

Command ParseCommandLine(std::span<const std::string> words) {
  const std::size_t place = FindFirstArgument(words, AllFlags());
  if (place == words.size()) return ParseHelp(words);
  const std::string& command = words[place];
  std::vector<std::string> rest(words.begin(), words.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  if (command == "check") return ParseCommand<CheckOptions>(command, rest);
  if (command == "migrate") return ParseCommand<MigrateOptions>(command, rest);
  if (command == "version") return ParseCommand<VersionOptions>(command, rest);
  if (command == "help") return ParseHelp(rest);
  throw UnknownCommand(command);
}

}  // namespace plugin
