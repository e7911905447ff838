#include "migrate/migration/crd_preparation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kube/base/text.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/proof.h"
#include "migrate/check/recent_change.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/spool.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/crd_upgrade.h"
#include "migrate/migration/migration_end.h"
#include "migrate/migration/write_cost.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {
namespace {

using cluster::EntryState;
using kube::json::Value;
using VersionSet = std::set<std::string>;

constexpr std::size_t kMostGroups = 16;
constexpr char kKept[] = "a write keeps them";

struct Group {
  cluster::ListedObject
      first{};  // of those whose entries are all of the CRD's versions, if there is one
  bool is_first_stale = true;
  std::uint64_t objects = 0;
};

/// Groups the objects of one list by the versions that their entries name, beside the written one.
class GroupTaker : public cluster::ItemTaker {
 public:
  GroupTaker(const kube::crd::Crd& crd, const std::string& written) : known_(crd) {
    for (const kube::crd::CrdVersion& version : crd.versions) {
      if (version.name != written) names_.emplace(crd.group + "/" + version.name, version.name);
    }
  }

  void Take(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const auto object = cluster::ReadObjectMetadata(item.root());
    if (!object || object->entries == EntryState::kNone) return;
    VersionSet versions;
    bool is_stale = false;
    for (const Value& entry : cluster::EntriesOf(item.root())) {
      const auto name = names_.find(entry.FindText("apiVersion"));
      if (name != names_.end()) versions.insert(name->second);
      is_stale |= known_.IsStale(entry);
    }
    if (versions.empty()) return;
    Group& group = groups_[std::move(versions)];
    const bool is_better = group.is_first_stale && !is_stale;
    if (group.objects++ > 0 && !is_better) return;
    group.first = *object;
    group.is_first_stale = is_stale;
  }

  const std::map<VersionSet, Group>& groups() const { return groups_; }

 private:
  const cluster::KnownVersions known_;
  std::map<std::string, std::string, std::less<>> names_;  // of versions, by apiVersion
  std::map<VersionSet, Group> groups_;
};

class Asking {
 public:
  Asking(const EntryQuestion& question, const kube::client::Session& session)
      : question_(question), session_(session) {}

  EntryAnswers Run() {
    std::vector<cluster::ListJob> jobs;
    jobs.emplace_back(rewrite::ListPath(question_.target), [this] {
      return std::make_shared<GroupTaker>(question_.crd, question_.target.version);
    });
    jobs[0].metadata_only = true;
    cluster::ReadLists(jobs, session_, {.chunk_size = question_.chunk_size});
    if (jobs[0].error) {
      AddAllAsUnfit();
      answers_.lines.push_back("what a write makes of managedFields is unknown: " +
                               jobs[0].error->message);
      return std::move(answers_);
    }
    const auto& groups = static_cast<const GroupTaker&>(*jobs[0].taker).groups();
    for (const auto& [versions, group] : groups) Ask(versions, group);
    Judge();
    return std::move(answers_);
  }

 private:
  void AddAllAsUnfit() {
    for (const kube::crd::CrdVersion& version : question_.crd.versions) {
      answers_.unfit.insert(version.name);
    }
  }

  void Ask(const VersionSet& versions, const Group& group) {
    if (session_.is_stopped()) return;
    const std::string name = cluster::ObjectKey(group.first);
    std::string answer = "unknown, as it cannot be asked before anything is written";
    if (question_.may_ask && asked_ == kMostGroups) {
      answer = "unknown, as there are too many groups to ask about all";
    } else if (question_.may_ask) {
      ++asked_;
      answer = TryWrite(group.first);
    }
    if (answer == kKept) {
      kept_.insert(versions.begin(), versions.end());
    } else {
      unfit_.push_back(versions);
      answer += "; the write carries those entries that fit the storage version";
    }
    answers_.lines.push_back(
        "managedFields of " + kube::base::Count(group.objects, "object") + ", such as " + name +
        ", name " +
        kube::base::Join(std::vector<std::string>(versions.begin(), versions.end()), " and ") +
        ", to which a webhook converts. By a dry run: " + answer);
  }

  std::string TryWrite(const cluster::ListedObject& object) {
    const auto answer = session_.client.Send(DryRunWrite(question_.target, object));
    if (!answer) return "unknown (" + answer.error().message + ")";
    const EntryState state = cluster::StateOf((*answer)->root(), nullptr);
    return state == EntryState::kNone ? "a write empties them" : kKept;
  }

  // Of an emptied group each version may be why, but for those that were kept with others.
  void Judge() {
    for (const VersionSet& versions : unfit_) {
      VersionSet suspects;
      std::ranges::set_difference(versions, kept_, std::inserter(suspects, suspects.end()));
      if (suspects.empty()) suspects = versions;
      answers_.unfit.merge(suspects);
    }
  }

