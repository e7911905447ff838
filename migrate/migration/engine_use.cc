#include "migrate/migration/engine_use.h"

#include <utility>

#include "kube/base/text.h"
#include "migrate/cluster/object_count.h"
#include "migrate/cluster/stale_count.h"
#include "migrate/migration/migration_end.h"

namespace migrate::migration {

using report::Engine;

EngineSituation EngineSituationOf(const MigrationOptions& options) {
  return {.is_partial = IsPartial(options),
          .changes_objects =
              options.mutation != nullptr || options.cleaning == cluster::Cleaning::kAlways,
          .is_paced = options.max_rate > 0,
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
                             {.chunk_size = question_.options.chunk_size}, session_);
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
  const auto count = cluster::CountObjects(question_.list_target,
                                           {.chunk_size = question_.options.chunk_size}, session_);
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
