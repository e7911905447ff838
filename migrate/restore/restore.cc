#include "migrate/restore/restore.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/private_file.h"
#include "migrate/migration/access_review.h"
#include "migrate/report/program_name.h"
#include "migrate/restore/crd_account.h"
#include "migrate/rewrite/backup.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::restore {
namespace {

using kube::base::Error;
using report::RestoreClass;
using rewrite::ExchangePool;

constexpr std::chrono::seconds kChangeInterval(1);
constexpr std::size_t kRefusedShown = 5;

/// The class that a streak of failures is told apart by.
report::ObjectClass AsObjectClass(RestoreClass restore_class) {
  return restore_class == RestoreClass::kForbidden ? report::ObjectClass::kForbidden
                                                   : report::ObjectClass::kFailed;
}

/// The accounts of all CRDs that a backup has objects of, and which of these count.
class Accounts {
 public:
  Accounts(const RestoreOptions& options, const rewrite::MigrationSession& session)
      : options_(options), session_(session) {
    for (std::size_t i = 0; i < fields().paths().size(); ++i) unmet_fields_.insert(i);
  }

  /// Reads the whole backup: nothing was written before. Throws kube::base::Error.
  void Open() {
    ReadBackup(options_.backup, [this](const ReadObject& object) { Look(object); });
    if (accounts_.empty() && !session_.is_stopped())
      throw Error("the backup \"" + options_.backup + "\" holds no objects");
    for (const check::DiffTarget& target : options_.targets) RequireMet(target);
    for (const auto& [type, account] : accounts_) Check(*account);
    ReportUnmetFields();
  }

  /// Whether an object of the backup counts; the null pointer: it does not.
  CrdAccount* FindChosen(const ReadObject& object) const {
    const auto found = accounts_.find(TypeOf(object));
    if (found == accounts_.end() || !IsChosen(*found->second, object)) return nullptr;
    return found->second.get();
  }

  std::map<std::string, std::unique_ptr<CrdAccount>>& all() { return accounts_; }

 private:
  const kube::meta::FieldChoice& fields() const { return options_.settings.compare.fields; }

  static std::string TypeOf(const ReadObject& object) {
    return std::string(object.kind) + "." + std::string(object.group);
  }

  void Look(const ReadObject& object) {
    if (session_.is_stopped()) return;
    if (!seen_.insert(cluster::StableHash(object.Identity())).second) {
      throw Error("the backup has " + object.FullName() +
                  " more than once: restore one backup after the other, the newest last");
    }
    CrdAccount* account = Account(object);
    if (account == nullptr) return;
    account->LookForLoss(object.value);
    NoteMet(*account, object);
    if (!IsChosen(*account, object)) return account->CountNotChosen();
    account->CountChosen();
    std::erase_if(unmet_fields_, [&](std::size_t i) { return fields().IsIn(i, object.value); });
    const std::string name = object.FullName();
    account->crd().CountPrunedAgain(object.value, fields(), {object.place, name},
                                    account->refused());
  }

  // The null pointer: the run is to be stopped.
  CrdAccount* Account(const ReadObject& object) {
    std::unique_ptr<CrdAccount>& account = accounts_[TypeOf(object)];
    if (!account) account = MakeAccount(object);
    if (!account) accounts_.erase(TypeOf(object));
    return account.get();
  }

  std::unique_ptr<CrdAccount> MakeAccount(const ReadObject& object) {
    const cluster::ProgressFunction no_progress;
    cluster::ClusterReader reader(session_, {}, no_progress);
    check::ClusterCrds found = FindCrd(object, reader);
    if (session_.is_stopped()) return nullptr;
    if (!found.unread.empty()) throw Error(found.unread.front().error);
    const std::string target =
        found.target + "/" + kube::client::UrlEscape(found.crds.begin()->first);
    auto crd = check::GetCrd(session_.client, target);
    if (session_.is_stopped()) return nullptr;
    if (!crd) throw Error(crd.error().message);
    PrunedBy pruned_by = FindPrunedBy(*crd);
    auto account = std::make_unique<CrdAccount>(
        CrdTarget(*std::move(crd), std::move(pruned_by.crd), FindServerRules()), target, session_);
    account->why_unknown = pruned_by.why_unknown;
    account->report().pruned_by = pruned_by.file;
    account->report().dry_run = options_.settings.dry_run;
    Select(*account);
    return account;
  }

