#include "plugin/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "kube/field_selector.h"
#include "kube/go_duration.h"
#include "kube/label_selector.h"
#include "kube/schema/field_errors.h"
#include "kube/schema/go_format.h"
#include "kube/schema/names.h"
#include "migrate/crd_names.h"
#include "plugin/flag_syntax.h"
#include "plugin/migrate_options.h"
#include "plugin/suggestions.h"

namespace plugin {
namespace {

namespace po = boost::program_options;
using kube::schema::GoQuote;

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
  void Int64(std::string name, char shorthand, std::int64_t& target) {
    Add(std::move(name), shorthand, FlagKind::kInt64, po::value<std::int64_t>(&target));
  }
  void String(std::string name, char shorthand, std::string& target) {
    Add(std::move(name), shorthand, FlagKind::kString, po::value<std::string>(&target));
  }
  /// `value_of_bare` as Flag::value_of_bare.
  void OptionalString(std::string name, std::string& target, std::string value_of_bare) {
    String(std::move(name), 0, target);
    flags_.back().value_of_bare = std::move(value_of_bare);
  }
  void Strings(std::string name, char shorthand, std::vector<std::string>& target) {
    Add(std::move(name), shorthand, FlagKind::kStrings,
        po::value<std::vector<std::string>>(&target));
  }
  void Array(std::string name, char shorthand, std::vector<std::string>& target) {
    Add(std::move(name), shorthand, FlagKind::kArray, po::value<std::vector<std::string>>(&target));
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
    given_ = std::move(normal->given);
    return std::move(normal->arguments);
  }

  const std::vector<Flag>& flags() const { return flags_; }
  /// True for a flag that Parse found, whatever its value.
  bool IsGiven(const std::string& name) const { return given_.contains(name); }

 private:
  void Add(std::string name, char shorthand, FlagKind kind, const po::value_semantic* semantic) {
    description_.add_options()(name.c_str(), semantic);
    flags_.push_back({std::move(name), shorthand, kind});
  }

