#include "plugin/command/populate_command.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"
#include "kube/meta/names.h"
#include "migrate/populate/cluster_scope.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/opt_out.h"
#include "migrate/populate/population.h"
#include "migrate/populate/population_files.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/diff_folders.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/version_command.h"
#include "plugin/report/population_lines.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

constexpr char kPopulate[] = "populate";
constexpr int kMostPort = 65535;
constexpr int kNotAllCompared = 2;

// Less than a second is as good as none.
std::chrono::seconds ParseSeconds(std::string_view flag, const std::string& text) {
  return std::chrono::ceil<std::chrono::seconds>(cli::ParseDuration(kPopulate, flag, text));
}

void RefuseInvalidName(const std::string& name) {
  const auto problems = kube::meta::Dns1123LabelProblems(name);
  if (problems.empty()) return;
  throw cli::UsageError(kPopulate, "invalid namespace " + kube::go::GoQuote(name) + ": [" +
                                       kube::base::Join(problems, " ") + "]");
}

migrate::populate::PopulationOptions MakePopulationOptions(const PopulateOptions& options) {
  migrate::populate::PopulationOptions result;
  const std::set<std::string> each_once(options.namespaces.begin(), options.namespaces.end());
  result.namespaces.assign(each_once.begin(), each_once.end());
  result.dry_run = options.diff ? migrate::report::DryRun::kServer : options.dry_run.strategy;
  result.version = kVersion;
  result.concurrency = options.concurrency;
  result.max_rate = options.max_rate;
  result.trusts_creator = options.trusts_creator;
  result.time_of_day = TimeOfDayText;
  return result;
}

migrate::report::PopulationReport PopulateCluster(const PopulateOptions& options,
                                                  migrate::check::ChangeTaker* changes) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  const bool only_reads =
      options.diff || options.dry_run.strategy == migrate::report::DryRun::kClient;
  using Right = ClusterAccess::Right;
  ClusterAccess cluster(options.common, only_reads ? Right::kRead : Right::kWrite, clock,
                        write_line);
  auto population = MakePopulationOptions(options);
  population.changes = changes;
  population.on_line = write_line;
  population.on_progress = [&progress](std::size_t done, std::size_t expected) {
    progress.Show("namespaces", migrate::rewrite::SweepProgress{
                                    .listed = done, .expected = expected, .counts = {}});
  };
  auto report = migrate::populate::Populate(population, cluster.session());
  progress.Clear();
  return report;
}