  // Others hear what the server itself says.
  std::optional<check::ServerRules> FindServerRules() {
    if (options_.settings.dry_run != report::DryRun::kClient) return std::nullopt;
    if (!server_rules_) server_rules_ = check::RulesOf(check::AskRelease(session_.client));
    return server_rules_;
  }

  check::ClusterCrds FindCrd(const ReadObject& object, cluster::ClusterReader& reader) const {
    try {
      return check::ReadClusterCrds({.names = {TypeOf(object)}, .skip_objects = true}, {}, reader);
    } catch (const Error& error) {
      if (!std::string_view(error.what()).starts_with(check::kNoCrd)) throw;
      throw Error("the backup \"" + options_.backup + "\" has " + object.FullName() +
                  ", and the cluster has " + error.what() +
                  ": apply the CustomResourceDefinition first");
    }
  }

  /// What is known of the schemas by which objects were pruned.
  struct PrunedBy {
    std::optional<kube::crd::Crd> crd{};
    std::string file{}, why_unknown{};
  };

  PrunedBy FindPrunedBy(const kube::crd::Crd& live) const {
    const bool is_named = !options_.pruned_by.empty();
    const auto path = is_named ? std::filesystem::path(options_.pruned_by) : FileBeside();
    std::error_code error;
    if (!is_named && !std::filesystem::exists(path, error))
      return {.why_unknown = "there is no \"" + path.filename().string() + "\" beside the backup"};
    kube::crd::Crd crd = ReadPrunedBy(path, is_named);
    if (crd.name == live.name) return {.crd = std::move(crd), .file = path.string()};
    const std::string what =
        "\"" + path.string() + "\" is the CustomResourceDefinition " + crd.name;
    // A backup of several CRDs was put together by hand.
    if (!is_named) return {.why_unknown = what};
    throw Error(what + ", and the backup has objects of " + live.name);
  }

  // A backup may be named by a link to it.
  std::filesystem::path FileBeside() const {
    const std::filesystem::path path = rewrite::PrunedByPath(options_.backup);
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
    const std::filesystem::path own = std::filesystem::canonical(options_.backup, error);
    const std::filesystem::path beside_own = error ? path : rewrite::PrunedByPath(own);
    return std::filesystem::exists(beside_own, error) ? beside_own : path;
  }

  static kube::crd::Crd ReadPrunedBy(const std::filesystem::path& path, bool is_named) {
    try {
      return rewrite::ReadPrunedBy(path);
    } catch (const Error& error) {
      if (is_named) throw;
      throw Error(
          "cannot read the CustomResourceDefinition beside the backup, by which its objects "
          "were pruned: " +
          std::string(error.what()) + "; name another copy of it by --pruned-by");
    }
  }

  // The server is asked, as only it knows all that its selectors mean.
  void Select(CrdAccount& account) const {
    if (!options_.objects.has_selectors()) return;
    const auto& versions = account.crd().crd().versions;
    const auto served = std::ranges::find_if(versions, &kube::crd::CrdVersion::served);
    if (served == versions.end()) return;
    const rewrite::SweepTarget paths = account.crd().PathsOf(*served);
    const std::string target = cluster::WithSelectors(
        "/apis/" + paths.group + "/" + paths.version + "/" + paths.plural, options_.objects);
    std::unordered_set<std::uint64_t> selected;
    std::mutex mutex;
    const auto handle = [&](kube::json::Document& item) {
      const std::lock_guard lock(mutex);
      selected.insert(IdentityOf(cluster::MetadataText(item.root(), "namespace"),
                                 cluster::MetadataText(item.root(), "name")));
    };
    std::vector<cluster::ListJob> jobs;
    jobs.emplace_back(target, cluster::HandleEach(handle));
    jobs[0].metadata_only = true;
    cluster::ReadLists(jobs, session_, {.chunk_size = options_.objects.chunk_size});
    if (jobs[0].error && !session_.is_stopped()) throw Error(jobs[0].error->message);
    account.Select(std::move(selected));
  }

