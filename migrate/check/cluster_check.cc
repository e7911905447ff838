#include "migrate/check/cluster_check.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kube/base/text.h"
#include "kube/crd/crd.h"
#include "kube/meta/type_meta.h"
#include "migrate/check/apply_effect.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/file_run.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using kube::json::Document;

constexpr char kNoDryRuns[] = "it is older than Kubernetes 1.16, and may not know dry runs";

/// What the proposed CRDs make of the custom resources that are in the same files.
struct BundleObjects {
  /// By the place of the proposal among those for its CRD: one for each of LiveCrd::manifests.
  using OfCrd = std::vector<report::FileObjectsReport>;

  std::map<std::string, OfCrd> crds{};  ///< by name; of those with objects alone
  std::uint64_t without_crd = 0;        ///< custom resources that none of the files' CRDs is for
};

std::string KindOfObject(std::string_view kind, std::string_view group) {
  return std::string(kind).append(".").append(group);
}

/// What is in the files for one CRD.
struct Bundled {
  std::vector<std::unique_ptr<CrdCheck>> checks{};  // made with the first object
  std::vector<CrdTally> tallies{};
};

/// One run of CheckBundleObjects.
class BundleChecker {
 public:
  BundleChecker(const std::map<std::string, LiveCrd>& crds, const std::set<std::string>& kinds,
                const std::optional<kube::base::Release>& release)
      : crds_(crds), kinds_(kinds), release_(release) {
    for (const auto& [name, crd] : crds) {
      if (crd.manifests.empty()) continue;
      names_[KindOfObject(crd.identity.names.kind, crd.identity.group)] = name;
    }
  }

  void Take(const cluster::ProposedObject& object) {
    Document document;
    if (document.Parse(object.json)) return;  // as it was printed by us
    const auto type = kube::meta::TypeOf(document.root());
    const std::string kind = KindOfObject(type.kind, type.group_version.group);
    const auto name = names_.find(kind);
    if (name == names_.end()) {
      found_.without_crd += kinds_.contains(kind) ? 0 : 1;
      return;
    }
    Bundled& bundled = BundledOf(name->second);
    for (std::size_t i = 0; i < bundled.checks.size(); ++i) {
      if (bundled.checks[i] == nullptr) continue;
      bundled.checks[i]->CheckObject({document.root(), object.place, object.source},
                                     bundled.tallies[i]);
    }
  }

  BundleObjects Result() {
    for (const auto& [name, bundled] : bundled_) {
      BundleObjects::OfCrd& reports = found_.crds[name];
      for (std::size_t i = 0; i < bundled.checks.size(); ++i) {
        reports.push_back(ReportOf(bundled.checks[i].get(), bundled.tallies[i]));
      }
    }
    return std::move(found_);
  }

 private:
  Bundled& BundledOf(const std::string& name) {
    const auto [found, is_new] = bundled_.try_emplace(name);
    if (!is_new) return found->second;
    for (const std::string& manifest : crds_.at(name).manifests) {
      found->second.checks.push_back(MakeCheck(manifest));
      found->second.tallies.emplace_back();
    }
    return found->second;
  }

  // Pruning is on by then, whatever the file says of it.
  std::unique_ptr<CrdCheck> MakeCheck(const std::string& manifest) const {
    auto document = std::make_unique<Document>();
    if (document->Parse(manifest)) return nullptr;
    auto crd = kube::crd::ReadCrd(std::move(document));
    if (!crd) return nullptr;
    return std::make_unique<CrdCheck>(
        *std::move(crd), "",
        CrdCheckOptions{.checks_validity = true, .creates = true, .server = {.release = release_}});
  }

  static report::FileObjectsReport ReportOf(const CrdCheck* check, const CrdTally& tally) {
    report::FileObjectsReport report;
    if (check == nullptr) return report;
    report::CrdReport checked = check->Report(tally);
    report.objects = checked.object_count;
    for (report::VersionReport& version : checked.versions) {
      if (!version.storage) continue;
      report.objects_losing_fields = version.objects_losing_fields;
      report.pruned_fields = std::move(version.pruned_fields);
      if (version.validity) report.validity = *std::move(version.validity);
    }
    report.errors = std::move(checked.object_errors);
    return report;
  }

  const std::map<std::string, LiveCrd>& crds_;
  const std::set<std::string>& kinds_;
  const std::optional<kube::base::Release>& release_;
  std::map<std::string, std::string> names_;  // by "Kind.group"
  std::map<std::string, Bundled> bundled_;    // by name
  BundleObjects found_;
};

/// The kinds of all CRDs in the files, as "Kind.group".
std::set<std::string> KindsOf(const cluster::Proposals& proposals) {
  std::set<std::string> kinds;
  for (const cluster::Proposal& proposal : proposals.crds) {
    kinds.insert(KindOfObject(proposal.crd.names.kind, proposal.crd.group));
  }
  return kinds;
}