int RunOnce(const PopulateOptions& options) {
  if (!options.dry_run.warning.empty()) {
    terminal::WriteStderr("Warning: " + options.dry_run.warning + "\n");
  }
  CatchStopSignals();
  const auto output = report::PrintPopulation(PopulateCluster(options, nullptr));
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

int ShowDifferences(const PopulateOptions& options) {
  CatchStopSignals();
  DiffFolders folders;
  const auto report = PopulateCluster(options, &folders);
  if (report.is_interrupted) {
    terminal::WriteStderr(terminal::ErrorText("interrupted: not all objects were read") + "\n");
    return StopExitCode();
  }
  const int code = CompareFolders(folders.live(), folders.merged());
  const auto output = report::PrintPopulation(report);
  terminal::WriteStderr(output.err);
  if (const int stopped = StopExitCode()) return stopped;
  return output.exit_code == 0 ? code : kNotAllCompared;
}

/// What each of them is for; the rest is for all.
constexpr const char* kOnlyLocal[] = {"filename", "output", "recursive"};
constexpr const char* kNotLocal[] = {"concurrency", "max-rate", "trust-creator-annotation"};
constexpr const char* kOnlyService[] = {"leader-elect", "leader-elect-resource-namespace",
                                        "metrics-port", "resync", "webhooks"};

std::vector<std::string> OnlyWebhooks() {
  std::vector<std::string> names = ServingFlagNames();
  names.insert(names.end(), {"ignore-failures", "initialization-timeout", "opt-out-service-account",
                             "persistent"});
  std::ranges::sort(names);
  return names;
}

template <typename Names>
void RefuseGiven(bool is_mode, std::string_view mode, const Names& names,
                 const cli::FlagSet& flag_set) {
  for (const auto& name : names) {
    cli::RefuseBoth(kPopulate, is_mode, mode, flag_set.IsGiven(name), std::string("--") + name);
  }
}

// Of what is in files nothing is written, and what is in a cluster is not printed.
void RefuseOfOther(const PopulateOptions& options, const cli::FlagSet& flag_set) {
  const bool is_local = options.input.local;
  cli::RefuseBoth(kPopulate, options.once, "--once", options.diff, "--diff");
  cli::RefuseBoth(kPopulate, options.once, "--once", is_local, "--local");
  cli::RefuseBoth(kPopulate, options.diff, "--diff", is_local, "--local");
  RefuseGiven(options.once, "--once", kOnlyLocal, flag_set);
  RefuseGiven(options.diff, "--diff", kOnlyLocal, flag_set);
  RefuseGiven(is_local, "--local", kNotLocal, flag_set);
  const std::pair<bool, const char*> modes[] = {
      {options.once, "--once"}, {options.diff, "--diff"}, {is_local, "--local"}};
  for (const auto& [is_mode, mode] : modes) {
    RefuseGiven(is_mode, mode, kOnlyService, flag_set);
    RefuseGiven(is_mode, mode, OnlyWebhooks(), flag_set);
  }
  const bool has_dry_run = flag_set.IsGiven("dry-run");
  cli::RefuseBoth(kPopulate, is_local, "--local", has_dry_run, "--dry-run");
  cli::RefuseBoth(kPopulate, options.diff, "--diff", has_dry_run, "--dry-run");
  if (options.once || options.diff || is_local) return;
  for (const char* name : kOnlyLocal) {
    if (!flag_set.IsGiven(name)) continue;
    throw cli::UsageError(kPopulate, std::string("--") + name + " needs --local");
  }
  if (has_dry_run) throw cli::UsageError(kPopulate, "--dry-run needs --once");
  if (!options.namespaces.empty()) {
    throw cli::UsageError(kPopulate, "names of namespaces need --once, --diff or --local");
  }
}

void RequireFiles(const PopulateOptions& options, const cli::FlagSet& flag_set) {
  if (!flag_set.IsGiven("filename")) {
    throw cli::UsageError(kPopulate, "--local needs -f: the files with NamespaceTemplates");
  }
  cli::RequireFiles(kPopulate, options.input, flag_set);
}

using migrate::populate::WebhookChoice;
using migrate::populate::WebhookOptions;

std::vector<WebhookChoice*> ChoicesOf(const std::string& name, std::string_view flag,
                                      WebhookOptions& webhooks) {
  if (name == "creator") return {&webhooks.creator};
  if (name == "opt-out") return {&webhooks.opt_out};
  if (name == "use") return {&webhooks.use};
  if (name == "initialization") return {&webhooks.initialization};
  if (name == "all") {
    return {&webhooks.creator, &webhooks.opt_out, &webhooks.use, &webhooks.initialization};
  }
  throw cli::UsageError(kPopulate, std::string("invalid ").append(flag) + " value (" + name +
                                       "), must be \"creator\", \"opt-out\", \"use\", "
                                       "\"initialization\" or \"all\"");
}

void Set(bool WebhookChoice::*member, bool value, const std::vector<std::string>& names,
         std::string_view flag, WebhookOptions& webhooks) {
  for (const std::string& name : names) {
    for (WebhookChoice* choice : ChoicesOf(name, flag, webhooks)) choice->*member = value;
  }
}

}  // namespace

void PopulateCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddInputFlags(flag_set, options_.input);
  AddServingFlags(flag_set, options_.service.serving, raw_.reach);
  flag_set.String("output", 'o', raw.output);
  flag_set.Bool("once", 0, options_.once);
  flag_set.Bool("diff", 0, options_.diff);
  flag_set.OptionalString("dry-run", raw_.dry_run, std::string(cli::kBareDryRun));
  flag_set.IntIfGiven("concurrency", options_.concurrency);
  flag_set.String("max-rate", 0, raw_.max_rate);
  flag_set.String("resync", 0, raw_.resync);
  flag_set.Bool("leader-elect", 0, options_.service.leader_elect);
  flag_set.String("leader-elect-resource-namespace", 0, options_.service.lease_namespace);
  flag_set.Int("metrics-port", 0, options_.service.metrics_port);
  flag_set.Strings("webhooks", 0, raw_.webhooks);
  flag_set.Strings("ignore-failures", 0, raw_.ignored_failures);
  flag_set.Array("opt-out-service-account", 0, raw_.opt_out_accounts);
  flag_set.String("initialization-timeout", 0, raw_.initialization_timeout);
  flag_set.Bool("persistent", 0, raw_.persistent);
  flag_set.Bool("trust-creator-annotation", 0, options_.trusts_creator);
}