  bool IsChosen(const CrdAccount& account, const ReadObject& object) const {
    if (!options_.objects.namespace_.empty() && object.namespace_ != options_.objects.namespace_)
      return false;
    const auto names = [&](const check::DiffTarget& target) {
      return check::IsNamed(account.identity(), target.crd) &&
             (target.object.empty() || target.object == object.name);
    };
    const bool is_named = options_.targets.empty() || std::ranges::any_of(options_.targets, names);
    return is_named && account.IsSelected(object);
  }

  std::string Named(const check::DiffTarget& target) const {
    if (target.object.empty()) return target.crd;
    return target.crd + "/" + target.object +
           (options_.objects.namespace_.empty() ? ""
                                                : " in namespace " + options_.objects.namespace_);
  }

  void NoteMet(const CrdAccount& account, const ReadObject& object) {
    for (const check::DiffTarget& target : options_.targets) {
      const bool is_here =
          options_.objects.namespace_.empty() || object.namespace_ == options_.objects.namespace_;
      const bool is_meant = check::IsNamed(account.identity(), target.crd) &&
                            (target.object.empty() || (target.object == object.name && is_here));
      if (is_meant) met_.insert(Named(target));
    }
  }

  void RequireMet(const check::DiffTarget& target) const {
    if (met_.contains(Named(target)) || session_.is_stopped()) return;
    throw Error("the backup \"" + options_.backup + "\" has no objects of " + Named(target));
  }

  void Check(CrdAccount& account) const {
    if (options_.settings.compare.overwrite && !account.crd().knows_pruning()) {
      throw Error(
          "--overwrite needs to know which fields pruning took. Name the file of the "
          "CustomResourceDefinition that pruned them by --pruned-by");
    }
    if (!options_.pruned_by.empty() && !account.may_have_lost()) {
      throw Error("by the CustomResourceDefinition of \"" + options_.pruned_by +
                  "\" pruning takes nothing from any of these objects: name the one that pruned "
                  "them, as it was before the schema was fixed");
    }
    RequireRights(account);
    const auto refused = account.refused().Report();
    if (refused.empty()) return;
    account.report().outcome = report::Outcome::kError;
    account.report().error = Refusal(account, refused);
  }

  // Live objects do not show any more what a schema would have to specify.
  std::string Refusal(const CrdAccount& account,
                      const std::vector<report::FieldUse>& refused) const {
    std::string text = "the server would prune again what is to be put back: ";
    for (std::size_t i = 0; i < refused.size() && i < kRefusedShown; ++i) {
      text += (i == 0 ? "" : ", ") + kube::meta::WithLeadingDot(refused[i].path) + " (in " +
              kube::base::Count(refused[i].objects, "object") + ")";
    }
    if (refused.size() > kRefusedShown) {
      text += " and " + kube::base::Count(refused.size() - kRefusedShown, "more field");
    }
    const std::string suggest = "suggest --local -f crd.yaml -f " + options_.backup;
    return text +
           "; specify these fields in the schema first, as the backup tells (kubectl get crd " +
           account.crd().name() + " -o yaml" + report::ClusterFlags() + " > crd.yaml; " +
           report::OwnCommand(suggest) + "), or choose others by --fields. Nothing was written";
  }