/// Holds the custom resources of a bundle against its CRDs, as a check of files does, but as
/// objects that are created: those with duplicates in lists are refused, too (an update may keep
/// what is there already, which `tolerated` says). `kinds` are KindsOf the bundle: of those that
/// `crds` lack, as they were not chosen, nothing is said. `release`: as ServerRules have it.
BundleObjects CheckBundleObjects(const std::vector<cluster::ProposedObject>& objects,
                                 const std::map<std::string, LiveCrd>& crds,
                                 const std::set<std::string>& kinds,
                                 const std::optional<kube::base::Release>& release) {
  BundleChecker checker(crds, kinds, release);
  for (const cluster::ProposedObject& object : objects) checker.Take(object);
  return checker.Result();
}

/// Counts what the objects of one CRD would lose.
class ObjectTaker : public CrdObjectTaker {
 public:
  ObjectTaker(const LiveCrd* crd, std::size_t workers)
      : CrdObjectTaker(crd->identity, workers), crd_(*crd), tallies_(workers) {
    for (std::vector<CrdTally>& worker : tallies_) worker.resize(crd_.checks.size());
  }

  std::vector<report::CrdReport> Reports() {
    std::vector<report::CrdReport> reports;
    for (std::size_t i = 0; i < crd_.checks.size(); ++i) {
      CrdTally sum;
      for (auto& worker : tallies_) sum.Merge(std::move(worker[i]));
      reports.push_back(crd_.checks[i]->Report(sum));
      reports.back().AddNote(crd_.checks[i]->RulesNote());
    }
    return reports;
  }

 private:
  void HandleObject(std::size_t worker, Document& object, std::uint64_t number) override {
    for (std::size_t i = 0; i < crd_.checks.size(); ++i) {
      crd_.checks[i]->CheckObject(
          {object.root(), {0, number, 0}, "", object.may_hold_nulls(), object.text_size()},
          tallies_[worker][i]);
    }
  }

  const LiveCrd& crd_;
  std::vector<std::vector<CrdTally>> tallies_;  // by worker and check
};

std::string Filter(const CheckOptions& options) {
  std::string filter;
  const auto add = [&filter](std::string_view what, const std::string& value) {
    if (value.empty()) return;
    filter.append(filter.empty() ? "" : ", ").append(what).append(" \"").append(value).append("\"");
  };
  add("namespace", options.objects.namespace_);
  add("label selector", options.objects.label_selector);
  add("field selector", options.objects.field_selector);
  return filter;
}

std::vector<report::CrdReport> WithoutObjects(const LiveCrd& crd) {
  std::vector<report::CrdReport> reports;
  // A CRD that is only proposed has no objects; of others they were not asked for.
  const bool are_skipped = !crd.shape.uid.empty();
  for (const auto& check : crd.checks) {
    reports.push_back(are_skipped ? check->facts().report : check->Report({}));
  }
  return reports;
}

/// One run of CheckCluster.
class ClusterCheck {
 public:
  ClusterCheck(const CheckOptions& options, const kube::client::Session& session)
      : options_(options),
        session_(session),
        reader_(session, {.chunk_size = options.objects.chunk_size, .workers = options.workers},
                options.on_progress) {}

  report::CheckReport Run() {
    ReadCrds();
    CheckFileObjects();
    AskApply();
    ReadObjects();
    if (!options_.filenames.empty()) NoteNotInFiles();
    std::stable_sort(
        report_.crds.begin(), report_.crds.end(),
        [](const report::CrdReport& a, const report::CrdReport& b) { return a.name < b.name; });
    return std::move(report_);
  }

 private:
  void ReadCrds() {
    cluster::Proposals proposals =
        cluster::ReadProposals(options_.filenames, options_.recursive, cluster::KeepObjects::kYes);
    if (options_.on_files_read) options_.on_files_read();
    // Without names nothing is checked then, which is told as such.
    const bool are_none = !options_.filenames.empty() && proposals.AreNone();
    report_.file_errors = std::move(proposals.errors);
    report_.file_hints = std::move(proposals.hints);
    if (are_none && !options_.crd_names.empty())
      report_.file_errors.emplace_back(cluster::kNoCrdsFound);
    objects_ = std::move(proposals.objects);
    kinds_ = KindsOf(proposals);
    report_.file_objects = proposals.objects_left_out;
    report_.has_others_in_files =
        proposals.has_others || proposals.objects_left_out > 0 || !objects_.empty();
    report_.object_filter = Filter(options_);
    TakeReports(std::move(proposals.broken));
    crds_ =
        ReadClusterCrds({.names = options_.crd_names,
                         .ignored = options_.ignored_crds,
                         .selector = options_.crd_selector,
                         .is_limited_to_proposals = !options_.filenames.empty(),
                         .finds_beside = !options_.filenames.empty() && report_.file_errors.empty(),
                         .skip_objects = options_.skip_objects,
                         .all_objects = options_.all_objects,
                         .keep_paths = options_.show_objects,
                         .opened = options_.opened,
                         .checks_validity = !options_.skip_objects,
                         .find_proof =
                             [this](const kube::crd::Crd& crd) {
                               return Find(crd, options_.state_dir, session_.address);
                             }},
                        std::move(proposals.crds), reader_);
    report_.crds_beside = crds_.beside;
    TakeReports(std::move(crds_.unread));
    if (options_.on_schemas) ReportSchemas();
    report_.not_all_crds_read = !crds_.is_complete;
  }

