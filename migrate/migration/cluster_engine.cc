#include "migrate/migration/cluster_engine.h"

#include <algorithm>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/object_count.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/crd_run.h"
#include "migrate/report/program_name.h"

namespace migrate::migration {
namespace {

using Reason = std::pair<bool EngineSituation::*, const char*>;

constexpr Reason kForbidding[] = {
    {&EngineSituation::is_partial, "it rewrites all objects, and only some are to be"},
    {&EngineSituation::changes_objects, "it does not change objects as this run is to"},
    {&EngineSituation::is_paced, "it does not know of --max-rate"},
    {&EngineSituation::keeps_versions,
     "it trims status.storedVersions by itself, from Kubernetes 1.36 on"},
    {&EngineSituation::is_server_dry_run, "it makes no dry run"},
    {&EngineSituation::turns_pruning_on,
     "pruning is turned on, and objects that the backup does not have must not be rewritten"},
    {&EngineSituation::holds_objects, "some objects are held, and it rewrites all"},
};

constexpr Reason kUseless[] = {
    {&EngineSituation::is_begun, "an earlier run has begun to rewrite the objects by itself"},
    {&EngineSituation::is_abandoned,
     "nobody has taken up the StorageVersionMigration of another CustomResourceDefinition"},
};

}  // namespace

std::string WhyNotInCluster(const EngineSituation& situation) {
  for (const auto& [is_so, why] : kForbidding) {
    if (situation.*is_so) return why;
  }
  if (!situation.verifies)
    return "what it says is not taken for granted, and --verify=false is set";
  if (!situation.is_storage_version_served) return "the storage version is not served";
  return "";
}

std::string WhyNotByItself(const EngineSituation& situation) {
  std::string why = WhyNotInCluster(situation);
  if (!why.empty()) return why;
  if (!situation.has_old_versions) {
    return "status.storedVersions is just the storage version, so that only pruning is to be "
           "proven";
  }
  for (const auto& [is_so, useless_because] : kUseless) {
    if (situation.*is_so) return useless_because;
  }
  return "";
}

namespace {

using kube::client::Meaning;
using kube::client::MeaningOf;
using kube::json::Arena;
using kube::json::Value;
using report::EngineEnd;
using std::chrono::duration_cast;

constexpr std::chrono::milliseconds kFirstPause(250);
constexpr std::chrono::seconds kLongestPause(5);
// The controller writes a first status as soon as it sees one; its discovery is read anew every 30
// seconds, before which it does not know a new resource.
constexpr std::chrono::minutes kTakenUp(1);
// One write after the other, so many as 400 a second where nothing slows them.
constexpr std::chrono::milliseconds kAnObject(20);
// What was written last is known to the client after that.
constexpr std::chrono::seconds kGrace(10);
constexpr std::chrono::seconds kReleased(30);
constexpr std::chrono::seconds kGone(30);
// However much changes.
constexpr int kMostPatience = 20;

std::string Preconditions(const std::string& uid) {
  Arena arena;
  Value preconditions = Value::Object();
  preconditions.Set("uid", Value::String(uid), arena);
  Value options = Value::Object();
  options.Set("apiVersion", Value::String("v1"), arena);
  options.Set("kind", Value::String("DeleteOptions"), arena);
  options.Set("preconditions", preconditions, arena);
  return kube::json::Print(options);
}

std::string Seconds(kube::base::Clock::Duration duration) {
  return std::to_string(duration_cast<std::chrono::seconds>(duration).count()) + " s";
}

std::string OrNothing(const std::string& message) {
  return message.empty() ? "without a reason" : message;
}

}  // namespace

ClusterEngine::ClusterEngine(ClusterEngineOptions options, const rewrite::MigrationSession& session)
    : options_(std::move(options)),
      session_(session),
      name_(NameOfStorageMigration(options_.resource)),
      full_name_(FullName(name_)) {}

report::EngineFacts ClusterEngine::Run() {
  const TimePoint start = session_.clock.Now();
  facts_.end = Begin();
  const bool is_left = facts_.end == EngineEnd::kSucceeded || facts_.end == EngineEnd::kInterrupted;
  if (!is_left && !seen_.uid.empty()) Remove();
  facts_.seconds = std::chrono::duration<double>(session_.clock.Now() - start).count();
  return facts_;
}

std::string ClusterEngine::Collection() const {
  return std::string("/apis/") + kGroup + "/" + options_.api_version + "/" + kResource;
}

std::string ClusterEngine::Target() const {
  return Collection() + "/" + kube::client::UrlEscape(name_);
}

void ClusterEngine::Log(const std::string& text) const {
  session_.observer.OnLine(options_.resource.crd_name + ": " + text);
}

EngineEnd ClusterEngine::End(EngineEnd end, std::string reason) {
  facts_.reason = std::move(reason);
  return end;
}

EngineEnd ClusterEngine::Begin() {
  if (session_.is_stopped()) return EngineEnd::kInterrupted;
  const auto found = session_.client.Get(Target());
  if (found) return TakeUp(ReadStorageMigration((*found)->root()));
  if (session_.is_stopped()) return EngineEnd::kInterrupted;
  if (MeaningOf(found.error()) != Meaning::kNotFound) {
    return End(EngineEnd::kRefused, "it cannot be read: " + found.error().message);
  }
  return Create();
}

EngineEnd ClusterEngine::TakeUp(StorageMigration found) {
  if (!found.is_ours) {
    return End(EngineEnd::kRefused, full_name_ + " is somebody else's");
  }
  const bool is_current = found.crd_generation == options_.resource.crd_generation;
  if (is_current && found.stage != Stage::kFailed) {
    Log("going on with " + full_name_ + ", which an earlier run has made");
    Take(std::move(found));
    return Follow();
  }
  if (!SendDelete(found.uid) || !AwaitGone()) {
    if (session_.is_stopped()) return EngineEnd::kInterrupted;
    return End(EngineEnd::kRefused, full_name_ + " of an earlier run cannot be deleted");
  }
  return Create();
}

// Where the answer was lost it may be there all the same, and where another run was quicker it is.
EngineEnd ClusterEngine::Create() {
  auto made =
      session_.client.Send({.method = "POST",
                            .target = Collection(),
                            .content_type = "application/json",
                            .body = PrintStorageMigration(options_.resource, options_.api_version),
                            .grace = kGrace});
  if (!made &&
      !(IsRefusal(MeaningOf(made.error())) && MeaningOf(made.error()) != Meaning::kConflict)) {
    const std::string message = made.error().message;
    made = session_.client.Get(Target());
    if (!made && session_.is_stopped()) return EngineEnd::kInterrupted;
    if (!made) return End(EngineEnd::kRefused, "it cannot be made: " + message);
  }
  if (!made) return End(EngineEnd::kRefused, "it cannot be made: " + made.error().message);
  StorageMigration created = ReadStorageMigration((*made)->root());
  if (!created.is_ours) return End(EngineEnd::kRefused, full_name_ + " is somebody else's");
  Log("the cluster's own engine is to rewrite the objects (" + full_name_ + ")");
  Take(std::move(created));
  return Follow();
}

EngineEnd ClusterEngine::Follow() {
  for (;;) {
    if (session_.is_stopped()) return EngineEnd::kInterrupted;
    if (options_.find_change) {
      if (const auto change = options_.find_change()) return End(EngineEnd::kCrdChanged, *change);
    }
    if (const auto end = Look()) return *end;
    if (!Pause()) return EngineEnd::kInterrupted;
  }
}

std::optional<EngineEnd> ClusterEngine::Look() {
  const auto answer = session_.client.Get(Target());
  if (!answer && session_.is_stopped()) return EngineEnd::kInterrupted;
  if (!answer && MeaningOf(answer.error()) == Meaning::kNotFound) {
    seen_.uid.clear();
    return End(EngineEnd::kDeleted, "somebody has deleted it");
  }
  if (!answer) return End(EngineEnd::kRefused, "it cannot be read: " + answer.error().message);
  StorageMigration now = ReadStorageMigration((*answer)->root());
  if (now.uid != seen_.uid) {
    seen_.uid.clear();
    return End(EngineEnd::kDeleted, "somebody has deleted it and made another of its name");
  }
  Take(std::move(now));
  if (seen_.stage == Stage::kFailed) {
    WaitUntilReleased();
    return End(EngineEnd::kFailed, OrNothing(seen_.message));
  }
  if (seen_.stage == Stage::kSucceeded) {
    Log("the cluster's own engine says that it has rewritten all objects; verifying that");
    WaitUntilReleased();
    return EngineEnd::kSucceeded;
  }
  return FindStandstill();
}

void ClusterEngine::Take(StorageMigration now) {
  const bool is_new = seen_.uid.empty();
  const bool is_further = now.stage > seen_.stage;
  facts_.migration = full_name_;
  if (is_new || now.status != seen_.status) {
    changed_at_ = session_.clock.Now();
    pause_ = kFirstPause;
  }
  if (is_new) begun_at_ = changed_at_;
  seen_ = std::move(now);
  if (is_further && seen_.stage == Stage::kRunning) Log("the cluster's own engine is at work");
}

kube::base::Clock::Duration ClusterEngine::Patience() const {
  using Duration = kube::base::Clock::Duration;
  const Duration patience = options_.patience;
  if (seen_.stage == Stage::kCreated) return std::min<Duration>(patience, kTakenUp);
  if (seen_.stage != Stage::kRunning) return patience;
  return std::max<Duration>(patience, kAnObject * options_.objects);
}

std::optional<EngineEnd> ClusterEngine::FindStandstill() {
  const auto patience = Patience();
  const auto now = session_.clock.Now();
  if (now - begun_at_ >= kMostPatience * patience) {
    return End(EngineEnd::kStuck, "it has not come to its end for " + Seconds(now - begun_at_));
  }
  if (now - changed_at_ < patience) return std::nullopt;
  if (seen_.stage != Stage::kCreated) {
    return End(EngineEnd::kStuck, "nothing of it has changed for " + Seconds(patience));
  }
  return End(EngineEnd::kIgnored,
             "nobody has taken it up for " + Seconds(patience) +
                 " (kube-controller-manager does, with the feature gate StorageVersionMigrator)");
}

bool ClusterEngine::Pause() {
  const auto pause = pause_;
  pause_ = std::min<kube::base::Clock::Duration>(pause_ * 2, kLongestPause);
  return cluster::WaitUntil(session_.clock.Now() + pause, session_);
}

// From 1.36 on the controller marks the CRD before, and takes the mark away and trims
// status.storedVersions once it has ended, also where it has failed (migrationrunner.go
// finishCRDMigration). It does so for one that is still there alone: one that is deleted at once
// would leave the mark for ever.
void ClusterEngine::WaitUntilReleased() {
  const TimePoint until = session_.clock.Now() + kReleased;
  while (session_.clock.Now() < until) {
    const auto crd = check::GetCrd(session_.client, options_.crd_target);
    if (!crd || !crd->IsConditionTrue("StorageMigrating")) return;
    if (!cluster::WaitUntil(session_.clock.Now() + kFirstPause, session_)) return;
  }
}

bool ClusterEngine::IsGone() {
  const auto answer = session_.client.Get(Target());
  return !answer && MeaningOf(answer.error()) == Meaning::kNotFound;
}

// A finalizer may keep it.
bool ClusterEngine::AwaitGone() {
  const TimePoint until = session_.clock.Now() + kGone;
  while (!IsGone()) {
    if (session_.clock.Now() >= until) return false;
    if (!cluster::WaitUntil(session_.clock.Now() + kFirstPause, session_)) return false;
  }
  return true;
}

// Another's of the same name stays.
bool ClusterEngine::SendDelete(const std::string& uid) {
  const auto answer = session_.client.Send({.method = "DELETE",
                                            .target = Target(),
                                            .content_type = "application/json",
                                            .body = Preconditions(uid),
                                            .grace = kGrace});
  if (answer) return true;
  const Meaning meaning = MeaningOf(answer.error());
  if (meaning == Meaning::kNotFound || meaning == Meaning::kConflict) return true;
  session_.observer.OnLine("Warning: " + options_.resource.crd_name + ": " + full_name_ +
                           " cannot be deleted: " + answer.error().message +
                           "; it is of no more use: kubectl delete " + full_name_ +
                           report::ClusterFlags());
  return false;
}

void ClusterEngine::Remove() { SendDelete(seen_.uid); }

void ClusterEngine::RemoveLeft() {
  const auto found = session_.client.Get(Target());
  if (!found) return;
  const StorageMigration left = ReadStorageMigration((*found)->root());
  if (left.is_ours && SendDelete(left.uid)) Log("deleted " + full_name_ + " of an earlier run");
}

using report::Engine;

EngineSituation EngineSituationOf(const MigrationOptions& options) {
  return {.is_partial = IsPartial(options),
          .changes_objects =
              options.mutation != nullptr || options.cleaning == cluster::Cleaning::kAlways,
          .is_paced = options.pace.max_rate > 0,
          .keeps_versions = options.keep_stored_versions,
          .verifies = options.verify,
          .is_server_dry_run = options.dry_run == report::DryRun::kServer};
}

bool MayUseEngine(const MigrationOptions& options) {
  return options.engine != Engine::kOwn && WhyNotInCluster(EngineSituationOf(options)).empty();
}

EngineUse::EngineUse(EngineQuestion question, const rewrite::MigrationSession& session)
    : question_(std::move(question)), session_(session) {}

report::EngineFacts EngineUse::Choose() const {
  report::EngineFacts facts;
  facts.reason = WhyOwn();
  if (facts.reason.empty()) facts.end = report::EngineEnd::kForeseen;
  return facts;
}

std::string EngineUse::WhyOwn() const {
  const Engine wish = question_.options.engine;
  if (wish == Engine::kOwn) return "--engine=own";
  const bool goes_on = question_.preflight.has_own_migration;
  std::string why = wish == Engine::kAuto && !goes_on ? WhyNotByItself(question_.situation)
                                                      : WhyNotInCluster(question_.situation);
  if (why.empty()) why = question_.preflight.engine_missing;
  return why.empty() && !goes_on ? FindStaleEntries() : why;
}

// Some servers empty the managedFields of such an object with any write; our own sweep cleans them,
// the cluster's own engine looks at nothing.
std::string EngineUse::FindStaleEntries() const {
  if (question_.known == nullptr) return "";
  const auto counted =
      cluster::CountMayClean(question_.list_target, *question_.known,
                             {.chunk_size = question_.options.objects.chunk_size}, session_);
  if (!counted) return counted.error().message;
  const std::uint64_t objects = counted->to_clean.objects;
  if (objects == 0) return "";
  return "managedFields of " + kube::base::Count(objects, "object") +
         " may be emptied by a write, as they name versions that the CRD does not have or that "
         "lack fields of the storage version";
}

std::string EngineUse::name() const { return NameOfStorageMigration(question_.resource); }

// By which patience goes; what cannot be counted is met by the sweep.
std::uint64_t EngineUse::CountObjects() const {
  const auto count = cluster::CountObjects(
      question_.list_target, {.chunk_size = question_.options.objects.chunk_size}, session_);
  return count ? *count : 0;
}

ClusterEngineOptions EngineUse::EngineOptions() const {
  return {.api_version = question_.preflight.engine_version,
          .resource = question_.resource,
          .crd_target = question_.crd_target,
          .patience = question_.options.engine_timeout};
}

report::EngineFacts EngineUse::Run(std::function<std::optional<std::string>()> find_change) {
  ClusterEngineOptions options = EngineOptions();
  options.objects = CountObjects();
  options.find_change = std::move(find_change);
  engine_.emplace(std::move(options), session_);
  return engine_->Run();
}

void EngineUse::Remove() {
  if (engine_) engine_->Remove();
}

void EngineUse::RemoveLeft() { ClusterEngine(EngineOptions(), session_).RemoveLeft(); }

}  // namespace migrate::migration
