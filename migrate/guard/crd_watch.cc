#include "migrate/guard/crd_watch.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "kube/base/error.h"
#include "kube/crd/crd.h"
#include "migrate/crds/crd_names.h"
#include "migrate/lists/list_reader.h"

namespace migrate::guard {
namespace {

using kube::json::Document;
using kube::json::Value;

constexpr std::chrono::seconds kPause(5);
// A CRD may be half a megabyte, and a page is not to be more than some.
constexpr std::int64_t kChunkSize = 20;
constexpr std::string_view kApis = "/apis/";

std::string NameOf(const Value& object) {
  const Value* metadata = object.Find("metadata");
  return metadata == nullptr ? "" : std::string(metadata->FindText("name"));
}

std::string ApiVersionOf(const std::string& target) {
  const std::size_t begin = target.starts_with(kApis) ? kApis.size() : 0;
  return target.substr(begin, target.rfind('/') - begin);
}

}  // namespace

/// Takes the CRDs of one attempt to read the list, and keeps of each no more than is needed.
class CrdWatch::Taker : public lists::ItemTaker {
 public:
  explicit Taker(CrdWatch& watch) : watch_(watch) {}

  // The items of a list do not say what they are.
  void Take(std::size_t, Document& item, std::uint64_t) override {
    if (!item.root().is_object()) return;
    item.root().Set("apiVersion", Value::String(watch_.api_version_), item.arena());
    item.root().Set("kind", Value::String("CustomResourceDefinition"), item.arena());
    const std::string name = NameOf(item.root());
    const auto crd = kube::crd::ReadCopiedCrd(item.root());
    GuardedCrds::Pointer guarded = crd ? watch_.guarded_.Make(*crd) : nullptr;
    const std::lock_guard lock(mutex_);
    identities.push_back(crd ? crds::IdentityOf(*crd) : crds::CrdIdentity{name, "", {}});
    if (!crd) unreadable.push_back(name + ": " + crd.error());
    if (guarded != nullptr) found[name] = std::move(guarded);
  }

  std::map<std::string, GuardedCrds::Pointer> found;
  std::vector<crds::CrdIdentity> identities;
  std::vector<std::string> unreadable;

 private:
  CrdWatch& watch_;
  std::mutex mutex_;
};

CrdWatch::CrdWatch(GuardedCrds& guarded, std::string target, const kube::client::Session& session,
                   TellFunction tell)
    : guarded_(guarded),
      target_(std::move(target)),
      api_version_(ApiVersionOf(target_)),
      session_(session),
      tell_(std::move(tell)),
      watch_(
          target_,
          [this](lists::WatchEventType type, Value& object, Document&) { TakeEvent(type, object); },
          session) {}

bool CrdWatch::Begin() {
  const std::optional<std::string> problem = List();
  if (session_.is_stopped()) return false;
  if (problem) throw kube::base::Error(*problem);
  told_revision_ = guarded_.revision();
  for (const report::GuardedUse& crd : guarded_.Report()) told_.insert(crd.name);
  return true;
}

// The error of a list, if it could not be read. From its resource version on it is watched.
std::optional<std::string> CrdWatch::List() {
  std::vector<lists::ListJob> jobs;
  jobs.emplace_back(target_, [this] { return std::make_shared<Taker>(*this); });
  lists::ListReaderOptions options;
  options.chunk_size = kChunkSize;
  lists::ReadLists(jobs, session_, options);
  if (jobs[0].error) return jobs[0].error->message;
  auto& taker = static_cast<Taker&>(*jobs[0].taker);
  // A name that nobody answers to is a mistake at the beginning, and a deleted CRD later.
  if (!std::exchange(has_begun_, true)) {
    crds::RequireEachNamesOne(guarded_.selection().names, taker.identities);
    for (const std::string& problem : taker.unreadable) tell_("cannot read the CRD " + problem);
  }
  guarded_.Replace(std::move(taker.found));
  watch_.Start(jobs[0].resource_version);
  return std::nullopt;
}

void CrdWatch::TakeEvent(lists::WatchEventType type, const Value& object) {
  const std::string name = NameOf(object);
  if (type == lists::WatchEventType::kDeleted) return guarded_.Remove(name);
  const auto crd = kube::crd::ReadCopiedCrd(object);
  // What was known of it holds until it can be read again.
  if (!crd) return tell_("cannot read the CRD " + name + ": " + crd.error());
  guarded_.Put(name, guarded_.Make(*crd));
}

void CrdWatch::Advance() {
  using State = lists::ObjectWatch::State;
  watch_.Advance();
  TellChanges();
  if (session_.clock.Now() < due_) return;
  if (watch_.state() == State::kWatching) return NoteRecovery();
  due_ = session_.clock.Now() + kPause;
  if (watch_.state() == State::kFailed) NoteProblem(watch_.error());
  const std::optional<std::string> problem = List();
  if (problem && !session_.is_stopped()) NoteProblem(*problem);
}

// Where it may list but not watch, each list is followed by a watch that fails.
void CrdWatch::NoteRecovery() {
  if (problem_.empty()) return;
  tell_("changes of CustomResourceDefinitions are seen again");
  problem_.clear();
}

void CrdWatch::TellChanges() {
  const std::uint64_t revision = guarded_.revision();
  if (std::exchange(told_revision_, revision) == revision) return;
  std::set<std::string> names;
  for (const report::GuardedUse& crd : guarded_.Report()) names.insert(crd.name);
  for (const std::string& name : names) {
    if (!told_.contains(name)) tell_("guarding " + name + " from now on");
  }
  for (const std::string& name : told_) {
    if (!names.contains(name)) tell_("no longer guarding " + name);
  }
  told_ = std::move(names);
}

void CrdWatch::NoteProblem(const std::string& problem) {
  if (problem_.empty()) {
    tell_("changes of CustomResourceDefinitions are not seen at the moment: " + problem);
  }
  problem_ = problem;
}

}  // namespace migrate::guard
