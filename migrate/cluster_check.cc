#include "migrate/cluster_check.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "migrate/cluster_crds.h"
#include "migrate/live_crd.h"
#include "migrate/proposals.h"
#include "migrate/worker_pool.h"

namespace migrate {
namespace {

using kube::json::Document;
using kube::json::Value;

constexpr std::string_view kApiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
// Lists of one resource are read page by page: several at once keep the server busy, and few enough
// take no more than a share of what it gives to one user.
constexpr std::size_t kListsAtOnce = 4;

/// Counts what the objects of one CRD would lose.
class ObjectTaker : public ItemTaker {
 public:
  ObjectTaker(const LiveCrd& crd, std::size_t workers)
      : crd_(crd),
        tallies_(workers, std::vector<CrdTally>(crd.checks.size())),
        counts_(workers),
        foreign_(workers) {}

  void Take(std::size_t worker, Document& item, std::uint64_t number) override {
    if (!IsOurs(item.root())) {
      foreign_[worker] = "\"" + std::string(item.root().FindText("kind")) + "\" in \"" +
                         std::string(item.root().FindText("apiVersion")) + "\"";
      return;
    }
    ++counts_[worker];
    for (std::size_t i = 0; i < crd_.checks.size(); ++i) {
      crd_.checks[i]->CheckObject({item.root(), {0, number, 0}, ""}, tallies_[worker][i]);
    }
  }

  std::uint64_t count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  /// The kind of some object in the list that is none of the CRD's; empty if there was none.
  std::string ForeignKind() const {
    const auto found =
        std::ranges::find_if(foreign_, [](const auto& kind) { return !kind.empty(); });
    return found == foreign_.end() ? "" : *found;
  }

  std::vector<CrdReport> Reports() {
    std::vector<CrdReport> reports;
    for (std::size_t i = 0; i < crd_.checks.size(); ++i) {
      CrdTally sum;
      for (auto& worker : tallies_) sum.Merge(std::move(worker[i]));
      reports.push_back(crd_.checks[i]->Report(sum, /*objects_skipped=*/false));
    }
    return reports;
  }

 private:
  bool IsOurs(const Value& object) const {
    return object.FindText("kind") == crd_.identity.names.kind &&
           object.FindText("apiVersion").starts_with(crd_.identity.group + "/");
  }

  const LiveCrd& crd_;
  std::vector<std::vector<CrdTally>> tallies_;  // by worker and check
  std::vector<std::uint64_t> counts_;           // by worker, as is the next
  std::vector<std::string> foreign_;
};

std::string Filter(const ClusterCheckOptions& options) {
  std::string filter;
  const auto add = [&filter](std::string_view what, const std::string& value) {
    if (value.empty()) return;
    filter.append(filter.empty() ? "" : ", ").append(what).append(" \"").append(value).append("\"");
  };
  add("namespace", options.namespace_);
  add("label selector", options.label_selector);
  add("field selector", options.field_selector);
  return filter;
}

std::vector<CrdReport> WithoutObjects(const LiveCrd& crd) {
  std::vector<CrdReport> reports;
  // A CRD that is only proposed has no objects; of others they were not asked for.
  const bool are_skipped = !crd.uid.empty();
  for (const auto& check : crd.checks) reports.push_back(check->Report({}, are_skipped));
  return reports;
}

std::string FindChange(const LiveCrd& crd, const Value& now) {
  const Value* metadata = now.Find("metadata");
  if (metadata == nullptr || metadata->FindText("uid") != crd.uid) {
    return "the CustomResourceDefinition was deleted and created anew while its objects were "
           "read";
  }
  if (metadata->Find("deletionTimestamp") != nullptr) {
    return "the CustomResourceDefinition was deleted while its objects were read, and they with it";
  }
  const Value* spec = now.Find("spec");
  const Value* flag = spec == nullptr ? nullptr : spec->Find("preserveUnknownFields");
  const bool preserves = flag != nullptr && flag->is_bool() && flag->AsBool();
  if (!crd.preserves_unknown_fields || preserves) return "";
  return "spec.preserveUnknownFields was turned off while its objects were read: the API server "
         "may have hidden fields that are lost";
}

/// One run of CheckCluster.
class ClusterCheck {
 public:
  ClusterCheck(const ClusterCheckOptions& options, kube::Client& client, const kube::Clock& clock)
      : options_(options),
        reader_(client, clock,
                {.chunk_size = options.chunk_size,
                 .workers = WorkerCount(),
                 .lists_at_once = kListsAtOnce,
                 .stop = options.stop},
                options.on_progress) {}