  po::options_description description_;
  std::vector<Flag> flags_;
  std::set<std::string> given_;
};

// Flags of kubectl that change nothing here: no cache is kept, no log is buffered, no line of it
// belongs to a file of Go, and no profile is taken.
struct IgnoredValues {
  std::string cache_dir, log_flush_frequency, vmodule, profile_output;
};

// Values that are read further once all flags are known.
struct RawValues {
  bool help = false;
  std::string output;
  std::vector<std::string> fail_on;
  bool has_filename = false, has_fail_on = false;  // given, if only as ""
  bool all_namespaces = false;
  std::string request_timeout;
  std::vector<std::string> as_user_extra;
  bool allow_missing_keys = true;
  std::string profile = "none";
  IgnoredValues ignored;
  RawMigrateValues migrate;
};

void AddServerFlags(FlagSet& flags, kube::ConnectionFlags& connection) {
  flags.String("server", 's', connection.server);
  flags.String("tls-server-name", 0, connection.tls_server_name);
  flags.String("certificate-authority", 0, connection.certificate_authority);
  flags.Bool("insecure-skip-tls-verify", 0, connection.insecure_skip_tls_verify);
  flags.Bool("disable-compression", 0, connection.disable_compression);
}

void AddUserFlags(FlagSet& flags, kube::ConnectionFlags& connection) {
  flags.String("client-certificate", 0, connection.client_certificate);
  flags.String("client-key", 0, connection.client_key);
  flags.String("token", 0, connection.token);
  flags.String("username", 0, connection.username);
  flags.String("password", 0, connection.password);
  flags.String("as", 0, connection.as);
  flags.String("as-uid", 0, connection.as_uid);
  flags.Array("as-group", 0, connection.as_groups);
}

void AddConnectionFlags(FlagSet& flags, kube::ConnectionFlags& connection, RawValues& raw) {
  flags.String("kubeconfig", 0, connection.kubeconfig);
  flags.String("context", 0, connection.context);
  flags.String("cluster", 0, connection.cluster);
  flags.String("user", 0, connection.user);
  flags.String("namespace", 'n', connection.namespace_);
  flags.String("request-timeout", 0, raw.request_timeout);
  flags.String("cache-dir", 0, raw.ignored.cache_dir);
  AddServerFlags(flags, connection);
  AddUserFlags(flags, connection);
  flags.Array("as-user-extra", 0, raw.as_user_extra);
}

void AddCommonFlags(FlagSet& flags, CommonOptions& options, RawValues& raw) {
  AddConnectionFlags(flags, options.connection, raw);
  flags.Bool("help", 'h', raw.help);
  flags.Int("v", 'v', options.verbosity);
  flags.Bool("match-server-version", 0, options.match_server_version);
  flags.Bool("warnings-as-errors", 0, options.warnings_as_errors);
  flags.String("profile", 0, raw.profile);
  flags.String("profile-output", 0, raw.ignored.profile_output);
  flags.String("log-flush-frequency", 0, raw.ignored.log_flush_frequency);
  flags.String("vmodule", 0, raw.ignored.vmodule);
}

void AddReportFlags(FlagSet& flags, RawValues& raw) {
  flags.String("output", 'o', raw.output);
  flags.Bool("allow-missing-template-keys", 0, raw.allow_missing_keys);
}

void AddInputFlags(FlagSet& flags, InputOptions& options) {
  flags.Strings("filename", 'f', options.filenames);
  flags.Bool("recursive", 'R', options.recursive);
  flags.Bool("local", 0, options.local);
}

void AddObjectFlags(FlagSet& flags, ObjectOptions& options, RawValues& raw) {
  flags.Bool("all-namespaces", 'A', raw.all_namespaces);
  flags.String("selector", 'l', options.selector);
  flags.String("field-selector", 0, options.field_selector);
  flags.Int64("chunk-size", 0, options.chunk_size);
}

void AddFlags(FlagSet& flags, CheckOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  AddInputFlags(flags, options.input);
  AddReportFlags(flags, raw);
  flags.Bool("show-objects", 0, options.show_objects);
  flags.Bool("skip-objects", 0, options.skip_objects);
  flags.Bool("all-objects", 0, options.all_objects);
  flags.Strings("fail-on", 0, raw.fail_on);
  flags.Strings("ignore", 0, options.ignore);
  flags.Bool("no-headers", 0, options.no_headers);
  AddObjectFlags(flags, options.objects, raw);
  flags.String("crd-selector", 0, options.crd_selector);
}

void AddFlags(FlagSet& flags, DiffOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  AddInputFlags(flags, options.input);
  AddObjectFlags(flags, options.objects, raw);
  flags.String("crd-selector", 0, options.crd_selector);
  flags.String("version", 0, options.version);
  flags.Bool("show-managed-fields", 0, options.show_managed_fields);
}

void AddPruningFlags(FlagSet& flags, MigrateOptions& options, RawValues& raw) {
  flags.Bool("enable-pruning", 0, options.enable_pruning);
  flags.Bool("yes", 'y', options.yes);
  flags.Bool("single-pass", 0, options.single_pass);
  flags.String("backup-dir", 0, options.backup_dir);
  flags.Bool("no-backup", 0, options.no_backup);
  flags.Bool("rewrite-unbacked", 0, options.rewrite_unbacked);
  flags.String("settle-timeout", 0, raw.migrate.settle_timeout);
}

void AddFlags(FlagSet& flags, MigrateOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  AddInputFlags(flags, options.input);
  AddObjectFlags(flags, options.objects, raw);
  AddPruningFlags(flags, options, raw);
  AddReportFlags(flags, raw);
  flags.Bool("show-managed-fields", 0, options.show_managed_fields);
  flags.Bool("all", 0, options.all);
  flags.String("crd-selector", 0, options.crd_selector);
  flags.OptionalString("dry-run", raw.migrate.dry_run, std::string(kBareDryRun));
  flags.Int("concurrency", 0, options.concurrency);
  flags.String("max-rate", 0, raw.migrate.max_rate);
  flags.Bool("verify", 0, options.verify);
  flags.Bool("keep-stored-versions", 0, options.keep_stored_versions);
  flags.String("state-dir", 0, options.state_dir);
  flags.String("retry-from", 0, options.retry_from);
}

void AddFlags(FlagSet& flags, VersionOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
  flags.String("output", 'o', raw.output);
  flags.Bool("client", 0, options.client);
}

void AddFlags(FlagSet& flags, CompletionOptions& options, RawValues& raw) {
  AddCommonFlags(flags, options.common, raw);
}

// In pflag's words. `flag` as it names it: "-l, --selector".
UsageError InvalidArgument(std::string_view command, std::string_view flag,
                           const std::string& value, const std::string& why) {
  return UsageError(
      command, "invalid argument " + GoQuote(value) + " for " + GoQuote(flag) + " flag: " + why);
}

std::string ToLower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct NamedFormat {
  std::string_view name;
  OutputFormat format;
};

constexpr NamedFormat kJsonFormat{"json", OutputFormat::kJson};
constexpr NamedFormat kJsonPathFormat{"jsonpath", OutputFormat::kTemplate};
constexpr NamedFormat kJsonPathAsJsonFormat{"jsonpath-as-json", OutputFormat::kTemplate};
constexpr NamedFormat kJsonPathFileFormat{"jsonpath-file", OutputFormat::kTemplate};
constexpr NamedFormat kNameFormat{"name", OutputFormat::kName};
constexpr NamedFormat kYamlFormat{"yaml", OutputFormat::kYaml};

// In any case of letters, but for templates, as kubectl. `formats` are sorted by name. Empty is
// `otherwise`.
OutputFormat ParseOutput(std::string_view command, const std::string& text, OutputFormat otherwise,
                         std::initializer_list<NamedFormat> formats) {
  if (text.empty()) return otherwise;
  const std::string name = text.substr(0, text.find('='));
  const std::string wanted = ToLower(text);
  std::string allowed;
  for (const NamedFormat& named : formats) {
    const bool is_template = named.format == OutputFormat::kTemplate;
    if (named.name == (is_template ? name : wanted)) return named.format;
    allowed.append(allowed.empty() ? "" : ",").append(named.name);
  }
  throw UsageError(command, "unable to match a printer suitable for the output format " +
                                GoQuote(text) + ", allowed formats are: " + allowed);
}

// The template in "jsonpath=TEMPLATE" and its like.
TemplateOutput ParseTemplate(std::string_view command, const RawValues& raw) {
  const std::size_t equals = raw.output.find('=');
  const std::string format = raw.output.substr(0, equals);
  std::string value;
  if (equals != std::string::npos) value = raw.output.substr(equals + 1);
  if (value.empty()) throw UsageError(command, "template format specified but no template given");
  TemplateOutput result;
  (format == kJsonPathFileFormat.name ? result.file : result.text) = std::move(value);
  result.as_json = format == kJsonPathAsJsonFormat.name;
  result.allow_missing_keys = raw.allow_missing_keys;
  return result;
}

UsageError InvalidFailOn(const std::string& word) {
  return UsageError("check", "invalid --fail-on value (" + word +
                                 "), must be \"blocked\", \"loses-fields\", "
                                 "\"migration-needed\" or \"none\"");
}

FailOn ParseFailOn(const std::vector<std::string>& words) {
  FailOn result{.blocked = false, .loses_fields = false, .migration_needed = false};
  for (const std::string& word : words) {
    if (word == "blocked") {
      result.blocked = true;
    } else if (word == "loses-fields") {
      result.loses_fields = true;
    } else if (word == "migration-needed") {
      result.migration_needed = true;
    } else if (word != "none") {
      throw InvalidFailOn(word);
    } else if (words.size() > 1) {
      throw UsageError("check", "--fail-on=none cannot be combined with other values");
    }
  }
  return result;
}

void RequireFiles(std::string_view command, const InputOptions& input, const RawValues& raw) {
  if (raw.has_filename && input.filenames.empty()) {
    throw UsageError(command, "-f must name a file or folder, or be - for the standard input");
  }
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

std::chrono::nanoseconds ParseTimeout(std::string_view command, const std::string& text) {
  const auto timeout = kube::ParseRequestTimeout(text);
  if (timeout) return *timeout;
  throw UsageError(command,
                   "Invalid timeout value. Timeout must be a single integer in seconds, or an "
                   "integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
}

// "key=value" each; a key may have several values.
std::map<std::string, std::vector<std::string>> ParseUserExtra(
    std::string_view command, const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument(command, "--as-user-extra", text, "must be of the form key=value");
    }
    extra[text.substr(0, equals)].push_back(text.substr(equals + 1));
  }
  return extra;
}

// A profile of kubectl is one of Go's runtime: there is none here, and who asks for one should
// know.
void RefuseProfile(std::string_view command, const std::string& name) {
  if (name == "none") return;
  for (const char* known : {"cpu", "heap", "goroutine", "threadcreate", "block", "mutex"}) {
    if (name == known) {
      throw UsageError(command, "--profile=" + name +
                                    " asks for a profile of Go's runtime, which " +
                                    "this program does not have; leave --profile out");
    }
  }
  throw UsageError(command, "unknown profile '" + name + "'");
}

void Finish(std::string_view command, CommonOptions& options, const RawValues& raw) {
  kube::ConnectionFlags& connection = options.connection;
  RefuseProfile(command, raw.profile);
  const std::string& flush = raw.ignored.log_flush_frequency;
  if (!flush.empty() && !kube::ParseGoDuration(flush)) {
    throw InvalidArgument(command, "--log-flush-frequency", flush,
                          "time: invalid duration " + GoQuote(flush));
  }
  if (!raw.request_timeout.empty()) {
    connection.request_timeout = ParseTimeout(command, raw.request_timeout);
  }
  connection.as_user_extra = ParseUserExtra(command, raw.as_user_extra);
}

void ValidateLabelSelector(std::string_view command, std::string_view flag,
                           const std::string& selector) {
  const auto problem = kube::LabelSelectorProblem(selector);
  if (problem) throw InvalidArgument(command, flag, selector, *problem);
}

void ValidateFieldSelector(std::string_view command, std::string_view flag,
                           const std::string& selector) {
  const auto problem = kube::FieldSelectorProblem(selector);
  if (problem) throw InvalidArgument(command, flag, selector, *problem);
}

// What client-go takes as a segment of a path (rest.Request.Namespace); whether a namespace can
// have the name is for the server to say.
void ValidateNamespace(std::string_view command, const std::string& name) {
  const auto problems = kube::schema::PathSegmentProblems(name, /*is_prefix=*/false);
  if (problems.empty()) return;
  throw UsageError(command, "invalid namespace " + GoQuote(name) + ": [" +
                                kube::schema::Join(problems, " ") + "]");
}

// -A goes before -n, and no page is asked for by a size below 1, as in kubectl.
void Finish(std::string_view command, ObjectOptions& options,
            const kube::ConnectionFlags& connection, const RawValues& raw) {
  ValidateLabelSelector(command, "-l, --selector", options.selector);
  ValidateFieldSelector(command, "--field-selector", options.field_selector);
  if (!raw.all_namespaces) options.namespace_ = connection.namespace_;
  ValidateNamespace(command, options.namespace_);
  options.chunk_size = std::max<std::int64_t>(options.chunk_size, 0);
}

// In files there is nothing to choose among: all their objects count.
void RefuseIfLocal(std::string_view command, const InputOptions& input,
                   const ObjectOptions& objects, const std::string& crd_selector) {
  const auto refuse = [&](const std::string& value, std::string_view name) {
    RefuseBoth(command, input.local, "--local", !value.empty(), name);
  };
  refuse(objects.namespace_, "--namespace");
  refuse(objects.selector, "--selector");
  refuse(objects.field_selector, "--field-selector");
  refuse(crd_selector, "--crd-selector");
}

// Completes and validates what the flags set.
void Finish(CheckOptions& options, const RawValues& raw) {
  Finish("check", options.objects, options.common.connection, raw);
  ValidateLabelSelector("check", "--crd-selector", options.crd_selector);
  options.output = ParseOutput("check", raw.output, OutputFormat::kTable,
                               {kJsonFormat,
                                kJsonPathFormat,
                                kJsonPathAsJsonFormat,
                                kJsonPathFileFormat,
                                kNameFormat,
                                {"table", OutputFormat::kTable},
                                {"wide", OutputFormat::kWide},
                                kYamlFormat});
  if (options.output == OutputFormat::kTemplate) {
    options.output_template = ParseTemplate("check", raw);
  }
  if (raw.has_fail_on && raw.fail_on.empty()) throw InvalidFailOn("");
  if (raw.has_fail_on) options.fail_on = ParseFailOn(raw.fail_on);
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.all_objects, "--all-objects");
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.show_objects,
             "--show-objects");
  RefuseIfLocal("check", options.input, options.objects, options.crd_selector);
  RefuseBoth("check", options.input.local, "--local", options.all_objects, "--all-objects");
  RequireFiles("check", options.input, raw);
}

