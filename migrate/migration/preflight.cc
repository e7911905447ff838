#include "migrate/migration/preflight.h"

#include <algorithm>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/crd/crd_condition.h"
#include "kube/json/json.h"
#include "migrate/check/crd_facts.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/crd_request.h"
#include "migrate/migration/access_review.h"
#include "migrate/migration/storage_migration.h"
#include "migrate/report/program_name.h"

namespace migrate::migration {
namespace {

constexpr char kCrdGroup[] = "apiextensions.k8s.io";
constexpr char kCrdPlural[] = "customresourcedefinitions";
constexpr const char* kEngineVerbs[] = {"create", "get", "delete"};

const kube::json::Value* SchemaOf(const kube::crd::Crd& crd, const std::string& version) {
  for (const auto& one : crd.document->root().At("spec").At("versions").elements()) {
    if (one.FindText("name") == version) return one.Find("schema");
  }
  return nullptr;
}

// Without one of its own a version has that of v1beta1 for all.
bool HaveSameSchema(const kube::crd::Crd& crd, const std::string& one, const std::string& other) {
  const kube::json::Value* left = SchemaOf(crd, one);
  const kube::json::Value* right = SchemaOf(crd, other);
  if (left == nullptr || right == nullptr) return left == right;
  return kube::json::Equal(*left, *right);
}

/// The checks one after the other, some of which ask the server; the first one that refuses, and
/// returns false, ends them.
class PreflightCheck {
 public:
  PreflightCheck(const kube::crd::Crd& crd, const std::string& target,
                 const PreflightOptions& options, kube::client::Client& client)
      : crd_(crd), target_(target), options_(options), client_(client) {}

  Preflight Run() {
    result_.version = check::ReadVersion(crd_);
    for (const Check check : kChecks) {
      if (!(this->*check)()) return std::move(result_);
    }
    FindTrimRights();
    return std::move(result_);
  }

 private:
  bool Refuse(std::string why) {
    result_.refusal = std::move(why);
    return false;
  }

  bool turns_pruning_on() const { return options_.enable_pruning && crd_.preserve_unknown_fields; }

  bool CheckServed() {
    const std::string why = check::DescribeLiveCrd(crd_).not_served_because;
    const std::string look =
        " (kubectl get crd " + crd_.name + " -o yaml" + report::ClusterFlags() + ")";
    if (!why.empty()) return Refuse(why + look);
    if (crd_.StorageVersion() == nullptr) return Refuse("it has no storage version" + look);
    if (result_.version.empty()) {
      return Refuse("no version is served, so its objects can be neither read nor written; set " +
                    std::string("served: true for one") + look);
    }
    return true;
  }

  bool CheckPruningWanted() {
    if (!crd_.preserve_unknown_fields || options_.enable_pruning) return true;
    if (options_.mutates) {
      result_.kept_because = "unknown fields are preserved, which --enable-pruning ends first";
      return true;
    }
    return Refuse(
        "it preserves unknown fields, so a rewrite would prune nothing; see what pruning would "
        "remove by: " +
        report::OwnClusterCommand("check " + crd_.name) +
        ", then run: " + report::OwnClusterCommand("migrate " + crd_.name + " --enable-pruning"));
  }

  // After pruning is on there is no backup any more of what the written version's schema does not
  // know.
  bool CheckWrittenWhole() {
    const kube::crd::CrdVersion& storage = *crd_.StorageVersion();
    const kube::crd::CrdVersion* written = crd_.FindVersion(result_.version);
    const bool converts = crd_.conversion.strategy != "None";
    if (crd_.preserve_unknown_fields || written == &storage || converts) return true;
    if (HaveSameSchema(crd_, storage.name, written->name)) return true;
    return Refuse("the storage version " + storage.name +
                  " is not served, and an object that is rewritten as " + written->name +
                  " loses the fields that only the schema of " + storage.name +
                  " specifies; set served: true for it while you migrate");
  }

  // Whoever mutates objects of a CRD that preserves unknown fields may have a schema to fix yet.
  bool CheckStructural() {
    if (crd_.preserve_unknown_fields && !options_.enable_pruning) return true;
    const std::string problem = StructuralProblem();
    if (problem.empty()) return true;
    return Refuse("its schema is not structural: " + problem +
                  "; see all problems, and how to fix them, by: " +
                  report::OwnClusterCommand("check " + crd_.name));
  }

  // The server's own condition also names spec.preserveUnknownFields, which is about to be fixed;
  // of a CRD that it prunes already its opinion of the schema counts, not ours.
  std::string StructuralProblem() const {
    if (!turns_pruning_on()) {
      const bool has_condition = crd_.IsConditionTrue("NonStructuralSchema");
      if (!has_condition) return "";
      return std::string(crd_.FindCondition("NonStructuralSchema")->FindText("message"));
    }
    for (const kube::crd::VersionProblems& version : kube::crd::FindStructuralProblems(crd_)) {
      if (version.conversion_error) return version.version + ": " + *version.conversion_error;
      if (!version.errors.empty()) return version.errors.front().ToString();
    }
    return "";
  }