  const EntryQuestion& question_;
  const kube::client::Session& session_;
  std::size_t asked_ = 0;
  VersionSet kept_;
  std::vector<VersionSet> unfit_;
  EntryAnswers answers_;
};

}  // namespace

EntryAnswers AskAboutEntries(const EntryQuestion& question, const kube::client::Session& session) {
  if (question.crd.conversion.strategy == "None") return {};
  return Asking(question, session).Run();
}

namespace {

/// One call of PrepareCrd. A step that returns false has ended the run, and said why in the report.
class Preparation {
 public:
  Preparation(const MigrationContext& context, const check::LiveCrd& found, RunCrd& crd,
              PreparedCrd& prepared, report::CrdMigration& report)
      : context_(context),
        options_(context.options),
        found_(found),
        crd_(crd),
        prepared_(prepared),
        report_(report) {}

  bool Run() {
    if (!ReadCrd() || !LookAtFile() || !LookAhead() || !GoOn()) return false;
    PrepareSweep();
    return true;
  }

 private:
  const rewrite::MigrationSession& session() const { return context_.session; }
  const kube::crd::Crd& crd() const { return crd_.live(); }
  bool is_dry_run() const { return options_.dry_run != report::DryRun::kNone; }
  bool turns_pruning_on() const { return TurnsPruningOn(options_, crd_); }

  void Line(const std::string& line) { session().observer.OnLine(line); }

  bool Fail(std::string why) {
    report_.outcome = report::Outcome::kError;
    report_.error = std::move(why);
    return false;
  }

  bool GoOn() {
    if (!session().is_stopped()) return true;
    report_.outcome = report::Outcome::kInterrupted;
    return false;
  }

  bool ReadCrd() {
    if (const auto error = crd_.Read()) return Fail(*error);
    const check::CrdShape& shape = crd_.expected();
    // Since when every server may be taken to know the CRD as it is.
    const bool is_as_found = shape.generation == found_.shape.generation;
    prepared_.scope.verify_from =
        (is_as_found ? context_.found_at : session().clock.Now()) + check::kNoticed;
    report_.storage_version = shape.storage_version;
    report_.stored_before = report_.stored_after = crd().stored_versions;
    return true;
  }

  // A file has its say only until pruning is on: behind that the run goes on, or is any other.
  bool LookAtFile() {
    const auto proposal = std::ranges::find_if(
        context_.proposals, [this](const auto& one) { return one.crd.name == crd().name; });
    if (proposal != context_.proposals.end() && !TakeFile(*proposal)) return false;
    prepared_.live = CheckedCrd();
    return true;
  }

  bool TakeFile(const cluster::Proposal& proposal) {
    if (!turns_pruning_on() && options_.mutation) {
      return Fail("it prunes already, so that " + proposal.source +
                  " would not come with this run, and the mutation before it; kubectl apply the "
                  "file first, then run the same command without -f and --enable-pruning");
    }
    if (!turns_pruning_on()) {
      Line("note: " + report_.name + " prunes already; whatever else " + proposal.source +
           " has to bring is brought by kubectl apply");
      return true;
    }
    auto upgrade = PrepareUpgrade(proposal, crd(), crd_.target(),
                                  options_.dry_run != report::DryRun::kClient, session().client);
    if (!GoOn()) return false;
    if (!upgrade) {
      return Fail("the CRD of " + proposal.source +
                  " cannot come with pruning: " + upgrade.error());
    }
    report_.crd_file = upgrade->source;
    crd_.Upgrade(*std::move(upgrade));
    return true;
  }

  check::LiveCrd CheckedCrd() const {
    kube::crd::Crd copy = kube::crd::CopyCrd(crd_.pruning());
    check::LiveCrd live = check::DescribeLiveCrd(copy);
    live.shape = crd_.expected();
    // Without a plan there is nothing that objects would have to be read for.
    const bool has_plan = turns_pruning_on();
    const auto release = has_plan ? check::AskRelease(session().client) : std::nullopt;
    const check::CrdCheckOptions options{
        .origin = check::CrdCheckOptions::Origin::kServer,
        .checks_validity = has_plan,
        .server = check::RulesOf(release),
        .proof = check::Find(copy, options_.state_dir, session().address)};
    live.checks.push_back(std::make_unique<check::CrdCheck>(std::move(copy), "", options));
    return live;
  }