  void RequireRights(const CrdAccount& account) const {
    const kube::crd::Crd& crd = account.crd().crd();
    const auto access = [&](const std::string& verb, const std::string& subresource) {
      return migration::Access{.verb = verb,
                               .group = crd.group,
                               .resource = crd.names.plural,
                               .subresource = subresource,
                               .namespace_ = options_.objects.namespace_};
    };
    std::vector<migration::Access> accesses = {access("get", "")};
    const bool writes = options_.settings.dry_run != report::DryRun::kClient;
    const bool has_status = std::ranges::any_of(
        crd.versions, [](const auto& version) { return version.has_status_subresource(); });
    if (writes) accesses.push_back(access("patch", ""));
    if (writes && has_status) accesses.push_back(access("patch", "status"));
    if (writes && options_.settings.recreate) accesses.push_back(access("create", ""));
    const std::vector<bool> allowed = migration::AskWhetherAllowed(accesses, session_.client);
    if (session_.is_stopped()) return;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (allowed[i]) continue;
      const std::string& part = accesses[i].subresource;
      throw Error("the right to " + accesses[i].verb + " " + crd.names.plural + "." + crd.group +
                  (part.empty() ? "" : "/" + part) + " is missing" +
                  (options_.objects.namespace_.empty()
                       ? ""
                       : " in namespace " + options_.objects.namespace_) +
                  "; ask for it (krew/manifests/restorer.yaml has all that restore needs), or be "
                  "somebody else by --as. Nothing was written");
    }
  }

  void ReportUnmetFields() const {
    const auto has_chosen = [](const auto& entry) { return entry.second->chosen() > 0; };
    if (session_.is_stopped() || std::ranges::none_of(accounts_, has_chosen)) return;
    for (const std::size_t number : unmet_fields_) {
      session_.observer.OnLine("note: --fields " + fields().paths()[number] +
                               ": no object of the backup that was chosen has such a field");
    }
  }

  const RestoreOptions& options_;
  const rewrite::MigrationSession& session_;
  std::optional<check::ServerRules> server_rules_;               // once they were asked for
  std::map<std::string, std::unique_ptr<CrdAccount>> accounts_;  // by Kind.group
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<std::string> met_;  // targets that the backup has objects of
  std::set<std::size_t> unmet_fields_;   // numbers of paths of --fields that no object has
};

/// One pass over the objects of the backup.
class RestorePass {
 public:
  using OnDone = std::function<void(const ObjectRestore&)>;

  RestorePass(const RestoreOptions& options, const RestoreSettings& settings, std::string what,
              Accounts& accounts, RestoreLeases& leases, const rewrite::MigrationSession& session)
      : options_(options),
        settings_(settings),
        what_(std::move(what)),
        accounts_(accounts),
        leases_(leases),
        session_(session),
        pool_(
            rewrite::Throttle(options.pace),
            [&session](const std::string& line) { session.observer.OnLine(line); }, session) {
    for (const auto& [type, account] : accounts.all()) expected_ += account->chosen();
  }

  /// Why it ended early; absent: it did not. With a signal that is "".
  const std::optional<std::string>& stopped() const { return stopped_; }

  void Run() {
    ReadBackup(options_.backup, [this](const ReadObject& object) { Begin(object); });
    while (!pool_.is_idle()) Step();
    Log();
  }

 private:
  bool is_reading_back() const { return settings_.reads_back; }

  void Begin(const ReadObject& object) {
    CrdAccount* account = accounts_.FindChosen(object);
    if (account == nullptr || stopped_) return;
    BackupObject own{.document = nullptr,
                     .namespace_ = std::string(object.namespace_),
                     .name = std::string(object.name),
                     .uid = std::string(object.uid)};
    if (is_reading_back()) {
      const CrdAccount::Written* written = account->FindWritten(object);
      if (written == nullptr) return;
      own.was_recreated = written->was_recreated;
    }
    const kube::crd::CrdVersion* version = account->crd().VersionOf(object.value);
    if (version == nullptr) {
      return account->RecordFailure(object,
                                    "its version is not served any more, and a webhook converts "
                                    "versions, so that only the server could");
    }
    if (account->crd().is_namespaced() == own.namespace_.empty()) {
      return account->RecordFailure(object, own.namespace_.empty()
                                                ? "it has no namespace, and its kind has one"
                                                : "it has a namespace, and its kind has none");
    }
    while (!stopped_ && !pool_.HasRoom()) Step();
    if (stopped_) return;
    own.document = object.Copy();
    pool_.Begin(std::make_unique<ObjectRestore>(account->crd(), *version, settings_, std::move(own),
                                                session_.patience));
    Step(/*waits=*/false);
  }

