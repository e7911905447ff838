#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/base/result.h"
#include "kube/client/leader_election.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "kube/serve/server.h"
#include "migrate/cluster/pause.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population_control.h"
#include "migrate/populate/population_counts.h"
#include "migrate/populate/population_files.h"
#include "migrate/populate/population_webhooks.h"
#include "plugin/cli/common_flags.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/diff_folders.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/serving_options.h"
#include "plugin/command/stop_signal.h"
#include "plugin/command/webhook_run.h"
#include "plugin/report/population_lines.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {
namespace {

constexpr int kNotAllCompared = 2;

// `changes` is who is given them, without a write; the null pointer: what is asked for is done.
migrate::report::PopulationReport PopulateCluster(PopulateOptions& options,
                                                  migrate::check::ChangeTaker* changes) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  migrate::populate::PopulationOptions& population = options.control.population;
  const bool only_reads =
      changes != nullptr || population.dry_run == migrate::report::DryRun::kClient;
  using Right = ClusterAccess::Right;
  ClusterAccess cluster(options.common, only_reads ? Right::kRead : Right::kWrite, clock,
                        write_line);
  std::vector<std::string>& names = population.namespaces;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  if (changes != nullptr) population.dry_run = migrate::report::DryRun::kServer;
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

int RunOnce(PopulateOptions& options) {
  if (!options.dry_run_warning.empty()) terminal::WriteLine("Warning", options.dry_run_warning);
  CatchStopSignals();
  return EndRun(report::PrintPopulation(PopulateCluster(options, nullptr)));
}

int ShowDifferences(PopulateOptions& options) {
  CatchStopSignals();
  DiffFolders folders;
  const auto report = PopulateCluster(options, &folders);
  if (report.is_interrupted) return EndInterrupted();
  const int code = CompareFolders(folders.live(), folders.merged());
  const auto output = report::PrintPopulation(report);
  terminal::WriteStderr(output.err);
  if (const int stopped = StopExitCode()) return stopped;
  return output.exit_code == 0 ? code : kNotAllCompared;
}

using migrate::populate::Expansion;
using migrate::populate::PopulationFiles;
using migrate::populate::TargetNamespace;
using terminal::WriteLine;

constexpr int kSomeRefused = 1;
constexpr int kPopulateError = 2;

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
        WriteLine("note", name + " is in none of the files, so it is taken for one without labels");
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
        files_(migrate::populate::ReadPopulationFiles(options.filenames, options.recursive)),
        writer_(options.output) {}

  int Run() {
    const auto namespaces = ChooseNamespaces(options_.control.population.namespaces, files_);
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
    if (!standing.empty()) WriteLine("note", standing);
    ReportUnselected(target.name, expansion);
    ReportDisabled(expansion.left_alone);
    for (const auto& replaced : expansion.replaced) {
      WriteLine("Warning", target.name + ": " + migrate::populate::Describe(replaced));
    }
    for (const auto& held : expansion.held) {
      WriteLine("Warning", target.name + ": " + migrate::populate::Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      WriteLine("error", target.name + ": left out " + key.ToString() + " of the template " +
                             template_name + ": " + why);
      has_refused_ = true;
    }
  }

  void ReportUnselected(const std::string& name, const Expansion& expansion) const {
    const bool is_populated = expansion.standing == Expansion::Standing::kPopulated;
    if (!is_populated || files_.templates.empty()) return;
    if (expansion.templates.empty() && expansion.left_alone.empty()) {
      WriteLine("note", "no template selects " + name);
    }
  }

  // Once each, whatever the namespaces.
  void ReportDisabled(const std::vector<std::string>& templates) {
    for (const std::string& name : templates) {
      if (!told_disabled_.insert(name).second) continue;
      WriteLine("note", migrate::populate::DescribeDisabled(name));
    }
  }

  void ReportFiles(bool has_no_namespaces) const {
    for (const migrate::report::UnknownKind& other : files_.others) {
      WriteLine("note", std::to_string(other.objects) + " of kind " + other.kind + " (" +
                            other.api_version +
                            ") left out: neither a NamespaceTemplate nor a Namespace");
    }
    for (const std::string& warning : files_.warnings) WriteLine("Warning", warning);
    for (const std::string& hint : files_.hints) WriteLine("Warning", hint);
    for (const std::string& error : files_.errors) WriteLine("error", error);
    if (!files_.errors.empty()) return;
    if (files_.templates.empty()) WriteLine("error", "the files of -f hold no NamespaceTemplate");
    if (has_no_namespaces) {
      WriteLine("error", "the files of -f hold no Namespace; name one that is to be populated");
    }
  }

  const PopulateOptions& options_;
  const PopulationFiles files_;
  ManifestWriter writer_;
  bool has_refused_ = false;
  std::set<std::string> told_disabled_;
};

using migrate::populate::ControlOptions;
using migrate::populate::PopulationControl;
using migrate::populate::PopulationCounts;

constexpr char kLeaseName[] = "kubectl-prune-populate";

// Two programs of one machine are two candidates.
std::string Identity() {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return kube::base::HostName() + "_" + std::to_string(number);
}

kube::client::LeaderElectionOptions OptionsOf(const std::string& lease_namespace) {
  return {.namespace_ = lease_namespace, .name = kLeaseName, .identity = Identity()};
}

/// Takes part in the election of a leader, on a thread and a connection of its own: whatever else
/// waits for the server, the Lease is renewed, and its loss noticed.
class Leadership {
 public:
  /// Takes a line for people; called by the thread.
  using LogFunction = kube::client::LeaderElection::LogFunction;