void PopulateCommand::SetArguments(std::vector<std::string> arguments) {
  options_.namespaces = std::move(arguments);
}

void PopulateCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  if (flag_set.IsGiven("namespace")) {
    throw cli::UsageError(kPopulate,
                          "--namespace has no meaning here; name namespaces as arguments");
  }
  RefuseOfOther(options_, flag_set);
  if (options_.input.local) RequireFiles(options_, flag_set);
  for (const std::string& name : options_.namespaces) RefuseInvalidName(name);
  options_.output = cli::ParsePopulateOutput(raw.output);
  options_.dry_run = cli::ParseDryRun(kPopulate, raw_.dry_run);
  options_.max_rate = cli::ParseMaxRate(kPopulate, raw_.max_rate);
  cli::RequireConcurrency(kPopulate, options_.concurrency);
  if (!options_.once && !options_.diff && !options_.input.local) FinishService(flag_set);
}

void PopulateCommand::FinishService(const cli::FlagSet& flag_set) {
  PopulationServiceOptions& service = options_.service;
  service.concurrency = options_.concurrency;
  service.max_rate = options_.max_rate;
  service.trusts_creator = options_.trusts_creator;
  service.resync = ParseSeconds("--resync", raw_.resync);
  if (service.metrics_port < 0 || service.metrics_port > kMostPort) {
    throw cli::InvalidArgument(kPopulate, "--metrics-port", std::to_string(service.metrics_port),
                               "must be between 0 and 65535");
  }
  const auto problems = kube::meta::Dns1123LabelProblems(service.lease_namespace);
  if (!problems.empty()) {
    throw cli::InvalidArgument(kPopulate, "--leader-elect-resource-namespace",
                               service.lease_namespace, kube::base::Join(problems, " "));
  }
  if (raw_.webhooks.empty()) {
    for (const std::string& name : OnlyWebhooks()) {
      if (!flag_set.IsGiven(name)) continue;
      throw cli::UsageError(kPopulate, "--" + name + " needs --webhooks");
    }
    return;
  }
  FinishWebhooks(service.webhooks.emplace());
  FinishServing(kPopulate, raw_.reach, service.serving);
}

void PopulateCommand::FinishWebhooks(WebhookOptions& webhooks) {
  Set(&WebhookChoice::is_wanted, false, {"all"}, "--webhooks", webhooks);
  Set(&WebhookChoice::is_wanted, true, raw_.webhooks, "--webhooks", webhooks);
  Set(&WebhookChoice::ignore_failures, true, raw_.ignored_failures, "--ignore-failures", webhooks);
  for (const std::string& account : raw_.opt_out_accounts) {
    auto user = migrate::populate::UserOfServiceAccount(account);
    if (!user) {
      throw cli::InvalidArgument(kPopulate, "--opt-out-service-account", account, user.error());
    }
    webhooks.opt_out_users.insert(*std::move(user));
  }
  webhooks.persistent = raw_.persistent;
  webhooks.initialization_timeout =
      ParseSeconds("--initialization-timeout", raw_.initialization_timeout);
}

int PopulateCommand::Run() {
  if (options_.input.local) return PrintLocalPopulation(options_);
  if (options_.once) return RunOnce(options_);
  if (options_.diff) return ShowDifferences(options_);
  ServePopulation(options_.common, options_.service);
  return 0;
}