  void ReportSchemas() const {
    for (const auto& [name, crd] : crds_.crds) {
      const CrdShape& shape = crd.shape;
      if (!shape.uid.empty()) options_.on_schemas(name, {shape.schemas, shape.kept_fields});
    }
  }

  void CheckFileObjects() {
    bundle_ = CheckBundleObjects(objects_, crds_.crds, kinds_, crds_.release);
    report_.file_objects += bundle_.without_crd;
    objects_.clear();
  }

  // A server that only has v1beta1 may be one that does what it is asked for as a dry run.
  void AskApply() {
    const bool knows_dry_runs = crds_.target.find("/v1/") != std::string::npos;
    std::vector<ApplyQuestion> questions;
    for (auto& [name, crd] : crds_.crds) {
      for (std::size_t i = 0; i < crd.applies.size(); ++i) {
        questions.push_back({name, crd.manifests[i], &crd.applies[i]});
        if (!knows_dry_runs) crd.applies[i].not_asked_because = kNoDryRuns;
      }
    }
    if (knows_dry_runs && !reader_.is_stopped()) check::AskApply(questions, reader_.client());
    // Of a bundle they are as large as all of its CRDs, and objects are read next.
    for (auto& [name, crd] : crds_.crds) crd.manifests = {};
  }

  void ReadObjects() {
    std::vector<CrdObjects> wanted;
    std::deque<std::shared_ptr<ObjectTaker>> takers;  // of those
    for (const auto& [name, crd] : crds_.crds) {
      if (crd.reads_objects) {
        wanted.push_back({.crd = &crd, .jobs = {ObjectsOf(crd, takers.emplace_back())}});
      } else {
        TakeReports(crd, WithoutObjects(crd));
      }
    }
    ReadCrdObjects(wanted, crds_.target, reader_);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      TakeReports(*wanted[i].crd, ReportsOf(wanted[i], takers[i].get()));
    }
  }

  void NoteNotInFiles() {
    for (report::CrdReport& crd : report_.crds) {
      if (crd.source.empty() && crd.error.empty()) crd.AddNote(kNotInFiles);
    }
  }

  cluster::ListJob ObjectsOf(const LiveCrd& crd, std::shared_ptr<ObjectTaker>& taker) const {
    return {
        cluster::WithSelectors(crd.ObjectsTarget(options_.objects.namespace_), options_.objects),
        cluster::MakerOf(taker, &crd, reader_.workers())};
  }

  static std::vector<report::CrdReport> ReportsOf(const CrdObjects& objects, ObjectTaker* taker) {
    if (!objects.failure.empty()) return objects.crd->FailedReports(objects.failure);
    if (objects.is_stopped) return Interrupted(*objects.crd, *taker);
    std::vector<report::CrdReport> reports = taker->Reports();
    for (report::CrdReport& report : reports) report.AddNote(objects.note);
    return reports;
  }

  // What was found so far, if anything was read.
  static std::vector<report::CrdReport> Interrupted(const LiveCrd& crd, ObjectTaker& taker) {
    const std::uint64_t count = taker.count();
    auto reports = count == 0 ? crd.FailedReports("interrupted") : taker.Reports();
    for (report::CrdReport& report : reports) {
      report.verdict = report::Verdict::kUnknown;
      report.is_interrupted = count == 0;
      if (count == 0) continue;
      report.error = "interrupted after " + kube::base::Count(count, "object");
    }
    return reports;
  }

  void TakeReports(const LiveCrd& crd, std::vector<report::CrdReport> reports) {
    const auto bundled = bundle_.crds.find(crd.identity.name);
    for (std::size_t i = 0; i < crd.applies.size(); ++i) {
      if (bundled != bundle_.crds.end()) reports[i].file_objects = bundled->second[i];
      reports[i].apply = crd.applies[i];
      HandleAnswer(reports[i]);
      reports[i].AddNote(DescribeApply(reports[i]));
    }
    TakeReports(std::move(reports));
  }

  // What is refused is blocked. Where the server itself takes it, our rules are wrong about it; but
  // unknown keys kubectl refuses, whatever the server does.
  static void HandleAnswer(report::CrdReport& crd) {
    if (crd.verdict == report::Verdict::kUnknown) return;
    const report::ApplyReport& apply = *crd.apply;
    if (apply.accepted && apply.not_asked_because.empty()) {
      // The others tell what stands against pruning where it does not come with the file.
      std::erase_if(crd.admission_problems,
                    apply.preserves_unknown_fields ? IsOfPreserving : IsRefutable);
      // A file of v1beta1 that says nothing leaves pruning on where it is.
      const bool prunes_already = crd.replaced && !crd.replaced->preserve_unknown_fields;
      if (prunes_already && !apply.preserves_unknown_fields) crd.preserve_unknown_fields = false;
      crd.verdict = VerdictOf(crd);
    }
    RefuseUnknownKeys(crd);
    if (!apply.accepted) crd.verdict = report::Verdict::kBlocked;
  }

  // What the order of steps is about stands whoever answers.
  static bool IsRefutable(const report::Problem& problem) {
    return !IsUnknownKey(problem) && !problem.field.starts_with("status.storedVersions");
  }

  static bool IsOfPreserving(const report::Problem& problem) {
    return problem.field == "spec.preserveUnknownFields";
  }

  static bool IsUnknownKey(const report::Problem& problem) {
    return problem.message.starts_with("unknown field ");
  }

  static void RefuseUnknownKeys(report::CrdReport& crd) {
    std::vector<std::string> keys;
    for (const report::Problem& problem : crd.admission_problems) {
      if (IsUnknownKey(problem)) keys.push_back(problem.message);
    }
    if (keys.empty()) return;
    std::ranges::copy(keys, std::back_inserter(crd.apply->causes));
    if (!std::exchange(crd.apply->accepted, false)) return;
    crd.apply->message = "strict decoding error: " + kube::base::Join(keys, ", ");
  }

  void TakeReports(std::vector<report::CrdReport> reports) {
    std::move(reports.begin(), reports.end(), std::back_inserter(report_.crds));
  }

  const CheckOptions& options_;
  const kube::client::Session& session_;
  cluster::ClusterReader reader_;
  report::CheckReport report_;
  std::vector<cluster::ProposedObject> objects_;  // of the files
  std::set<std::string> kinds_;                   // of their CRDs
  BundleObjects bundle_;
  ClusterCrds crds_;
};