void Finish(DiffOptions& options, const RawValues& raw) {
  Finish("diff", options.objects, options.common.connection, raw);
  ValidateLabelSelector("diff", "--crd-selector", options.crd_selector);
  const bool names_object = std::ranges::any_of(
      options.targets, [](const migrate::DiffTarget& target) { return !target.object.empty(); });
  if (names_object && !(options.objects.selector + options.objects.field_selector).empty()) {
    throw UsageError("diff",
                     "selectors and the all flag cannot be used when passing resource/name "
                     "arguments");
  }
  RefuseIfLocal("diff", options.input, options.objects, options.crd_selector);
  RequireFiles("diff", options.input, raw);
}

OutputFormat ParseMigrateOutput(const std::string& text, bool local) {
  if (local) {
    return ParseOutput("migrate", text, OutputFormat::kYaml, {kJsonFormat, kYamlFormat});
  }
  return ParseOutput("migrate", text, OutputFormat::kTable,
                     {kJsonFormat, kJsonPathFormat, kJsonPathAsJsonFormat, kJsonPathFileFormat,
                      kNameFormat, kYamlFormat});
}

void Finish(MigrateOptions& options, const RawValues& raw) {
  options.output = ParseMigrateOutput(raw.output, options.input.local);
  if (options.output == OutputFormat::kTemplate) {
    options.output_template = ParseTemplate("migrate", raw);
  }
  RequireFiles("migrate", options.input, raw);
  Finish("migrate", options.objects, options.common.connection, raw);
  ValidateLabelSelector("migrate", "--crd-selector", options.crd_selector);
  FinishMigrateOptions(options, raw.migrate);
}

void Finish(VersionOptions& options, const RawValues& raw) {
  if (raw.output.empty()) return;
  if (raw.output != "json" && raw.output != "yaml") {
    throw UsageError("version", "--output must be 'yaml' or 'json'");
  }
  options.output = raw.output == "json" ? OutputFormat::kJson : OutputFormat::kYaml;
}

void Finish(CompletionOptions&, const RawValues&) {}

void TakeArguments(CheckOptions& options, std::vector<std::string> arguments) {
  options.input.crds = std::move(arguments);
}

// CRD or CRD/NAME, in the words of kubectl (cli-runtime pkg/resource/builder.go).
migrate::DiffTarget ParseTarget(const std::string& argument) {
  const std::string_view text = migrate::WithoutCrdType(argument);
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
  if (raw.help) return HelpOptions{std::string(command)};
  TakeArguments(options, std::move(arguments));
  Finish(command, options.common, raw);
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

UsageError::UsageError(std::string_view command, const std::string& message)
    : runtime_error(message + "\nSee '" + CommandPath(command) + " --help' for usage.") {}

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

}  // namespace plugin
