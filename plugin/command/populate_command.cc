#include "plugin/command/populate_command.h"

#include <chrono>
#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "kube/base/error.h"
#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/meta/names.h"
#include "kube/system/clock.h"
#include "migrate/populate/webhooks/opt_out.h"
#include "migrate/population/population.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/stop_signal.h"
#include "plugin/access/version.h"
#include "plugin/command/local_population.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"
#include "plugin/report/text/population_lines.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

constexpr char kPopulate[] = "populate";
constexpr int kMostPort = 65535;

// Less than a second is as good as none.
std::chrono::seconds ParseSeconds(std::string_view flag, const std::string& text) {
  return std::chrono::ceil<std::chrono::seconds>(flags::ParseDuration(kPopulate, flag, text));
}

void RefuseInvalidName(const std::string& name) {
  const auto problems = kube::meta::Dns1123LabelProblems(name);
  if (problems.empty()) return;
  throw flags::UsageError(kPopulate, "invalid namespace " + kube::go::GoQuote(name) + ": [" +
                                         kube::base::Join(problems, " ") + "]");
}

migrate::population::PopulationOptions MakePopulationOptions(const PopulateOptions& options) {
  migrate::population::PopulationOptions result;
  const std::set<std::string> each_once(options.namespaces.begin(), options.namespaces.end());
  result.namespaces.assign(each_once.begin(), each_once.end());
  result.dry_run = options.dry_run.strategy;
  result.version = access::kVersion;
  result.concurrency = static_cast<std::size_t>(options.concurrency);
  result.max_rate = options.max_rate;
  return result;
}

migrate::report::PopulationReport PopulateCluster(const PopulateOptions& options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  const bool only_reads = options.dry_run.strategy == migrate::report::DryRun::kClient;
  using Right = access::ClusterAccess::Right;
  access::ClusterAccess cluster(options.common, only_reads ? Right::kRead : Right::kWrite, clock,
                                write_line);
  auto population = MakePopulationOptions(options);
  population.on_line = write_line;
  population.on_progress = [&progress](std::size_t done, std::size_t expected) {
    progress.Show("namespaces", migrate::sweep::SweepProgress{
                                    .listed = done, .expected = expected, .counts = {}});
  };
  auto report = migrate::population::Populate(population, cluster.session());
  progress.Clear();
  return report;
}