  bool CheckOtherMigrations() {
    const auto others =
        FindStorageMigrations(crd_.group, crd_.names.plural, options_.own_migration, client_);
    result_.engine_version = others.in_tree_version;
    result_.has_own_migration = others.has_own;
    if (!CheckMark(others)) return false;
    if (!others.running.empty()) {
      return Refuse("another storage migration is under way: " + others.running +
                    "; wait for it to end, or delete it: kubectl get " + others.running +
                    " -o yaml" + report::ClusterFlags());
    }
    if (!others.unknown_because.empty()) {
      result_.warnings.push_back("whether another storage migration is under way is unknown: " +
                                 others.unknown_because);
    }
    return true;
  }

  // Set by the in-tree storage version migrator since 1.36 for the time of a migration; what it
  // leaves behind where its StorageVersionMigration is deleted meanwhile keeps nobody.
  bool CheckMark(const StorageMigrations& others) {
    if (!crd_.IsConditionTrue("StorageMigrating") || others.has_own) return true;
    const bool are_known = !others.in_tree_version.empty() && others.unknown_because.empty();
    if (are_known && others.running.empty()) {
      result_.warnings.push_back(
          "its condition StorageMigrating is true, but no StorageVersionMigration of it is under "
          "way: somebody has deleted one before it had ended");
      return true;
    }
    if (are_known) return true;
    return Refuse(
        "another storage migration is under way (condition StorageMigrating); wait "
        "for it to end: kubectl get crd " +
        crd_.name + " -o yaml" + report::ClusterFlags());
  }

  Access AccessToObjects(const std::string& verb) const {
    return {.verb = verb,
            .group = crd_.group,
            .resource = crd_.names.plural,
            .namespace_ = options_.namespace_};
  }
  bool MayObjects(const std::string& verb) { return IsAllowed(AccessToObjects(verb)); }

  // What is asked one after the other takes longer than the first hundred writes.
  bool AskForRights() {
    std::vector<Access> needed = {AccessToObjects(ReadVerb())};
    if (options_.dry_run != report::DryRun::kClient) {
      needed.push_back(AccessToObjects("patch"));
      if (ReadsObjects() || options_.may_clean) needed.push_back(AccessToObjects("get"));
      if (turns_pruning_on()) {
        needed.push_back(AccessToCrd(""));
        needed.push_back(AccessToObjects("get"));
        if (options_.backs_up) needed.push_back(AccessToObjects("watch"));
      }
    }
    if (Trims()) needed.push_back(AccessToCrd("status"));
    if (AsksForEngine()) {
      for (const char* verb : kEngineVerbs) needed.push_back(AccessToMigrations(verb));
    }
    Ask(needed);
    return true;
  }

  bool AsksForEngine() const { return options_.asks_for_engine && !result_.engine_version.empty(); }

  static Access AccessToMigrations(const char* verb) {
    return {.verb = verb, .group = kGroup, .resource = kResource};
  }

  bool CheckEngine() {
    if (options_.needs_engine && result_.engine_version.empty()) {
      return Refuse(std::string("the server has no engine of its own: it does not serve ") +
                    kGroup +
                    " (Kubernetes 1.35 and later do, where the feature gate StorageVersionMigrator "
                    "is on); leave --engine=in-cluster out");
    }
    if (!AsksForEngine()) return true;
    const std::string resource = std::string(kResource) + "." + kGroup;
    for (const char* verb : kEngineVerbs) {
      if (IsAllowed(AccessToMigrations(verb))) continue;
      if (options_.needs_engine) {
        Miss(verb, resource);
        continue;
      }
      result_.engine_missing = std::string("the right to ") + verb + " " + resource + " is missing";
      return true;
    }
    return RefuseMissing();
  }

  void Ask(const std::vector<Access>& accesses) {
    const std::vector<bool> allowed = AskWhetherAllowed(accesses, client_);
    for (std::size_t i = 0; i < accesses.size(); ++i) rights_.push_back({accesses[i], allowed[i]});
  }

  bool IsAllowed(const Access& access) {
    const auto is_it = [&access](const Right& right) { return right.access == access; };
    if (std::ranges::none_of(rights_, is_it)) Ask({access});
    return std::ranges::find_if(rights_, is_it)->is_there;
  }

  std::string ReadVerb() const { return options_.by_name ? "get" : "list"; }

  bool Trims() const {
    const std::string& storage = crd_.StorageVersion()->name;
    return options_.trims && crd_.stored_versions != std::vector<std::string>{storage};
  }

  /// `where`: the flags by which kubectl is asked the same.
  void Miss(const std::string& verb, const std::string& resource, const std::string& where = "") {
    const std::string right = verb + " " + resource;
    if (std::ranges::find(missing_, right, &MissingRight::right) != missing_.end()) return;
    missing_.push_back({right, "kubectl auth can-i " + right + where + report::ClusterFlags()});
  }

  // All at once: who has to ask somebody else for them asks once.
  bool RefuseMissing() {
    if (missing_.empty()) return true;
    std::vector<std::string> rights, commands;
    for (const MissingRight& missing : missing_) {
      rights.push_back("the right to " + missing.right + " is missing");
      commands.push_back(missing.command);
    }
    return Refuse(kube::base::Join(rights, ", ") +
                  (missing_.size() == 1 ? "; ask for it" : "; ask for them") +
                  ", or be somebody else by --as; see: " + kube::base::Join(commands, "; "));
  }