  void Step(bool waits = true) {
    if (waits) session_.Poll(std::min(session_.clock.Now() + cluster::kTick, pool_.next_event()));
    pool_.HandleAnswers(
        [this](const rewrite::Exchange& exchange) {
          OnDoneWith(static_cast<const ObjectRestore&>(exchange));
        },
        [this](const rewrite::Exchange& exchange) { streak_.OnPutOff(exchange); });
    LookForStop();
    if (!stopped_) pool_.SendDue();
    if (session_.clock.Now() >= ticked_ + cluster::kTick) Log();
  }

  void OnDoneWith(const ObjectRestore& restore) {
    ++done_;
    CrdAccount& account = AccountOf(restore);
    if (is_reading_back()) return account.RecordReadBack(restore);
    account.Take(restore, options_.names_objects);
    const RestoreOutcome& outcome = restore.outcome();
    // That objects were deleted or changed says nothing of the server.
    const bool is_foretold = options_.settings.dry_run == report::DryRun::kClient &&
                             outcome.restore_class == RestoreClass::kInvalid;
    const bool is_of_server = IsFailure(outcome.restore_class) && outcome.code != 0 && !is_foretold;
    if (!is_of_server) return streak_.OnSuccess(restore);
    const auto enough = streak_.OnFailure(restore, AsObjectClass(outcome.restore_class),
                                          outcome.code, outcome.message);
    if (enough && HasUntried()) Stop(*enough);
  }

  // Where all were tried, to stop would only keep some from being tried again.
  bool HasUntried() const { return done_ + pool_.size() < expected_; }

  CrdAccount& AccountOf(const ObjectRestore& restore) {
    const auto is_it = [&](const auto& entry) { return &entry.second->crd() == &restore.target(); };
    return *std::ranges::find_if(accounts_.all(), is_it)->second;
  }

  void LookForStop() {
    if (session_.is_stopped()) return Stop("");
    if (stopped_ || is_reading_back() || session_.clock.Now() < next_check_) return;
    if (const auto loss = leases_.CheckLease()) return Stop(*loss + "; run the same command again");
    for (const auto& [type, account] : accounts_.all()) {
      if (account->chosen() == 0) continue;
      if (const auto change = account->guard().CheckCrdUnchanged())
        return Stop(account->crd().name() + ": " + *change);
    }
    next_check_ = session_.clock.Now() + kChangeInterval;
  }

  void Stop(const std::string& why) {
    if (!stopped_) stopped_ = why;
    pool_.Stop();
  }

  void Log() {
    ticked_ = session_.clock.Now();
    session_.observer.OnProgress(what_, {.listed = done_, .expected = expected_, .counts = {}});
  }

  const RestoreOptions& options_;
  const RestoreSettings& settings_;
  const std::string what_;
  Accounts& accounts_;
  RestoreLeases& leases_;
  const rewrite::MigrationSession& session_;
  ExchangePool pool_;
  rewrite::FailureStreak streak_;
  std::optional<std::string> stopped_;
  std::uint64_t done_ = 0, expected_ = 0;
  kube::base::Clock::TimePoint next_check_{};  // the first one comes before any write
  kube::base::Clock::TimePoint ticked_{};
};

class RestoreRun {
 public:
  RestoreRun(const RestoreOptions& options, const rewrite::MigrationSession& session)
      : options_(options),
        session_(session),
        accounts_(options, session),
        leases_(options.lease, session) {}