  /// Begins. `clock` must outlive it.
  Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
             const kube::base::Clock& clock, LogFunction tell);
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;
  /// End(), if it has not ended.
  ~Leadership();

  /// By the clock, also where the thread is held up. Where it does not, halt() is true.
  bool leads();
  /// True while what a leader does has to stop: another one leads, or the program is to end.
  const std::atomic<bool>& halt() const { return halt_; }
  /// What has ended the thread before its time; the null pointer: nothing.
  std::exception_ptr failure() const { return has_failed_ ? failure_ : nullptr; }

  /// Gives the Lease back. Whatever only a leader may do has to have ended.
  void End();

 private:
  void Run() noexcept;
  void Halt();

  ClusterAccess cluster_;
  const kube::base::Clock& clock_;
  kube::client::LeaderElection election_;
  std::atomic<kube::base::Clock::TimePoint> leads_until_{kube::base::Clock::TimePoint::min()};
  std::atomic<bool> halt_ = true, is_over_ = false, has_failed_ = false;
  std::exception_ptr failure_;  // written before has_failed_
  std::thread thread_;
};

Leadership::Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
                       const kube::base::Clock& clock, LogFunction tell)
    : cluster_(options, ClusterAccess::Right::kWrite, clock, tell),
      clock_(clock),
      election_(OptionsOf(lease_namespace), cluster_.session(), std::move(tell)),
      thread_([this] { Run(); }) {}

Leadership::~Leadership() { End(); }

void Leadership::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

bool Leadership::leads() {
  const bool leads = clock_.Now() < leads_until_.load();
  if (!leads) halt_ = true;
  return leads;
}

void Leadership::Halt() {
  leads_until_ = kube::base::Clock::TimePoint::min();
  halt_ = true;
}