int RunOnce(const PopulateOptions& options) {
  if (!options.dry_run.warning.empty()) {
    terminal::WriteStderr("Warning: " + options.dry_run.warning + "\n");
  }
  access::CatchStopSignals();
  const auto output = report::text::PrintPopulation(PopulateCluster(options));
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = access::StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

/// What each of them is for; the rest is for all.
constexpr const char* kOnlyLocal[] = {"filename", "output", "recursive"};
constexpr const char* kNotLocal[] = {"concurrency", "max-rate"};
constexpr const char* kOnlyService[] = {"leader-elect", "leader-elect-resource-namespace",
                                        "metrics-port", "resync", "webhooks"};
constexpr const char* kOnlyWebhooks[] = {"addr",
                                         "ca-bundle-file",
                                         "ca-dump",
                                         "ca-file",
                                         "cert-file",
                                         "client-ca-file",
                                         "extra-san",
                                         "host",
                                         "ignore-failures",
                                         "insecure",
                                         "key-file",
                                         "key-password",
                                         "managed",
                                         "initialization-timeout",
                                         "opt-out-service-account",
                                         "persistent",
                                         "port",
                                         "reach",
                                         "url"};

void RefuseGiven(bool is_mode, std::string_view mode, std::span<const char* const> names,
                 const flags::FlagSet& flag_set) {
  for (const char* name : names) {
    flags::RefuseBoth(kPopulate, is_mode, mode, flag_set.IsGiven(name), std::string("--") + name);
  }
}

// Of what is in files nothing is written, and what is in a cluster is not printed.
void RefuseOfOther(const PopulateOptions& options, const flags::FlagSet& flag_set) {
  const bool is_local = options.input.local;
  flags::RefuseBoth(kPopulate, options.once, "--once", is_local, "--local");
  RefuseGiven(options.once, "--once", kOnlyLocal, flag_set);
  RefuseGiven(options.once, "--once", kOnlyService, flag_set);
  RefuseGiven(options.once, "--once", kOnlyWebhooks, flag_set);
  RefuseGiven(is_local, "--local", kNotLocal, flag_set);
  RefuseGiven(is_local, "--local", kOnlyService, flag_set);
  RefuseGiven(is_local, "--local", kOnlyWebhooks, flag_set);
  flags::RefuseBoth(kPopulate, is_local, "--local", flag_set.IsGiven("dry-run"), "--dry-run");
  if (options.once || is_local) return;
  for (const char* name : kOnlyLocal) {
    if (!flag_set.IsGiven(name)) continue;
    throw flags::UsageError(kPopulate, std::string("--") + name + " needs --local");
  }
  if (flag_set.IsGiven("dry-run")) throw flags::UsageError(kPopulate, "--dry-run needs --once");
  if (!options.namespaces.empty()) {
    throw flags::UsageError(kPopulate, "names of namespaces need --once or --local");
  }
}

void RequireFiles(const PopulateOptions& options, const flags::FlagSet& flag_set) {
  if (!flag_set.IsGiven("filename")) {
    throw flags::UsageError(kPopulate, "--local needs -f: the files with NamespaceTemplates");
  }
  flags::RequireFiles(kPopulate, options.input, flag_set);
}

using migrate::populate::webhooks::WebhookChoice;
using migrate::populate::webhooks::WebhookOptions;

std::vector<WebhookChoice*> ChoicesOf(const std::string& name, std::string_view flag,
                                      WebhookOptions& webhooks) {
  if (name == "creator") return {&webhooks.creator};
  if (name == "opt-out") return {&webhooks.opt_out};
  if (name == "use") return {&webhooks.use};
  if (name == "initialization") return {&webhooks.initialization};
  if (name == "all") {
    return {&webhooks.creator, &webhooks.opt_out, &webhooks.use, &webhooks.initialization};
  }
  throw flags::UsageError(kPopulate, std::string("invalid ").append(flag) + " value (" + name +
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

void PopulateCommand::AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) {
  flags::AddPatienceFlag(flag_set, raw);
  flags::AddInputFlags(flag_set, options_.input);
  serving::AddServingFlags(flag_set, options_.service.serving, raw_.reach);
  flag_set.String("output", 'o', raw.output);
  flag_set.Bool("once", 0, options_.once);
  flag_set.OptionalString("dry-run", raw_.dry_run, std::string(flags::kBareDryRun));
  flag_set.Int("concurrency", 0, options_.concurrency);
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
}

void PopulateCommand::TakeArguments(std::vector<std::string> arguments) {
  options_.namespaces = std::move(arguments);
}

void PopulateCommand::Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) {
  if (flag_set.IsGiven("namespace")) {
    throw flags::UsageError(kPopulate,
                            "--namespace has no meaning here; name namespaces as arguments");
  }
  RefuseOfOther(options_, flag_set);
  if (options_.input.local) RequireFiles(options_, flag_set);
  for (const std::string& name : options_.namespaces) RefuseInvalidName(name);
  options_.output = flags::ParsePopulateOutput(raw.output);
  options_.dry_run = flags::ParseDryRun(kPopulate, raw_.dry_run);
  options_.max_rate = flags::ParseMaxRate(kPopulate, raw_.max_rate);
  flags::RequireConcurrency(kPopulate, options_.concurrency);
  if (!options_.once && !options_.input.local) FinishService(flag_set);
}

void PopulateCommand::FinishService(const flags::FlagSet& flag_set) {
  population::PopulationServiceOptions& service = options_.service;
  service.concurrency = static_cast<std::size_t>(options_.concurrency);
  service.max_rate = options_.max_rate;
  service.resync = ParseSeconds("--resync", raw_.resync);
  if (service.metrics_port < 0 || service.metrics_port > kMostPort) {
    throw flags::InvalidArgument(kPopulate, "--metrics-port", std::to_string(service.metrics_port),
                                 "must be between 0 and 65535");
  }
  const auto problems = kube::meta::Dns1123LabelProblems(service.lease_namespace);
  if (!problems.empty()) {
    throw flags::InvalidArgument(kPopulate, "--leader-elect-resource-namespace",
                                 service.lease_namespace, kube::base::Join(problems, " "));
  }
  if (raw_.webhooks.empty()) {
    for (const char* name : kOnlyWebhooks) {
      if (!flag_set.IsGiven(name)) continue;
      throw flags::UsageError(kPopulate, std::string("--") + name + " needs --webhooks");
    }
    return;
  }
  FinishWebhooks(service.webhooks.emplace());
  serving::FinishServing(kPopulate, raw_.reach, service.serving);
}

void PopulateCommand::FinishWebhooks(WebhookOptions& webhooks) {
  Set(&WebhookChoice::is_wanted, false, {"all"}, "--webhooks", webhooks);
  Set(&WebhookChoice::is_wanted, true, raw_.webhooks, "--webhooks", webhooks);
  Set(&WebhookChoice::ignore_failures, true, raw_.ignored_failures, "--ignore-failures", webhooks);
  for (const std::string& account : raw_.opt_out_accounts) {
    auto user = migrate::populate::webhooks::UserOfServiceAccount(account);
    if (!user) {
      throw flags::InvalidArgument(kPopulate, "--opt-out-service-account", account, user.error());
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
  population::ServePopulation(options_.common, options_.service);
  return 0;
}

}  // namespace plugin::command
