#include "migrate/guard/crd_watch.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_names.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::guard {
namespace {

using kube::json::Document;
using kube::json::Value;

// A CRD may be half a megabyte, and a page is not to be more than some.
constexpr std::int64_t kChunkSize = 20;

}  // namespace

/// Takes the CRDs of one attempt to read the list, and keeps of each no more than is needed.
class CrdWatch::Taker : public cluster::ItemTaker {
 public:
  explicit Taker(const CrdWatch* watch) : watch_(*watch) {}

  void Handle(std::size_t, Document& item, std::uint64_t) override {
    if (!item.root().is_object()) return;
    const std::string name = check::NameOfItem(item.root());
    const auto crd = check::ReadListedCrd(item.root(), watch_.api_version_);
    GuardedCrds::Pointer guarded = crd ? watch_.guarded_.Make(*crd) : nullptr;
    const std::lock_guard lock(mutex_);
    identities.push_back(crd ? check::IdentityOf(*crd) : check::CrdIdentity{name, "", {}});
    if (!crd) unreadable.push_back(name + ": " + crd.error());
    if (guarded != nullptr) found[name] = std::move(guarded);
  }

  std::map<std::string, GuardedCrds::Pointer> found;
  std::vector<check::CrdIdentity> identities;
  std::vector<std::string> unreadable;

 private:
  const CrdWatch& watch_;
  std::mutex mutex_;
};

CrdWatch::CrdWatch(GuardedCrds& guarded, std::string target, const kube::client::Session& session,
                   LogFunction tell)
    : guarded_(guarded),
      api_version_(check::ApiVersionOfTarget(target)),
      session_(session),
      tell_(std::move(tell)),
      watch_({.target = std::move(target),
              .what = "CustomResourceDefinitions",
              .chunk_size = kChunkSize,
              .make_taker = cluster::MakerOf(taker_, this),
              .on_list = [this] { HandleList(); },
              .on_event = [this](cluster::WatchEventType type,
                                 const Value& object) { HandleEvent(type, object); },
              .tell = tell_},
             session) {}

bool CrdWatch::Begin() {
  const auto problem = watch_.Begin();
  if (session_.is_stopped()) return false;
  if (problem) throw kube::base::Error(problem->message);
  return true;
}

void CrdWatch::HandleList() {
  const std::shared_ptr<Taker> taker = std::move(taker_);
  // A name that nobody answers to is a mistake at the beginning, and a deleted CRD later.
  if (!std::exchange(has_begun_, true)) {
    check::RequireEachNamesOne(guarded_.selection().names, taker->identities);
    for (const std::string& problem : taker->unreadable) tell_("cannot read the CRD " + problem);
  }
  guarded_.Replace(std::move(taker->found));
}

void CrdWatch::HandleEvent(cluster::WatchEventType type, const Value& object) {
  const std::string name = check::NameOfItem(object);
  if (type == cluster::WatchEventType::kDeleted) return guarded_.Remove(name);
  const auto crd = kube::crd::ReadCopiedCrd(object);
  // What was known of it holds until it can be read again.
  if (!crd) return tell_("cannot read the CRD " + name + ": " + crd.error());
  guarded_.Put(name, guarded_.Make(*crd));
}

}  // namespace migrate::guard