// A program that is to end goes on to lead until what it does as the leader has ended.
void Leadership::Run() noexcept {
  try {
    kube::client::Client& client = cluster_.client();
    while (!is_over_) {
      election_.Advance();
      client.Poll(clock_.Now() + migrate::cluster::kTick);
      leads_until_ = election_.leader_until();
      halt_ = !leads() || StopFlag();
    }
    Halt();
    election_.Release();
  } catch (...) {
    Halt();
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

// What configurations are called that are printed.
constexpr char kPopulateName[] = "populate.kubectl-prune.dev";

/// The webhooks of namespaces, answered on threads and connections of their own: populating may
/// take long, and those that wait for an answer shall not.
class WebhookService {
 public:
  /// Begins nothing yet. `clock` must outlive it.
  WebhookService(const cli::CommonOptions& options, const ServingOptions& serving,
                 migrate::populate::WebhookOptions webhooks, const kube::base::Clock& clock);
  WebhookService(const WebhookService&) = delete;
  WebhookService& operator=(const WebhookService&) = delete;
  /// End(), if it has not ended.
  ~WebhookService();

  /// What the webhooks go by, to be kept as the cluster is.
  migrate::populate::KnownPopulation& known() { return known_; }
  void AddMetrics(std::function<std::string()> print) { endpoint_.AddMetrics(std::move(print)); }

  /// Serves from now on, known() being what the cluster has.
  void Begin();
  /// Answers what is under way, and takes webhooks that are not persistent out of the
  /// configurations.
  void End();
  /// What has ended it before its time; the null pointer: nothing.
  std::exception_ptr failure() const { return has_failed_ ? failure_ : nullptr; }

 private:
  void Run() noexcept;

  const ServingOptions& serving_;
  migrate::populate::KnownPopulation known_;
  ClusterAccess cluster_;         // for configurations
  ClusterAccess review_cluster_;  // for questions about rights
  migrate::populate::ClusterAccessReviewer reviewer_;
  migrate::populate::CachedAccess access_;
  const migrate::populate::PopulationWebhooks webhooks_;
  const kube::admission::Handlers handlers_;
  kube::admission::Endpoint endpoint_;
  std::atomic<bool> is_over_ = false, has_failed_ = false;
  std::exception_ptr failure_;  // written before has_failed_
  std::thread thread_;
};

WebhookService::WebhookService(const cli::CommonOptions& options, const ServingOptions& serving,
                               migrate::populate::WebhookOptions webhooks,
                               const kube::base::Clock& clock)
    : serving_(serving),
      cluster_(options,
               serving.managed.empty() ? ClusterAccess::Right::kRead : ClusterAccess::Right::kWrite,
               clock, Log),
      review_cluster_(options, ClusterAccess::Right::kWrite, clock, Log),
      reviewer_(review_cluster_.client(), clock),
      access_(reviewer_, clock),
      webhooks_(known_, access_, std::move(webhooks)),
      handlers_(webhooks_.MakeHandlers()),
      endpoint_(handlers_, clock) {}

WebhookService::~WebhookService() { End(); }

void WebhookService::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

void WebhookService::Begin() {
  thread_ = std::thread([this] { Run(); });
}

// Handlers are the same from beginning to end.
void WebhookService::Run() noexcept {
  try {
    const Webhooks webhooks = {
        .endpoint = endpoint_,
        .configured = [this] { return webhooks_.MakeHandlers(); },
        .revision = [] { return std::uint64_t{0}; },
        .advance = [] {},
        .server_certificate = [this] { return cluster_.ServerCertificate(); },
        .printed_name = kPopulateName};
    kube::client::Session session = cluster_.session();
    session.stop = &is_over_;
    ServeWebhooks(serving_, webhooks, session, Log, PrintOnce);
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

/// /metrics, /healthz and /readyz by HTTP, for whoever watches over the program.
class MetricsServer {
 public:
  MetricsServer(int port, const PopulationCounts& counts, const kube::base::Clock& clock)
      : endpoint_(handlers_, clock) {
    endpoint_.AddMetrics([&counts] { return counts.PrintMetrics(); });
    endpoint_.SetReady(true);
    kube::serve::ServerOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.threads = 1;
    options.request.body_bytes = 0;  // whoever reads sends none
    server_.emplace(options, endpoint_.answerer());
  }

 private:
  const kube::admission::Handlers handlers_;
  kube::admission::Endpoint endpoint_;
  std::optional<kube::serve::Server> server_;
};

/// A run from its beginning to its end.
class Service {
 public:
  explicit Service(const PopulateOptions& options)
      : options_(options), cluster_(options.common, ClusterAccess::Right::kWrite, clock_, Log) {
    if (options.webhooks) {
      webhooks_.emplace(options.common, options.serving, *options.webhooks, clock_);
      webhooks_->AddMetrics([this] { return counts_.PrintMetrics(); });
    }
  }

  void Run() {
    CatchStopSignals();
    const kube::client::Session session = cluster_.session();
    kube::client::Session round_session = session;
    if (options_.leader_elect) {
      leadership_.emplace(options_.common, options_.lease_namespace, clock_, Log);
      round_session.stop = &leadership_->halt();
    }
    PopulationControl control(MakeControlOptions(), counts_,
                              webhooks_ ? &webhooks_->known() : nullptr, session, round_session);
    if (!control.Begin()) return;
    std::optional<MetricsServer> metrics;
    if (options_.metrics_port > 0) metrics.emplace(options_.metrics_port, counts_, clock_);
    if (webhooks_) webhooks_->Begin();
    Log("watching the namespaces and NamespaceTemplates of the cluster");
    while (migrate::cluster::PauseUntil(NextLook(control), session)) {
      ThrowFailures();
      control.Advance();
    }
    // What the leader does has ended.
    if (leadership_) leadership_->End();
    if (webhooks_) webhooks_->End();
    ThrowFailures();
  }

 private:
  ControlOptions MakeControlOptions() {
    ControlOptions control = options_.control;
    control.population.on_line = Log;
    control.now = TimeOfDay;
    if (leadership_) {
      control.leads = [this] { return leadership_->leads(); };
    }
    control.tell = Log;
    return control;
  }

  kube::base::Clock::TimePoint NextLook(const PopulationControl& control) const {
    const auto now = clock_.Now();
    return control.is_busy() ? now : now + migrate::cluster::kTick;
  }

  // What has ended a thread ends the program.
  void ThrowFailures() const {
    const auto throw_if = [](const std::exception_ptr& failure) {
      if (failure != nullptr) std::rethrow_exception(failure);
    };
    if (leadership_) throw_if(leadership_->failure());
    if (webhooks_) throw_if(webhooks_->failure());
  }

  const PopulateOptions& options_;
  const kube::base::SystemClock clock_;
  PopulationCounts counts_;
  ClusterAccess cluster_;
  std::optional<WebhookService> webhooks_;
  std::optional<Leadership> leadership_;
};

/// Keeps the namespaces of the cluster as NamespaceTemplates say, until a signal says to stop. One
/// of several replicas does; all of them answer webhooks. Throws kube::base::Error where that
/// cannot begin: no NamespaceTemplates, a port that is taken.
void ServePopulation(const PopulateOptions& options) { Service(options).Run(); }

}  // namespace

int RunCommand(PopulateOptions& options) {
  options.control.population.version = kVersion;
  options.control.population.time_of_day = TimeOfDayText;
  if (options.local) return LocalPopulation(options).Run();
  if (options.once) return RunOnce(options);
  if (options.diff) return ShowDifferences(options);
  ServePopulation(options);
  return 0;
}

}  // namespace plugin::command
