#include "plugin/cli/migrate_options.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/usage_error.h"
#include "plugin/cli/write_flags.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;
using migrate::cluster::Cleaning;
using migrate::report::DryRun;
using migrate::report::Engine;

UsageError Refusal(const std::string& message) { return UsageError("migrate", message); }

UsageError InvalidValue(const std::string& flag, const std::string& value, const std::string& why) {
  return InvalidArgument("migrate", flag, value, why);
}

void TakeTimeout(const std::string& flag, const std::string& value,
                 std::chrono::nanoseconds& timeout) {
  if (value.empty()) return;
  const auto read = kube::go::ParseGoDuration(value);
  if (!read) throw InvalidValue(flag, value, "time: invalid duration " + GoQuote(value));
  if (*read <= std::chrono::nanoseconds::zero()) {
    throw InvalidValue(flag, value, "must be more than 0");
  }
  timeout = *read;
}

void RefuseBoth(bool a, std::string_view a_name, bool b, std::string_view b_name) {
  cli::RefuseBoth("migrate", a, a_name, b, b_name);
}

template <typename T>
using Choices = std::initializer_list<std::pair<std::string_view, T>>;

template <typename T>
T Choose(const Choices<T>& choices, const std::string& flag, const std::string& value,
         const std::string& why_not) {
  const auto chosen = std::ranges::find(choices, value, &std::pair<std::string_view, T>::first);
  if (chosen == choices.end()) throw InvalidValue(flag, value, why_not);
  return chosen->second;
}

Engine EngineOf(const std::string& value) {
  const Choices<Engine> engines = {
      {"auto", Engine::kAuto}, {"own", Engine::kOwn}, {"in-cluster", Engine::kInCluster}};
  return Choose(engines, "--engine", value, "must be auto, own or in-cluster");
}

// The flag was a boolean once.
Cleaning CleaningOf(const std::string& value) {
  const Choices<Cleaning> cleanings = {{"auto", Cleaning::kAuto},
                                       {"always", Cleaning::kAlways},
                                       {"never", Cleaning::kNever},
                                       {"true", Cleaning::kAlways},
                                       {"false", Cleaning::kNever}};
  return Choose(cleanings, "--clean-managed-fields", value, "must be auto, always or never");
}

bool HasObjectSelection(const MigrateOptions& options) {
  return !options.objects.namespace_.empty() || !options.objects.selector.empty() ||
         !options.objects.field_selector.empty();
}

// What only means something on a cluster; of the rest, that does no harm, nothing is said.
void CheckLocal(const MigrateOptions& options) {
  const std::string local = "--local";
  RefuseBoth(true, local, options.all, "--all");
  RefuseBoth(true, local, !options.crd_selector.empty(), "--crd-selector");
  RefuseBoth(true, local, options.dry_run != DryRun::kNone, "--dry-run");
  RefuseBoth(true, local, !options.retry_from.empty(), "--retry-from");
  RefuseBoth(true, local, options.retry_failed, "--retry-failed");
  RefuseBoth(true, local, options.cleaning == Cleaning::kAlways, "--clean-managed-fields");
  RefuseBoth(true, local, options.engine == Engine::kInCluster, "--engine=in-cluster");
  RefuseBoth(true, local, !options.objects.selector.empty(), "-l");
  RefuseBoth(true, local, !options.objects.field_selector.empty(), "--field-selector");
}

// The cluster's own engine rewrites all objects of a resource as they are, and nothing else.
void CheckEngine(const MigrateOptions& options) {
  const std::string engine = "--engine=in-cluster";
  const bool given = options.engine == Engine::kInCluster;
  RefuseBoth(given, engine, options.enable_pruning, "--enable-pruning");
  RefuseBoth(given, engine, !options.mutations.empty(), "--mutation");
  RefuseBoth(given, engine, options.cleaning == Cleaning::kAlways, "--clean-managed-fields");
  RefuseBoth(given, engine, HasObjectSelection(options), "-n, -l or --field-selector");
  RefuseBoth(given, engine, !options.retry_from.empty(), "--retry-from");
  RefuseBoth(given, engine, options.retry_failed, "--retry-failed");
  RefuseBoth(given, engine, options.max_rate > 0, "--max-rate");
  RefuseBoth(given, engine, !options.verify, "--verify=false");
  RefuseBoth(given, engine, options.keep_stored_versions, "--keep-stored-versions");
  RefuseBoth(given, engine, options.dry_run == DryRun::kServer, "--dry-run=server");
}