using Tallies = std::unordered_map<const CrdCheck*, CrdTally>;

report::CrdReport ReportOf(const CrdCheck& check, std::vector<Tallies>& workers,
                           bool objects_skipped) {
  if (objects_skipped) return check.facts().report;
  CrdTally sum;
  for (Tallies& tallies : workers) sum.Merge(std::move(tallies[&check]));
  report::CrdReport report = check.Report(sum);
  report.AddNote(check.RulesNote());
  return report;
}

}  // namespace

report::CheckReport CheckCluster(const CheckOptions& options,
                                 const kube::client::Session& session) {
  return ClusterCheck(options, session).Run();
}

report::CheckReport CheckFiles(const CheckOptions& options) {
  const std::size_t workers = cluster::WorkerCount();
  FileRun run(cluster::ListManifestFiles(options.filenames, options.recursive), workers,
              {.keep_paths = options.show_objects,
               .opened = options.opened,
               .checks_validity = !options.skip_objects,
               .server = {.release = options.release}});
  std::vector<Tallies> tallies(workers);
  run.CollectCrds();
  run.ReadObjects([&](std::size_t worker, FileObject& object) {
    if (options.skip_objects) return;
    for (const CrdSet::Entry* entry : object.crds) {
      entry->check->CheckObject({object.value, object.place, object.source, object.may_hold_nulls},
                                tallies[worker][entry->check.get()]);
    }
  });

  report::CheckReport report;
  run.crds().Select(options.crd_names, options.ignored_crds);
  for (const CrdSet::Entry* entry : run.crds().Sorted()) {
    if (!entry->selected) continue;
    report.crds.push_back(ReportOf(*entry->check, tallies, options.skip_objects));
  }
  for (report::CrdReport& broken : run.TakeBrokenCrds()) report.crds.push_back(std::move(broken));
  std::stable_sort(
      report.crds.begin(), report.crds.end(),
      [](const report::CrdReport& a, const report::CrdReport& b) { return a.name < b.name; });
  report.unknown_kinds = run.UnknownKinds();
  report.file_errors = run.TakeErrors();
  report.file_hints = run.TakeHints();
  return report;
}

}  // namespace migrate::check