namespace {

using migrate::populate::Expansion;
using migrate::populate::PopulationFiles;
using migrate::populate::TargetNamespace;

constexpr int kSomeRefused = 1;
constexpr int kPopulateError = 2;

void LogLine(std::string_view kind, const std::string& text) {
  terminal::WriteStderr(std::string(kind).append(": ") + terminal::Printable(text) + "\n");
}

// In the order of the arguments, each once.
std::vector<TargetNamespace> ChooseNamespaces(const std::vector<std::string>& names,
                                              const PopulationFiles& files) {
  if (names.empty()) return files.namespaces;
  std::vector<TargetNamespace> chosen;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    const auto found = std::ranges::find(files.namespaces, name, &TargetNamespace::name);
    if (found != files.namespaces.end()) {
      chosen.push_back(*found);
    } else if (!files.unreadable_namespaces.contains(name)) {
      chosen.push_back(migrate::populate::NamespaceNamed(name));
      if (!files.namespaces.empty()) {
        LogLine("note", name + " is in none of the files, so it is taken for one without labels");
      }
    }
  }
  return chosen;
}

/// A run over files: what it prints, and how it ends.
class LocalPopulation {
 public:
  explicit LocalPopulation(const PopulateOptions& options)
      : options_(options),
        files_(migrate::populate::ReadPopulationFiles(options.input.filenames,
                                                      options.input.recursive)),
        writer_(options.output) {}

  int Run() {
    const auto namespaces = ChooseNamespaces(options_.namespaces, files_);
    for (const TargetNamespace& target : namespaces) Populate(target);
    writer_.Finish();
    ReportFiles(namespaces.empty());
    if (!files_.errors.empty() || files_.templates.empty() || namespaces.empty()) {
      return kPopulateError;
    }
    return has_refused_ ? kSomeRefused : 0;
  }

 private:
  void Populate(const TargetNamespace& target) {
    kube::json::Arena arena;
    const Expansion expansion = migrate::populate::Expand(
        target, files_.templates, migrate::populate::IsKnownClusterScoped, arena);
    for (const auto& object : expansion.objects) writer_.Write(object.value);
    const std::string standing =
        migrate::populate::DescribeStanding(target.name, expansion.standing);
    if (!standing.empty()) LogLine("note", standing);
    ReportUnselected(target.name, expansion);
    ReportDisabled(expansion.left_alone);
    for (const auto& replaced : expansion.replaced) {
      LogLine("Warning", target.name + ": " + migrate::populate::Describe(replaced));
    }
    for (const auto& held : expansion.held) {
      LogLine("Warning", target.name + ": " + migrate::populate::Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      LogLine("error", target.name + ": left out " + key.ToString() + " of the template " +
                           template_name + ": " + why);
      has_refused_ = true;
    }
  }

  void ReportUnselected(const std::string& name, const Expansion& expansion) const {
    const bool is_populated = expansion.standing == Expansion::Standing::kPopulated;
    if (!is_populated || files_.templates.empty()) return;
    if (expansion.templates.empty() && expansion.left_alone.empty()) {
      LogLine("note", "no template selects " + name);
    }
  }

  // Once each, whatever the namespaces.
  void ReportDisabled(const std::vector<std::string>& templates) {
    for (const std::string& name : templates) {
      if (!told_disabled_.insert(name).second) continue;
      LogLine("note", migrate::populate::DescribeDisabled(name));
    }
  }

  void ReportFiles(bool has_no_namespaces) const {
    for (const migrate::report::UnknownKind& other : files_.others) {
      LogLine("note", std::to_string(other.objects) + " of kind " + other.kind + " (" +
                          other.api_version +
                          ") left out: neither a NamespaceTemplate nor a Namespace");
    }
    for (const std::string& warning : files_.warnings) LogLine("Warning", warning);
    for (const std::string& hint : files_.hints) LogLine("Warning", hint);
    for (const std::string& error : files_.errors) LogLine("error", error);
    if (!files_.errors.empty()) return;
    if (files_.templates.empty()) LogLine("error", "the files of -f hold no NamespaceTemplate");
    if (has_no_namespaces) {
      LogLine("error", "the files of -f hold no Namespace; name one that is to be populated");
    }
  }

  const PopulateOptions& options_;
  const PopulationFiles files_;
  ManifestWriter writer_;
  bool has_refused_ = false;
  std::set<std::string> told_disabled_;
};

}  // namespace

int PrintLocalPopulation(const PopulateOptions& options) { return LocalPopulation(options).Run(); }

}  // namespace plugin::command