void CheckRetry(const MigrateOptions& options) {
  const std::string retry = "--retry-from";
  const bool given = !options.retry_from.empty();
  RefuseBoth(given, retry, !options.input.crds.empty(), "names of CustomResourceDefinitions");
  RefuseBoth(given, retry, options.all, "--all");
  RefuseBoth(given, retry, options.enable_pruning, "--enable-pruning");
  RefuseBoth(given, retry, HasObjectSelection(options), "-n, -l or --field-selector");
  const std::string failed = "--retry-failed";
  RefuseBoth(options.retry_failed, failed, given, retry);
  RefuseBoth(options.retry_failed, failed, options.enable_pruning, "--enable-pruning");
  RefuseBoth(options.retry_failed, failed, HasObjectSelection(options),
             "-n, -l or --field-selector");
}

void CheckCluster(const MigrateOptions& options) {
  const bool has_files = !options.input.filenames.empty();
  if (has_files && !options.enable_pruning) {
    throw Refusal(
        "-f needs --enable-pruning, with which the CRDs of the files come, or --local: only the "
        "objects of a cluster, or those of files, can be migrated");
  }
  RefuseBoth(has_files, "-f", options.all, "--all");
  RefuseBoth(!options.mutations.empty(), "--mutation", options.all, "--all");
  if (!options.mutations.empty() && options.single_pass) {
    throw Refusal(
        "--mutation changes objects before pruning is turned on, which --single-pass leaves out; "
        "use "
        "one of them");
  }
  CheckRetry(options);
  CheckEngine(options);
  RefuseBoth(options.all, "--all", !options.input.crds.empty(),
             "names of CustomResourceDefinitions");
  if (!options.crd_selector.empty() && !options.all) {
    throw Refusal("--crd-selector chooses among --all, and needs it");
  }
  const bool retries = options.retry_failed || !options.retry_from.empty();
  if (!options.all && options.input.crds.empty() && !retries && !has_files) {
    throw Refusal(
        "name the CustomResourceDefinitions whose objects are to be rewritten, or use "
        "--all");
  }
  if (options.enable_pruning && HasObjectSelection(options)) {
    throw Refusal(
        "--enable-pruning concerns all objects of a CustomResourceDefinition, so it "
        "cannot be combined with -n, -l or --field-selector");
  }
}

}  // namespace

void FinishMigrateOptions(MigrateOptions& options, const RawMigrateValues& raw) {
  DryRunChoice dry_run = ParseDryRun("migrate", raw.dry_run);
  options.dry_run = dry_run.strategy;
  options.dry_run_warning = std::move(dry_run.warning);
  options.max_rate = ParseMaxRate("migrate", raw.max_rate);
  TakeTimeout("--settle-timeout", raw.settle_timeout, options.settle_timeout);
  TakeTimeout("--engine-timeout", raw.engine_timeout, options.engine_timeout);
  FinishLeaseFlags("migrate", options.lease_namespace, raw.lease_timeout, options.lease_timeout);
  options.engine = EngineOf(raw.engine);
  options.cleaning = CleaningOf(raw.clean_managed_fields);
  RefuseBoth(options.no_backup, "--no-backup", !options.backup_dir.empty(), "--backup-dir");
  RequireConcurrency("migrate", options.concurrency);
  RequireConnections("migrate", options.common.connection.connections);
  options.input.local ? CheckLocal(options) : CheckCluster(options);
}

// A file of -f is held against one CRD, a report names the objects of one cluster.
void RequireMigrationOfMany(const MigrateOptions& options) {
  const std::string contexts = "--contexts";
  RefuseBoth(true, contexts, options.input.local, "--local");
  RefuseBoth(true, contexts, !options.input.filenames.empty(), "-f");
  RefuseBoth(true, contexts, !options.retry_from.empty(), "--retry-from");
}

}  // namespace plugin::cli