  CheckReport Run() {
    ReadCrds();
    FindAggregatedVersions();
    ReadObjects();
    ReadCrdsAgain();
    std::stable_sort(report_.crds.begin(), report_.crds.end(),
                     [](const CrdReport& a, const CrdReport& b) { return a.name < b.name; });
    return std::move(report_);
  }

 private:
  void ReadCrds() {
    Proposals proposals = ReadProposals(options_.filenames, options_.recursive);
    if (options_.on_files_read) options_.on_files_read();
    report_.file_errors = std::move(proposals.errors);
    report_.file_objects = proposals.objects;
    report_.object_filter = Filter(options_);
    TakeReports(std::move(proposals.broken));
    crds_ = ReadClusterCrds({.names = options_.crd_names,
                             .ignored = options_.ignored_crds,
                             .selector = options_.crd_selector,
                             .is_limited_to_proposals = !options_.filenames.empty(),
                             .skip_objects = options_.skip_objects,
                             .all_objects = options_.all_objects,
                             .keep_paths = options_.show_objects},
                            std::move(proposals.crds), reader_);
    TakeReports(std::move(crds_.unread));
    report_.not_all_crds_read = !crds_.is_complete;
  }

  // Objects of these come from another server than the one that has the CRD. Nothing is said where
  // it may not be known.
  void FindAggregatedVersions() {
    const auto reads_objects = [](const auto& crd) { return crd.second.reads_objects; };
    if (std::ranges::none_of(crds_.crds, reads_objects)) return;
    std::vector<ListJob> jobs;
    jobs.emplace_back(std::string(kApiServices),
                      TakeEach([this](Document& item) { TakeApiService(item.root()); }));
    reader_.Read(jobs);
  }

  void TakeApiService(const Value& item) {
    const Value* spec = item.Find("spec");
    if (spec == nullptr || spec->Find("service", kube::json::Type::kObject) == nullptr) return;
    const std::lock_guard lock(mutex_);
    aggregated_.insert(std::string(spec->FindText("version")) + "." +
                       std::string(spec->FindText("group")));
  }

  void ReadObjects() {
    std::vector<ListJob> jobs;
    for (auto& [name, crd] : crds_.crds) {
      const std::string why = WhyNotReadable(crd);
      if (!crd.reads_objects) {
        TakeReports(WithoutObjects(crd));
      } else if (!why.empty()) {
        TakeReports(crd.FailedReports(why));
      } else {
        read_.push_back(&crd);
        jobs.emplace_back(crd.ObjectsTarget(options_.namespace_) +
                              SelectorQuery(options_.label_selector, options_.field_selector),
                          [this, &crd = crd]() -> std::shared_ptr<ItemTaker> {
                            return std::make_shared<ObjectTaker>(crd, reader_.workers());
                          });
      }
    }
    reader_.Read(jobs, "objects");
    objects_ = std::move(jobs);
  }

  std::string WhyNotReadable(const LiveCrd& crd) const {
    if (!crd.not_served_because.empty()) return crd.not_served_because;
    if (crd.read_version.empty()) return "no version is served, so its objects cannot be read";
    const std::string service = crd.read_version + "." + crd.identity.group;
    if (!aggregated_.contains(service)) return "";
    return "version " + crd.read_version + " of " + crd.identity.group +
           " is served by an aggregated API server (kubectl get apiservice " + service +
           "), which hides the objects of the CustomResourceDefinition";
  }