  bool LookAhead() {
    const bool trims = !IsPartial(options_) && !is_dry_run() && !options_.keep_stored_versions;
    prepared_.preflight = CheckBefore(
        crd_.pruning(), crd_.target(),
        {.enable_pruning = options_.enable_pruning,
         .dry_run = options_.dry_run,
         .namespace_ = options_.namespace_,
         .by_name = options_.retried.has_value(),
         .backs_up = !options_.pruning.no_backup,
         .cleans = options_.cleaning == cluster::Cleaning::kAlways,
         .may_clean = options_.cleaning == cluster::Cleaning::kAuto,
         .mutates = options_.mutation != nullptr,
         .trims = trims,
         .asks_for_engine = MayUseEngine(options_),
         .needs_engine = options_.engine == report::Engine::kInCluster,
         .own_migration = NameOfStorageMigration(MigratedOf(crd_, prepared_.preflight.version)),
         .as = options_.as,
         .pruning_patch = crd_.pruning_patch()},
        session().client);
    for (const std::string& warning : prepared_.preflight.warnings) {
      Line("Warning: " + report_.name + ": " + warning);
    }
    if (!prepared_.preflight.refusal.empty()) return Fail(prepared_.preflight.refusal);
    if (!MayMutate()) return false;
    if (prepared_.preflight.version != report_.storage_version) {
      report_.written_version = prepared_.preflight.version;
      Line(report_.name + ": the storage version " + report_.storage_version +
           " is not served; objects are written as " + prepared_.preflight.version +
           ", which the server stores as " + report_.storage_version);
    }
    return true;
  }

  // A write of the object leaves a status with a subresource as it is.
  bool MayMutate() {
    if (!options_.mutation || !options_.mutation->Names("status", crd().names.kind)) return true;
    const auto written = std::ranges::find(crd().versions, prepared_.preflight.version,
                                           &kube::crd::CrdVersion::name);
    if (written == crd().versions.end() || !written->has_status_subresource()) return true;
    return Fail(
        "the status of its objects is written through its subresource alone, which a "
        "mutation does not do; take status out of " +
        options_.mutation->sources());
  }

  void PrepareSweep() {
    prepared_.scope.crd_name = report_.name;
    prepared_.scope.target = {.group = crd().group,
                              .version = prepared_.preflight.version,
                              .plural = crd().names.plural,
                              .is_namespaced = prepared_.live.is_namespaced,
                              .namespace_ = options_.namespace_,
                              .label_selector = options_.label_selector,
                              .field_selector = options_.field_selector,
                              .dry_run = options_.dry_run == report::DryRun::kServer,
                              .by_update = prepared_.preflight.by_update,
                              .patience = session().patience};
    ChooseCleaner(crd(), context_, prepared_, report_);
    prepared_.scope.verify = options_.verify;
  }
  const MigrationContext& context_;
  const MigrationOptions& options_;
  const check::LiveCrd& found_;
  RunCrd& crd_;
  PreparedCrd& prepared_;
  report::CrdMigration& report_;
};

}  // namespace

bool PrepareCrd(const MigrationContext& context, const check::LiveCrd& found, RunCrd& crd,
                PreparedCrd& prepared, report::CrdMigration& report) {
  return Preparation(context, found, crd, prepared, report).Run();
}

bool TurnsPruningOn(const MigrationOptions& options, const RunCrd& crd) {
  return options.enable_pruning && crd.live().preserve_unknown_fields;
}

void ChooseCleaner(const kube::crd::Crd& crd, const MigrationContext& context,
                   PreparedCrd& prepared, report::CrdMigration& report) {
  const MigrationOptions& options = context.options;
  prepared.scope.target.cleaner = nullptr;
  if (options.cleaning == cluster::Cleaning::kNever || prepared.preflight.may_not_clean) return;
  const EntryAnswers answers = AskAboutEntries(
      {.crd = crd,
       .target = prepared.scope.target,
       .may_ask = options.dry_run != report::DryRun::kClient && !prepared.scope.target.by_update,
       .chunk_size = options.chunk_size},
      context.session);
  for (const std::string& line : answers.lines) {
    context.session.observer.OnLine(report.name + ": " + line);
  }
  prepared.scope.target.cleaner = std::make_shared<const cluster::EntryCleaner>(
      crd, prepared.scope.target.version, options.cleaning, answers.unfit);
  const bool is_asked_for = options.cleaning == cluster::Cleaning::kAlways;
  if (is_asked_for && !report.managed_fields_cleaned) report.managed_fields_cleaned.emplace();
}

MigratedResource MigratedOf(const RunCrd& crd, const std::string& version) {
  const check::CrdShape& shape = crd.expected();
  return {.crd_name = crd.live().name,
          .crd_uid = shape.uid,
          .crd_generation = shape.generation,
          .group = crd.live().group,
          .version = version,
          .plural = crd.live().names.plural};
}

}  // namespace migrate::migration
