#include "migrate/check/crd_objects.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

std::string WhyNotServed(const kube::crd::Crd& crd) {
  if (crd.terminating) return "the CustomResourceDefinition is being deleted";
  if (crd.IsConditionTrue("Established")) return "";
  const kube::json::Value* names = crd.FindCondition("NamesAccepted");
  std::string why = "the CustomResourceDefinition is not established";
  if (names != nullptr && names->FindText("status") == "False") {
    why.append(": ").append(names->FindText("message"));
  }
  return why;
}

}  // namespace

// A server establishes a CRD some moments after it has accepted its names, and never takes that
// back.
bool IsNew(const kube::crd::Crd& crd) {
  const kube::json::Value* names = crd.FindCondition("NamesAccepted");
  return !crd.terminating && !crd.IsConditionTrue("Established") &&
         (names == nullptr || names->FindText("status") != "False");
}

std::string LiveCrd::ObjectsTarget(const std::string& namespace_) const {
  std::string target = "/apis/" + kube::client::UrlEscape(identity.group) + "/";
  target += kube::client::UrlEscape(read_version) + "/";
  if (is_namespaced && !namespace_.empty()) {
    target += "namespaces/" + kube::client::UrlEscape(namespace_) + "/";
  }
  return target + kube::client::UrlEscape(identity.names.plural);
}

std::vector<report::CrdReport> LiveCrd::FailedReports(const std::string& error) const {
  std::vector<report::CrdReport> reports;
  for (const auto& check : checks) {
    report::CrdReport& report = reports.emplace_back(check->facts().report);
    report.objects_skipped = false;
    report.verdict = report::Verdict::kUnknown;
    report.error = error;
  }
  return reports;
}

LiveCrd DescribeLiveCrd(const kube::crd::Crd& crd) {
  LiveCrd live;
  live.identity = IdentityOf(crd);
  live.shape = ShapeOf(crd);
  live.read_version = ReadVersion(crd);
  live.is_namespaced = crd.scope != "Cluster";
  live.not_served_because = WhyNotServed(crd);
  live.is_new = IsNew(crd);
  return live;
}

bool ObjectsMatter(const kube::crd::Crd& crd) {
  if (crd.preserve_unknown_fields) return true;
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  return std::any_of(crd.stored_versions.begin(), crd.stored_versions.end(),
                     [storage](const std::string& stored) {
                       return storage == nullptr || stored != storage->name;
                     });
}

std::string WithVersionAdvice(std::string message) {
  if (message.find(kube::client::kConversionWebhook) != std::string::npos) {
    return message +
           "\nthe conversion webhook has to answer. Where it is gone for good, and the versions "
           "have "
           "the same fields: conversion None reads the objects as they are stored, by: kubectl "
           "patch "
           "crd NAME --type=merge -p "
           R"('{"spec":{"conversion":{"strategy":"None","webhook":null}}}')" +
           report::ClusterFlags() + "; then migrate";
  }
  if (message.find(kube::client::kMissingVersion) == std::string::npos) return message;
  return message +
         "\nobjects are stored in a version that the CustomResourceDefinition no longer has: give "
         "it that version again, with served: false, then migrate";
}

namespace {

using kube::client::CallError;
using kube::client::Meaning;
using kube::client::MeaningOf;
using kube::json::Document;
using kube::json::Value;

constexpr std::string_view kApiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

/// One run of ReadCrdObjects.
class CrdObjectsRun {
 public:
  CrdObjectsRun(std::vector<CrdObjects>& wanted, const std::string& crds_target,
                cluster::ClusterReader& reader)
      : wanted_(wanted), crds_target_(crds_target), reader_(reader) {}

  void Run() {
    if (wanted_.empty()) return;
    FindAggregatedVersions();
    ReadObjects();
    ReadCrdsAgain();
  }

 private:
  // Objects of these come from another server than the one that has the CRD. Nothing is said where
  // it may not be known.
  void FindAggregatedVersions() {
    std::vector<cluster::ListJob> jobs;
    jobs.emplace_back(std::string(kApiServices),
                      cluster::HandleEach([this](Document& item) { TakeApiService(item.root()); }));
    reader_.Read(jobs);
  }

  void TakeApiService(const Value& item) {
    const Value& spec = item.At("spec");
    if (!spec.At("service").is_object()) return;
    const std::lock_guard lock(mutex_);
    aggregated_.insert(std::string(spec.FindText("version")) + "." +
                       std::string(spec.FindText("group")));
  }

