#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "migrate/report/migration_time.h"
#include "migrate/report/program_name.h"
#include "plugin/report/upgrade_plan.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using kube::base::Join;
using migrate::report::ApplyReport;
using migrate::report::ClusterFlags;
using migrate::report::CrdReport;
using migrate::report::Problem;
using migrate::report::UpgradeStep;

// Its words for what no update may change.
constexpr std::string_view kImmutable = "field is immutable";

bool Has(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Of the server's words as many as a line bears; which field it is about stands at their end.
std::string Words(const std::string& message) {
  constexpr std::size_t kMost = 400;
  if (message.size() <= kMost) return message;
  std::size_t at = message.size() - kMost;
  while (at < message.size() && (static_cast<unsigned char>(message[at]) & 0xC0) == 0x80) ++at;
  return "... " + message.substr(at);
}

/// Finds the plan of one CRD.
class CrdPlanFinder {
 public:
  // `is_whole`: no flag leaves objects out.
  CrdPlanFinder(const CrdReport& crd, bool is_whole) : crd_(crd), is_whole_(is_whole) {}

  CrdPlan Run(bool is_alone) {
    plan_.crd = &crd_;
    if (crd_.apply) plan_.manager = crd_.apply->server_side_manager;
    plan_.needs_server_side = crd_.apply && ApplyReport::IsAboutLength(crd_.apply->message);
    FindMissing();
    is_alone ? FindFix() : Fix("it is in the files more than once: leave in the one that counts");
    if (!plan_.is_stuck) FindSteps();
    return std::move(plan_);
  }

 private:
  void FindMissing() {
    if (!crd_.replaced) return;
    for (const std::string& stored : crd_.stored_versions) {
      const bool is_known = std::ranges::any_of(
          crd_.versions, [&](const auto& version) { return version.name == stored; });
      if (!is_known) missing_.push_back(stored);
    }
  }

  void FindSteps() {
    FindDecisions();
    if (!crd_.replaced) return FindBehindNew();
    FindBefore();
    FindBehind();
  }

  std::string Migrate(const std::string& flags = "") const {
    return migrate::report::OwnClusterCommand("migrate " + terminal::ShellWord(crd_.name) + flags);
  }

  // Rewrites all objects, as the CRD is by then: before the apply, or behind it.
  UpgradeStep MigrateStep(std::string title, std::string reason, bool is_behind) const {
    UpgradeStep step{std::move(title), Migrate(), std::move(reason)};
    step.needs = NeedsOfRewrite(is_behind);
    step.effect = RewriteWords();
    const std::string& version =
        is_behind || migrated_to_.empty() ? crd_.storage_version : migrated_to_;
    const bool was_migrated = is_behind && migrated_to_ == version;
    if (!was_migrated && !IsStoredAs(version)) {
      step.effect += ", and leaves " + version + " alone in status.storedVersions";
    }
    if (is_counted()) step.seconds = migrate::report::SecondsOfWrites(Passes(), {});
    return step;
  }
  // Rewrites all objects as `version`.
  UpgradeStep TurnOnStep(std::string title, const std::string& flags, std::string reason,
                         const std::string& version, bool is_behind) const {
    UpgradeStep step{std::move(title), Migrate(" --enable-pruning" + flags), std::move(reason)};
    step.needs = NeedsOfRewrite(is_behind);
    step.effect = flags.empty() ? "turns pruning on, " : "changes 1 CRD, turns pruning on, ";
    if (is_counted() && crd_.objects_losing_fields > 0) {
      step.effect += "removes fields of " + Count(crd_.objects_losing_fields, "object") + ", ";
    }
    step.effect += RewriteWords();
    if (!is_counted()) return step;
    migrate::report::MigrationPasses passes = Passes();
    passes.rewrites_before = !IsStoredAs(version);
    step.seconds = migrate::report::SecondsOfWrites(passes, {}) +
                   migrate::report::SecondsOfTurningOn(passes, {});
    return step;
  }
  // Whether all objects were looked at.
  bool is_counted() const {
    return is_whole_ && crd_.replaced && !crd_.objects_skipped && crd_.error.empty();
  }
  std::string RewriteWords() const {
    return "rewrites " + (is_counted() ? Count(crd_.object_count, "object") : "all objects");
  }
  migrate::report::MigrationPasses Passes() const {
    return {.objects = crd_.object_count, .bytes = crd_.object_bytes};
  }
  std::string NeedsOfRewrite(bool is_behind) const {
    std::vector<std::string> needs;
    const bool converts =
        is_behind || !crd_.replaced ? crd_.converts_by_webhook : crd_.replaced->converts_by_webhook;
    if (converts) needs.push_back("the conversion webhook of " + crd_.name + " answers");
    if (std::string paused = PausedOwner(crd_); !paused.empty()) needs.push_back(std::move(paused));
    return Join(needs, "; ");
  }

  std::string Check(const std::string& flags = "") const { return Own("check ") + flags; }
  std::string Suggest() const { return Own("suggest "); }
  std::string Own(const std::string& command) const {
    return migrate::report::OwnClusterCommand(command + terminal::ShellWord(crd_.name) +
                                              FileFlag(crd_.source));
  }

  bool lacks_storage_version() const { return Has(missing_, crd_.replaced->storage_version); }
  bool preserves() const { return crd_.replaced && crd_.replaced->preserve_unknown_fields; }
  // Pruning comes with the file, whether or not the server takes it as it is.
  bool brings_pruning() const {
    return preserves() &&
           (crd_.IsRefusedUntilPruning() || (crd_.apply && !crd_.apply->preserves_unknown_fields));
  }
  // As no other version, as far as status.storedVersions tells.
  bool IsStoredAs(const std::string& version) const {
    return crd_.stored_versions == std::vector{version};
  }
  bool moves_storage_version() const {
    return crd_.replaced->storage_version != crd_.storage_version;
  }
  // What the order of steps sees to, or nobody has to. Where the server takes the file nothing is
  // wrong with its spec.preserveUnknownFields; of one that it refuses, only where the cluster's CRD
  // preserves unknown fields a step turns pruning on.
  bool IsSeenTo(const Problem& problem) const {
    if (problem.field.starts_with("status.storedVersions")) return true;
    return (preserves() || is_accepted()) && (problem.field == "spec.preserveUnknownFields" ||
                                              ApplyReport::WantsNoWebhook(problem.message));
  }
  bool IsSeenTo(const std::string& cause) const {
    if (cause.starts_with("status.storedVersions") || ApplyReport::IsAboutLength(cause))
      return true;
    return preserves() && (cause.starts_with("spec.preserveUnknownFields: ") ||
                           ApplyReport::IsAboutPruning(cause));
  }
  bool WantsNoWebhookYet() const {
    return crd_.apply && std::ranges::any_of(crd_.apply->causes, ApplyReport::WantsNoWebhook);
  }

  void Fix(std::string reason) {
    plan_.is_stuck = true;
    plan_.fix.push_back({"fix " + crd_.name + " in " + terminal::FileArgument(crd_.source), Check(),
                         std::move(reason)});
  }

  // All that is refused for other reasons than the order of steps sees to; empty: nothing is known.
  std::string OtherCauses() const {
    if (!crd_.apply || crd_.apply->accepted || !crd_.apply->not_asked_because.empty()) return "";
    if (crd_.apply->causes.empty()) {
      return ApplyReport::IsAboutLength(crd_.apply->message) ? "" : crd_.apply->message;
    }
    std::vector<std::string> others;
    std::ranges::copy_if(crd_.apply->causes, std::back_inserter(others),
                         [this](const std::string& cause) { return !IsSeenTo(cause); });
    return Join(others, "; ");
  }

  bool is_accepted() const { return crd_.apply && crd_.apply->accepted; }
  bool is_taken() const { return is_accepted() && crd_.apply->not_asked_because.empty(); }

  void FindFix() {
    if (!crd_.error.empty()) return FindOut();
    // In the server's own words, where there are some.
    const bool is_asked = crd_.apply && crd_.apply->not_asked_because.empty();
    if (is_asked && FixCauses()) return;
    if (!is_accepted() && FixAdmission()) return;
    if (crd_.DropsConversion()) return FixConversion();
    if (!crd_.problems.empty() && !is_taken()) return Fix(crd_.problems.front().message);
    FindFixOfPruning();
  }

  // False: there is nothing that it would have to be fixed for.
  bool FixAdmission() {
    std::vector<std::string> refused;
    for (const Problem& problem : crd_.admission_problems) {
      if (IsSeenTo(problem)) continue;
      refused.push_back(problem.message);
      if (!Contains(problem.message, kImmutable)) continue;
      FixImmutable(problem.message);
      return true;
    }
    if (!refused.empty()) Fix(Words(Join(refused, "; ")));
    return !refused.empty();
  }

  // As FixAdmission, by what the server said.
  bool FixCauses() {
    const std::string causes = OtherCauses();
    if (causes.empty()) return false;
    Contains(causes, kImmutable) ? FixImmutable(causes) : Fix(Words(causes) + RemnantPlan(causes));
    return true;
  }

  // Apply leaves of a webhook what the file does not name.
  std::string RemnantPlan(const std::string& causes) const {
    if (!Contains(causes, "spec.conversion.webhookClientConfig: Forbidden")) return "";
    const std::string nulls = crd_.is_v1beta1
                                  ? "webhookClientConfig: null and conversionReviewVersions: null"
                                  : "webhook: null";
    return ". The cluster's CRD has a conversion webhook that the file does not name: say " +
           nulls + " beside strategy: None in the file, or take it away by: kubectl patch crd " +
           terminal::ShellWord(crd_.name) + ClusterFlags() +
           R"( --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}')";
  }

  // Of these pruning cannot come on, or stay on.
  void FindFixOfPruning() {
    if (!crd_.replaced || !crd_.apply) return;
    const bool turns_off = !preserves() && crd_.preserve_unknown_fields &&
                           (crd_.apply->preserves_unknown_fields || !crd_.apply->accepted);
    if (turns_off) {
      return Fix(
          "the cluster's CRD prunes, and the file says spec.preserveUnknownFields: true: "
          "take that out of it");
    }
    if (crd_.IsRefusedUntilPruning() && crd_.preserve_unknown_fields && !WantsNoWebhookYet()) {
      Fix("no defaults while unknown fields are preserved: say spec.preserveUnknownFields: false "
          "in it, or take the defaults out");
    }
  }

  void FindOut() {
    plan_.is_stuck = true;
    plan_.fix.push_back(
        {"find out what keeps " + crd_.name + " from being checked", Check(), Words(crd_.error)});
  }

  void FixConversion() {
    Fix("it has no conversion webhook any more, and objects may be stored as " +
        Join(crd_.stored_versions, ", ") +
        ": keep spec.conversion in this release, migrate behind it, and drop it in the next one");
  }

  void FixImmutable(const std::string& why) {
    Fix(why +
        ": no update can do it. Leave it as it is, or give the CRD another name or group and move "
        "the objects there; to delete the CRD deletes every object of it");
  }

  void FindDecisions() {
    if (crd_.objects_losing_fields > 0 || crd_.MakesInvalid()) {
      plan_.decisions.push_back(
          {"add what " + crd_.name + " would lose to its schema, or let it be lost", Suggest(),
           Count(crd_.objects_losing_fields, "object") + " of " +
               std::to_string(crd_.object_count) + " would lose fields"});
    }
    if (crd_.replaced && !preserves()) KeepObjects();
    if (crd_.file_objects &&
        (crd_.file_objects->objects_losing_fields > 0 || crd_.file_objects->validity.objects > 0)) {
      plan_.decisions.push_back({"fix the objects of " + crd_.name + " that are in the files",
                                 Check(), "the server would refuse some, or drop fields of them"});
    }
    if (const std::string why = AgainstPruning(); !why.empty()) {
      plan_.decisions.push_back(
          {"fix the schema of " + crd_.name + " before pruning is turned on", Suggest(), why});
    }
    if (crd_.HasInvalid()) {
      plan_.decisions.push_back({"fix the objects of " + crd_.name + ", or loosen its schema",
                                 Check(" --show-objects"),
                                 "the server would refuse the next write of some"});
    }
  }

  // What a server that takes the file says once pruning is to be on; empty: nothing.
  std::string AgainstPruning() const {
    if (!crd_.problems.empty()) return crd_.problems.front().message;
    if (!is_accepted()) return "";
    const auto found = std::ranges::find_if(
        crd_.admission_problems, [this](const Problem& problem) { return !IsSeenTo(problem); });
    return found == crd_.admission_problems.end() ? "" : Words(found->message);
  }

  // Where no backup is made before pruning is turned on.
  void KeepObjects() {
    const std::vector<std::string>& served = crd_.replaced->served_versions;
    std::set<std::string> shown_in = crd_.VersionsThatShow();
    if (crd_.objects_losing_fields > 0 && !served.empty()) {
      const std::string& version = Has(served, crd_.replaced->storage_version)
                                       ? crd_.replaced->storage_version
                                       : served.front();
      KeepObjectsOf(version, "what is lost is in no other backup");
      shown_in.erase(version);
    }
    for (const std::string& version : shown_in) {
      KeepObjectsOf(version, "it may show what " + crd_.replaced->storage_version +
                                 " does not, and a migration removes");
    }
  }

  void KeepObjectsOf(const std::string& version, std::string reason) {
    const std::string file = crd_.ResourceIn(version) + "-before.json";
    plan_.decisions.push_back(
        {"keep the objects of " + crd_.name + " as " + version + " shows them",
         "kubectl get " + terminal::ShellWord(crd_.ResourceIn(version)) + " -A -o json" +
             ClusterFlags() + " > " + terminal::ShellWord(file),
         std::move(reason)});
  }

  std::string StorageVersionWords() const {
    return crd_.replaced->storage_version +
           " is the storage version, and the file lacks it. The server takes no CRD without a "
           "version that objects may be stored in";
  }

  void FindBefore() {
    DropLastApplied();
    if (preserves() && (brings_pruning() || !missing_.empty())) return FindBeforePruning();
    if (missing_.empty()) return FindBeforeReturn();
    if (lacks_storage_version()) ApplyTransitional(crd_.storage_version, StorageVersionWords());
    migrated_to_ = lacks_storage_version() ? crd_.storage_version : crd_.replaced->storage_version;
    plan_.before.push_back(
        MigrateStep("migrate " + crd_.name,
                    "objects may be stored as " + Join(missing_, ", ") +
                        ". Until status.storedVersions no longer has it, it has to "
                        "stay in the CRD",
                    /*is_behind=*/false));
  }

  // Servers of 1.20 keep it up to date by server-side apply, too, and refuse that as too long.
  void DropLastApplied() {
    if (!plan_.needs_server_side || !crd_.replaced->has_last_applied) return;
    plan_.before.push_back(
        {"take the manifest that was applied last out of " + crd_.name,
         "kubectl annotate crd " + terminal::ShellWord(crd_.name) + ClusterFlags() +
             " kubectl.kubernetes.io/last-applied-configuration-",
         "the CRD came by client-side apply, which keeps it in an annotation; where that is there "
         "older servers refuse a server-side apply as too long, too",
         "", "changes an annotation of 1 CRD"});
  }

  // Fields that a schema took may still be in etcd, and come back where a schema has them again.
  void FindBeforeReturn() {
    if (preserves() || crd_.returning_fields.empty()) return;
    migrated_to_ = crd_.replaced->storage_version;
    plan_.before.push_back(
        MigrateStep("migrate " + crd_.name,
                    "etcd may still hold what objects had at " + Join(crd_.returning_fields, ", ") +
                        ": with the file old values come back, whatever they are",
                    /*is_behind=*/false));
  }

  // Whether the file has a webhook convert objects, and the cluster none.
  bool brings_webhook() const {
    return crd_.converts_by_webhook && !crd_.replaced->converts_by_webhook;
  }

  // Each version but the one that objects are stored in is had from it alone.
  void AskNewWebhook() {
    std::vector<std::string> served;
    for (const auto& version : crd_.versions) {
      if (version.served) served.push_back(version.name);
    }
    if (served.empty()) return;
    std::vector<std::string> commands;
    for (const std::string& version : served) {
      commands.push_back("kubectl get " + terminal::ShellWord(crd_.ResourceIn(version)) +
                         ClusterFlags() + " -A -o name > /dev/null");
    }
    plan_.behind.push_back(
        {"see that the conversion webhook of " + crd_.name + " answers", Join(commands, " && "),
         "from the apply on it has to convert " + Join(crd_.stored_versions, ", ") + " to " +
             Join(served, ", ") +
             " and back; while it does not answer no other version can be read or written"});
    plan_.brings_webhook = true;
  }

  std::string SideFlags() const {
    const bool is_so = plan_.needs_server_side || !plan_.manager.empty();
    return is_so ? ServerSideFlags(plan_.manager) : "";
  }

  void ApplyTransitional(const std::string& storage_version, std::string reason) {
    plan_.needs_two_releases = true;
    plan_.before.push_back(
        {"apply " + crd_.name + " with the versions of both, " + storage_version +
             " as the storage version",
         Check(" --print-transitional | kubectl apply" + SideFlags() + ClusterFlags() + " -f -"),
         std::move(reason), PausedOwner(crd_), "changes 1 CRD"});
  }

  // No webhook converts while unknown fields are preserved: objects stay in the version that they
  // are stored in until it is there.
  bool WaitsForWebhook() const {
    return missing_.empty() && (WantsNoWebhookYet() || brings_webhook());
  }

  // By the schemas in the cluster alone more would be lost than by those of the file, and they need
  // not be structural.
  void FindBeforePruning() {
    const bool is_in_one_step = missing_.empty() && !moves_storage_version();
    if (is_in_one_step && !WaitsForWebhook()) return TurnOnByFile();
    const std::string& version =
        WaitsForWebhook() ? crd_.replaced->storage_version : crd_.storage_version;
    if (!IsTransitionalThere(version)) ApplyTransitionalUnpruned(version);
    RecordPruningOn(version);
    const std::string when = IsStoredAs(version) ? "" : " both before and after";
    plan_.before.push_back(TurnOnStep(
        "turn pruning on for " + crd_.name, "",
        "objects are rewritten as " + version + when + ", with a backup of what is lost", version,
        /*is_behind=*/false));
  }

  // That the cluster's CRD is the file's but for the versions that go, for defaults, and for what
  // comes with a webhook.
  bool IsTransitionalThere(const std::string& storage_version) const {
    if (crd_.replaced->storage_version != storage_version || !crd_.changes) return false;
    if (crd_.changes->left_out > 0 || crd_.changes->is_partial) return false;
    return std::ranges::all_of(crd_.changes->changes, [this](const auto& change) {
      return change.version.empty() || Has(missing_, change.version) || change.kind == "default" ||
             change.kind == "required" || change.kind == "versionRemoved";
    });
  }

  void ApplyTransitionalUnpruned(const std::string& storage_version) {
    std::string reason;
    if (lacks_storage_version()) reason = StorageVersionWords() + ". ";
    if (WaitsForWebhook()) reason = "no webhook converts while unknown fields are preserved. ";
    ApplyTransitional(
        storage_version,
        reason +
            "Unknown fields stay preserved, and defaults come with the file itself. Until the last "
            "step nobody else applies the file: that would turn pruning on without a backup");
  }

  // From then on pruning is on, and objects are stored as that version.
  void RecordPruningOn(const std::string& storage_version) {
    turns_on_ = true;
    migrated_to_ = storage_version;
  }

  void TurnOnByFile() {
    RecordPruningOn(crd_.storage_version);
    const std::string reason =
        crd_.IsRefusedUntilPruning()
            ? "kubectl apply is refused until pruning is on: " + Words(crd_.apply->message)
            : "kubectl apply alone would turn pruning on without a backup";
    plan_.before.push_back(TurnOnStep("turn pruning on for " + crd_.name + " by the CRD of " +
                                          terminal::FileArgument(crd_.source),
                                      FileFlag(crd_.source), reason, crd_.storage_version,
                                      /*is_behind=*/false));
  }

  void FindBehindNew() {
    const bool preserves = crd_.apply && crd_.apply->preserves_unknown_fields;
    if (preserves && AgainstPruning().empty()) TurnOnBehind();
  }

  void FindBehind() {
    if (brings_webhook()) AskNewWebhook();
    const bool stays_unpruned = preserves() && !turns_on_;
    const bool is_moved = moves_storage_version() && migrated_to_ != crd_.storage_version;
    const bool is_older_stored = migrated_to_.empty() && missing_.empty() && crd_.migration_needed;
    if (stays_unpruned && !AgainstPruning().empty()) {
      return FindLater(is_moved || is_older_stored);  // a person has to fix it first
    }
    if (stays_unpruned) {
      TurnOnBehind();
    } else if (is_moved || is_older_stored) {
      plan_.behind.push_back(MigrateStep(
          "migrate " + crd_.name,
          "objects stay stored as they are until they are rewritten as " + crd_.storage_version,
          /*is_behind=*/true));
    } else if (!crd_.stale_managed_fields.empty()) {
      CleanManagedFields();
    }
    FindLater(is_moved || is_older_stored);
  }

  // Who applied v1beta1 before leaves it off by a file of v1 that says nothing of it, too.
  void TurnOnBehind() {
    const std::string line = "spec.preserveUnknownFields: true";
    std::string reason = "the file leaves it off";
    if (crd_.preserve_unknown_fields) {
      reason = crd_.is_v1beta1 ? reason + ". Delete " + line + " from it first, if it says that"
                               : "Delete " + line + " from the file first";
    }
    plan_.behind.push_back(TurnOnStep("turn pruning on for " + crd_.name, "", std::move(reason),
                                      crd_.storage_version, /*is_behind=*/true));
  }

  void CleanManagedFields() {
    std::set<std::string> versions;
    for (const auto& entry : crd_.stale_managed_fields) versions.insert(entry.api_version);
    plan_.behind.push_back(
        MigrateStep("clean the managedFields of " + crd_.name,
                    "entries of " + Join(versions, ", ") +
                        " make server-side apply fail where the CRD has no such version",
                    /*is_behind=*/true));
  }

  void FindLater(bool is_stored_anew) {
    std::vector<std::string> old, served;
    for (const auto& version : crd_.versions) {
      const bool was_stored = Has(crd_.stored_versions, version.name);
      if (!was_stored || version.name == crd_.storage_version) continue;
      old.push_back(version.name);
      if (version.served) served.push_back(version.name);
    }
    if (old.empty() || !is_stored_anew) return;
    const std::string release = "a later release of " + crd_.name + " may ";
    plan_.later.push_back({served.empty() ? release + "remove " + Join(old, ", ")
                                          : release + "stop to serve " + Join(served, ", ") +
                                                ", and the one after that may remove it",
                           "kubectl get crd " + terminal::ShellWord(crd_.name) + ClusterFlags() +
                               " -o jsonpath='{.status.storedVersions}'",
                           "once that names " + crd_.storage_version +
                               " alone, and no client asks for another version any more"});
  }

  const CrdReport& crd_;
  const bool is_whole_;
  std::vector<std::string> missing_;  // of status.storedVersions, in the file
  bool turns_on_ = false;             // a step before the apply turns pruning on
  std::string migrated_to_;           // by a step before the apply; empty: there is none
  CrdPlan plan_;
};

}  // namespace

CrdPlan FindCrdPlan(const CrdReport& crd, bool is_alone, bool is_whole) {
  return CrdPlanFinder(crd, is_whole).Run(is_alone);
}

std::string FileFlag(const std::string& source) {
  return " -f " + terminal::ShellWord(source == "<stdin>" ? "-" : source);
}

std::string ServerSideFlags(const std::string& manager) {
  std::string flags = " --server-side --force-conflicts";
  if (!manager.empty()) flags += " --field-manager=" + terminal::ShellWord(manager);
  return flags;
}

std::string PausedOwner(const CrdReport& crd) {
  if (!crd.replaced || crd.replaced->gitops_owner.empty()) return "";
  return "pause " + crd.replaced->gitops_owner + " for " + crd.name +
         " until its manifest is that of the files";
}

}  // namespace plugin::report