  report::RestoreReport Run() {
    const kube::base::Clock::TimePoint start = session_.clock.Now();
    report_.backup = options_.backup;
    accounts_.Open();
    if (!IsRefused()) TakeLeases();
    if (!IsRefused() && !session_.is_stopped()) {
      ReportUnknownPruning();
      PutBack();
    }
    Finish();
    report_.seconds = std::chrono::duration<double>(session_.clock.Now() - start).count();
    for (report::CrdRestore& crd : report_.crds) crd.seconds = report_.seconds;
    return std::move(report_);
  }

 private:
  bool writes() const { return options_.settings.dry_run == report::DryRun::kNone; }
  bool verifies() const { return options_.verify && writes() && !stopped_; }

  // All or nothing: what one CRD lacks may be why another one is restored.
  bool IsRefused() {
    const auto is_refused = [](const auto& entry) {
      return entry.second->report().outcome == report::Outcome::kError;
    };
    return std::ranges::any_of(accounts_.all(), is_refused);
  }

  // In one order, whoever does it: so no two runs wait for each other.
  void TakeLeases() {
    for (const auto& [type, account] : accounts_.all()) {
      if (account->chosen() == 0 || session_.is_stopped()) continue;
      std::string held = leases_.Take(account->crd().name(), account->guard().expected().uid);
      if (held.empty()) continue;
      account->report().outcome = report::Outcome::kError;
      account->report().error = std::move(held);
      return;
    }
  }

  void ReportUnknownPruning() {
    for (const auto& [type, account] : accounts_.all()) {
      if (account->crd().knows_pruning() || account->chosen() == 0) continue;
      session_.observer.OnLine(
          "note: " + account->crd().name() +
          ": by which schemas its objects were pruned is not known (" + account->why_unknown +
          "), so that all that they lack of it comes back, also what somebody "
          "removed since; --pruned-by names the CustomResourceDefinition of then");
    }
  }

  void PutBack() {
    RestorePass pass(options_, options_.settings, "restoring", accounts_, leases_, session_);
    pass.Run();
    stopped_ = pass.stopped();
    if (!stopped_) ReportOfRecreated();
    if (!verifies()) return;
    RestoreSettings settings = options_.settings;
    settings.reads_back = true;
    RestorePass reading(options_, settings, "reading back", accounts_, leases_, session_);
    reading.Run();
    stopped_ = reading.stopped();
  }

  void ReportOfRecreated() {
    for (const auto& [type, account] : accounts_.all()) {
      for (const std::string& note : account->NotesOfRecreated())
        session_.observer.OnLine("note: " + account->crd().name() + ": " + note);
      for (const std::string& name : account->new_namespaces()) {
        const std::string missing = cluster::DescribeMissingNamespace(name, session_.client);
        if (missing.empty()) continue;
        session_.observer.OnLine("Warning: " + missing +
                                 ": no object can be made anew in it; create it first");
      }
    }
  }

  void Finish() {
    for (const auto& [type, account] : accounts_.all()) {
      report::CrdRestore& crd = account->report();
      if (session_.is_stopped()) {
        crd.outcome = report::Outcome::kInterrupted;
      } else if (stopped_) {
        crd.outcome = report::Outcome::kError;
        crd.error = *stopped_;
      }
      report_.crds.push_back(account->Finish(verifies() && !IsRefused()));
    }
    std::ranges::sort(report_.crds, {}, &report::CrdRestore::name);
  }

  const RestoreOptions& options_;
  const rewrite::MigrationSession& session_;
  Accounts accounts_;
  RestoreLeases leases_;
  std::optional<std::string> stopped_;
  report::RestoreReport report_;
};

}  // namespace

report::RestoreReport Restore(const RestoreOptions& options,
                              const rewrite::MigrationSession& session) {
  return RestoreRun(options, session).Run();
}

}  // namespace migrate::restore