  void ReadObjects() {
    std::vector<cluster::ListJob> jobs;
    for (CrdObjects& objects : wanted_) {
      if (objects.crd->is_new) {
        EndWithoutObjects(objects);
        continue;
      }
      objects.failure = WhyNotReadable(*objects.crd);
      if (!objects.failure.empty()) continue;
      read_.push_back(&objects);
      std::move(objects.jobs.begin(), objects.jobs.end(), std::back_inserter(jobs));
    }
    reader_.Read(jobs, "objects");
    auto job = jobs.begin();
    for (CrdObjects* objects : read_) {
      for (cluster::ListJob& done : objects->jobs) done = std::move(*job++);
    }
  }

  static void EndWithoutObjects(CrdObjects& objects) {
    for (cluster::ListJob& job : objects.jobs) job.make_taker();
    objects.note =
        "it was made just now, and the API server does not serve it yet: no objects were read";
  }

  std::string WhyNotReadable(const LiveCrd& crd) const {
    if (!crd.not_served_because.empty()) return crd.not_served_because;
    if (crd.read_version.empty()) return "no version is served, so its objects cannot be read";
    const std::string service = crd.read_version + "." + crd.identity.group;
    if (!aggregated_.contains(service)) return "";
    return "version " + crd.read_version + " of " + crd.identity.group +
           " is served by an aggregated API server (kubectl get apiservice " + service +
           report::ClusterFlags() + "), which hides the objects of the CustomResourceDefinition";
  }

  // What was taken holds for the CRD that it was taken by, if that was there all the time.
  void ReadCrdsAgain() {
    std::vector<cluster::ListJob> jobs;
    std::vector<std::string> changes(read_.size());
    for (std::size_t i = 0; i < read_.size(); ++i) {
      const LiveCrd& crd = *read_[i]->crd;
      jobs.emplace_back(crds_target_ + "/" + kube::client::UrlEscape(crd.identity.name),
                        cluster::HandleEach([&crd, &change = changes[i]](Document& item) {
                          change = FindChangeWhileRead(crd.shape, item.root());
                        }),
                        false);
    }
    reader_.Read(jobs);
    for (std::size_t i = 0; i < read_.size(); ++i) TakeSecondLook(*read_[i], jobs[i], changes[i]);
  }

  void TakeSecondLook(CrdObjects& objects, const cluster::ListJob& again,
                      const std::string& change) const {
    const auto failed = std::ranges::find_if(objects.jobs, &cluster::ListJob::HasFailed);
    if (again.error && MeaningOf(*again.error) == Meaning::kNotFound) {
      objects.failure = "the CustomResourceDefinition was deleted while its objects were read";
    } else if (failed != objects.jobs.end() && reader_.is_stopped()) {
      objects.is_stopped = true;
    } else if (failed != objects.jobs.end()) {
      objects.failure = WithVersionAdvice(failed->error->message);
    } else if (again.error && !MayStayUnread(*again.error)) {
      objects.failure =
          "cannot tell whether the CustomResourceDefinition changed while its objects were read: " +
          again.error->message;
    } else if (!change.empty()) {
      objects.failure = change;
    } else if (again.error) {
      objects.note =
          "it is not known whether it changed while its objects were read: " + again.error->message;
    }
  }

  // Who may list CRDs need not have the right to get one; and what was read before a stop is shown.
  bool MayStayUnread(const CallError& error) const {
    return reader_.is_stopped() || MeaningOf(error) == Meaning::kForbidden;
  }

  std::vector<CrdObjects>& wanted_;
  const std::string& crds_target_;
  cluster::ClusterReader& reader_;
  std::mutex mutex_;                  // guards the next while workers run
  std::set<std::string> aggregated_;  // version.group
  std::vector<CrdObjects*> read_;     // those that can be read
};

}  // namespace

void CrdObjectTaker::Handle(std::size_t worker, Document& item, std::uint64_t number) {
  const Value& object = item.root();
  const std::string_view kind = object.FindText("kind");
  const std::string_view api_version = object.FindText("apiVersion");
  if (kind == kind_ && api_version.starts_with(group_)) {
    ++counts_[worker];
    HandleObject(worker, item, number);
  } else {
    foreign_[worker] = "\"" + std::string(kind) + "\" in \"" + std::string(api_version) + "\"";
  }
}

std::uint64_t CrdObjectTaker::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string CrdObjectTaker::Fault() const {
  const auto found = std::ranges::find_if(foreign_, [](const auto& kind) { return !kind.empty(); });
  return found == foreign_.end() ? ""
                                 : "the server's list holds another kind of objects: " + *found;
}

void ReadCrdObjects(std::vector<CrdObjects>& wanted, const std::string& crds_target,
                    cluster::ClusterReader& reader) {
  CrdObjectsRun(wanted, crds_target, reader).Run();
}

}  // namespace migrate::check