  // Where the objects are; without it kubectl would ask about one namespace.
  std::string Where() const {
    if (crd_.scope != "Namespaced") return "";
    return options_.namespace_.empty() ? " -A" : " -n " + options_.namespace_;
  }

  bool ReadsObjects() const { return options_.cleans || options_.mutates; }

  bool CheckRightsToRewrite() {
    const std::string resource = crd_.names.plural + "." + crd_.group;
    const std::string read = ReadVerb();
    if (!MayObjects(read)) Miss(read, resource, Where());
    if (options_.dry_run == report::DryRun::kClient) return true;
    if (ReadsObjects() && !MayObjects("get")) Miss("get", resource, Where());
    if (options_.may_clean && !MayObjects("get")) {
      result_.may_not_clean = true;
      result_.warnings.push_back("the right to get " + resource +
                                 " is missing; managedFields that a write empties are not kept");
    }
    if (MayObjects("patch")) return true;
    if (!MayObjects("update") || !MayObjects("get")) {
      Miss("patch", resource, Where());
      return true;
    }
    result_.by_update = true;
    result_.warnings.push_back("the right to patch " + resource +
                               " is missing; each object is read and updated instead");
    return true;
  }

  Access AccessToCrd(const std::string& subresource) const {
    return {.verb = "patch",
            .group = kCrdGroup,
            .resource = kCrdPlural,
            .subresource = subresource,
            .name = crd_.name};
  }

  bool CheckRightsToPrune() {
    if (!turns_pruning_on() || options_.dry_run == report::DryRun::kClient) return true;
    if (!IsAllowed(AccessToCrd(""))) {
      Miss("patch", std::string(kCrdPlural) + "." + kCrdGroup + "/" + crd_.name);
    }
    // By reading some it is seen whether the server prunes already.
    const std::string resource = crd_.names.plural + "." + crd_.group;
    if (!MayObjects("get")) Miss("get", resource, Where());
    if (options_.backs_up && !MayObjects("watch")) {
      result_.warnings.push_back("the right to watch " + resource +
                                 " is missing; objects that are written while the backup is made "
                                 "will be held");
    }
    return true;
  }

  // The server knows reasons that nobody else does: CEL rules, admission policies, its release.
  bool TryTurningPruningOn() {
    if (!turns_pruning_on() || options_.dry_run == report::DryRun::kClient) return true;
    const auto answer =
        check::PatchPruningOn(client_, target_, options_.pruning_patch, crd_.resource_version,
                              /*dry_run=*/true);
    if (answer) return true;
    const kube::client::CallError& error = answer.error();
    if (IsDryRunUnsupported(error)) {
      result_.warnings.push_back(
          "the server cannot be asked in advance whether it would turn "
          "pruning on: " +
          error.message);
      return true;
    }
    if (MeaningOf(error) == kube::client::Meaning::kConflict) {
      return Refuse("it was changed by somebody else just now; run the same command again");
    }
    return Refuse(
        "the server would not turn pruning on: " + error.message +
        "\nsee what else is in the way by: " + report::OwnClusterCommand("check " + crd_.name));
  }

  void FindTrimRights() {
    if (!Trims() || IsAllowed(AccessToCrd("status"))) return;
    const std::string resource = std::string(kCrdPlural) + "/status";
    result_.kept_because = "the right to patch " + resource + " is missing";
    result_.warnings.push_back(
        "status.storedVersions will be left as it is: " + result_.kept_because +
        " (kubectl auth can-i patch " + "customresourcedefinitions --subresource=status" +
        report::ClusterFlags() + ")");
  }

  using Check = bool (PreflightCheck::*)();
  static constexpr Check kChecks[] = {
      &PreflightCheck::CheckServed,          &PreflightCheck::CheckPruningWanted,
      &PreflightCheck::CheckWrittenWhole,    &PreflightCheck::CheckStructural,
      &PreflightCheck::CheckOtherMigrations, &PreflightCheck::AskForRights,
      &PreflightCheck::CheckRightsToRewrite, &PreflightCheck::CheckRightsToPrune,
      &PreflightCheck::RefuseMissing,        &PreflightCheck::CheckEngine,
      &PreflightCheck::TryTurningPruningOn};

  const kube::crd::Crd& crd_;
  const std::string& target_;
  const PreflightOptions& options_;
  kube::client::Client& client_;
  struct Right {
    Access access;
    bool is_there;
  };
  std::vector<Right> rights_;  // that were asked for
  struct MissingRight {
    std::string right, command;  // "patch widgets.demo.example.com"
  };
  std::vector<MissingRight> missing_;
  Preflight result_;
};

}  // namespace

Preflight CheckBefore(const kube::crd::Crd& crd, const std::string& target,
                      const PreflightOptions& options, kube::client::Client& client) {
  return PreflightCheck(crd, target, options, client).Run();
}

}  // namespace migrate::migration