  // What was counted holds for the CRD that it was counted by, if that was there all the time.
  void ReadCrdsAgain() {
    std::vector<ListJob> jobs;
    std::vector<std::string> changes(read_.size());
    for (std::size_t i = 0; i < read_.size(); ++i) {
      const LiveCrd& crd = *read_[i];
      jobs.emplace_back(crds_.target + "/" + kube::UrlEscape(crd.identity.name),
                        TakeEach([&crd, &change = changes[i]](Document& item) {
                          change = FindChange(crd, item.root());
                        }),
                        false);
    }
    reader_.Read(jobs);
    for (std::size_t i = 0; i < read_.size(); ++i) {
      TakeReports(ReportsOf(*read_[i], objects_[i], jobs[i], changes[i]));
    }
  }

  std::vector<CrdReport> ReportsOf(const LiveCrd& crd, const ListJob& objects, const ListJob& again,
                                   const std::string& change) const {
    if (again.error && again.error->status && again.error->status->IsNotFound()) {
      return crd.FailedReports(
          "the CustomResourceDefinition was deleted while its objects were read");
    }
    auto& taker = static_cast<ObjectTaker&>(*objects.taker);
    if (const std::string kind = taker.ForeignKind(); !kind.empty()) {
      return crd.FailedReports("the server's list holds another kind of objects: " + kind);
    }
    if (objects.error && reader_.is_stopped()) return Interrupted(crd, taker);
    if (objects.error) return crd.FailedReports(objects.error->message);
    if (again.error && !MayStayUnread(*again.error)) {
      return crd.FailedReports(
          "cannot tell whether the CustomResourceDefinition changed while its objects were read: " +
          again.error->message);
    }
    if (!change.empty()) return crd.FailedReports(change);
    std::vector<CrdReport> reports = taker.Reports();
    if (again.error) AddNote(reports, *again.error);
    return reports;
  }

  // What was found so far, if anything was read.
  static std::vector<CrdReport> Interrupted(const LiveCrd& crd, ObjectTaker& taker) {
    const std::uint64_t count = taker.count();
    auto reports = count == 0 ? crd.FailedReports("interrupted") : taker.Reports();
    for (CrdReport& report : reports) {
      report.verdict = Verdict::kUnknown;
      report.is_interrupted = count == 0;
      if (count == 0) continue;
      report.error =
          "interrupted after " + std::to_string(count) + " object" + (count == 1 ? "" : "s");
    }
    return reports;
  }

  // Who may list CRDs need not have the right to get one; and what was read before a stop is shown.
  bool MayStayUnread(const kube::CallError& error) const {
    return reader_.is_stopped() || (error.status && error.status->IsForbidden());
  }

  static void AddNote(std::vector<CrdReport>& reports, const kube::CallError& error) {
    for (CrdReport& report : reports) {
      report.note =
          "it is not known whether it changed while its objects were read: " + error.message;
    }
  }

  void TakeReports(std::vector<CrdReport> reports) {
    std::move(reports.begin(), reports.end(), std::back_inserter(report_.crds));
  }

  const ClusterCheckOptions& options_;
  ClusterReader reader_;
  CheckReport report_;
  ClusterCrds crds_;
  std::mutex mutex_;                  // guards the next while workers run
  std::set<std::string> aggregated_;  // version.group
  std::vector<const LiveCrd*> read_;  // whose objects were read
  std::vector<ListJob> objects_;      // of each
};

}  // namespace

CheckReport CheckCluster(const ClusterCheckOptions& options, kube::Client& client,
                         const kube::Clock& clock) {
  return ClusterCheck(options, client, clock).Run();
}

}  // namespace migrate
