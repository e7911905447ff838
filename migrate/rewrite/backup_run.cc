#include "migrate/rewrite/backup_run.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::rewrite {
namespace {

// Some of them for those that are deleted or written meanwhile.
constexpr std::size_t kMostObjects = 50;
// One would do; an object may lose a thousand.
constexpr std::size_t kMostPaths = 5;

}  // namespace

bool LosingObjects::IsWanted(std::uint64_t number) const {
  const kube::base::MutexLock lock(mutex_);
  return objects_.size() < kMostObjects || number < std::prev(objects_.end())->first;
}

void LosingObjects::Look(const kube::json::Value& object, std::uint64_t number,
                         const check::RewriteForecast& forecast) {
  const kube::json::Value* metadata = object.Find("metadata");
  if (metadata == nullptr || !IsWanted(number)) return;
  LosingObject losing{std::string(metadata->FindText("namespace")),
                      std::string(metadata->FindText("name")),
                      std::string(metadata->FindText("uid")), forecast.LosingPaths(object)};
  if (losing.paths.empty()) return;
  if (losing.paths.size() > kMostPaths) losing.paths.resize(kMostPaths);
  const kube::base::MutexLock lock(mutex_);
  objects_.insert_or_assign(number, std::move(losing));
  if (objects_.size() > kMostObjects) objects_.erase(std::prev(objects_.end()));
}

void LosingObjects::Clear() {
  const kube::base::MutexLock lock(mutex_);
  objects_.clear();
}

std::vector<LosingObject> LosingObjects::Pick(
    const std::function<bool(std::string_view uid)>& is_unfit) const {
  const kube::base::MutexLock lock(mutex_);
  std::vector<LosingObject> picked;
  for (const auto& [number, object] : objects_) {
    if (!is_unfit(object.uid)) picked.push_back(object);
  }
  return picked;
}

namespace {

using kube::json::Value;

// A watch shows a write within milliseconds of it.
constexpr std::chrono::milliseconds kQuiet(200);
// Of a list that is written without a pause not all is seen anyway.
constexpr std::chrono::seconds kLongestCatchUp(5);
// How often the list is read again, as the server forgets too soon what was written since.
constexpr int kMostLists = 3;

}  // namespace

/// Takes the objects of one attempt to read the list.
class BackupRun::Taker : public cluster::ItemTaker {
 public:
  Taker(BackupRun& run, int attempt) : run_(run), attempt_(attempt) {}
  void Handle(std::size_t, kube::json::Document& item, std::uint64_t number) override {
    run_.HandleItem(attempt_, item, number);
  }

 private:
  BackupRun& run_;
  int attempt_;
};

BackupRun::BackupRun(const BackupRunOptions& options, const check::RewriteForecast& forecast,
                     const kube::client::Session& session)
    : options_(options), forecast_(forecast), session_(session) {
  Begin();
}

BackupRun::~BackupRun() = default;

void BackupRun::Begin() {
  watch_ = std::make_unique<cluster::ObjectWatch>(
      options_.target,
      [this](cluster::WatchEventType type, Value& object, kube::json::Document&) {
        HandleEvent(type, object);
      },
      session_);
  // The old one has to be gone first: it has the same name.
  backup_.reset();
  known_.reset();
  backup_ = std::make_unique<Backup>(options_.path);
  known_ = std::make_unique<KnownWritesLog>(options_.known_writes, options_.generation);
  losing_.Clear();
}

BackupRun::Step BackupRun::Read() {
  for (int lists = 1;; ++lists) {
    Step step = ReadList();
    if (step == Step::kDone) step = CatchUp();
    if (step != Step::kDone || watch_->state() != cluster::ObjectWatch::State::kExpired)
      return step;
    if (lists == kMostLists) {
      error_ = "the server forgets what is written before it can be watched: " + watch_->error();
      return Step::kFailed;
    }
    Begin();
  }
}

BackupRun::Step BackupRun::ReadList() {
  std::vector<cluster::ListJob> jobs;
  jobs.emplace_back(options_.target, [this]() -> std::shared_ptr<cluster::ItemTaker> {
    losing_.Clear();
    return std::make_shared<Taker>(*this, ++attempts_);
  });
  const auto on_progress = [&](const cluster::ListProgress& progress) {
    AdvanceWatch(jobs[0].resource_version);
    if (options_.on_progress) options_.on_progress(progress);
  };
  cluster::ReadLists(jobs, session_,
                     {.chunk_size = options_.chunk_size,
                      .workers = cluster::WorkerCount(),
                      .lists_at_once = 1,
                      .on_progress = on_progress});
  if (is_stopped()) return Step::kInterrupted;
  if (jobs[0].error) {
    error_ = jobs[0].error->message;
    return Step::kFailed;
  }
  AdvanceWatch(jobs[0].resource_version);
  return Step::kDone;
}

// From the first page on: a server does not keep for long what was written.
void BackupRun::AdvanceWatch(const std::string& resource_version) {
  if (watch_->state() != cluster::ObjectWatch::State::kIdle) return watch_->Advance();
  if (!resource_version.empty()) watch_->Start(resource_version);
}

BackupRun::Step BackupRun::CatchUp() {
  backup_->Sync();
  const auto deadline = session_.clock.Now() + kLongestCatchUp;
  auto quiet_at = session_.clock.Now() + kQuiet;
  while (watch_->state() == cluster::ObjectWatch::State::kWatching &&
         session_.clock.Now() < quiet_at && session_.clock.Now() < deadline) {
    if (is_stopped()) return Step::kInterrupted;
    const std::uint64_t before = watch_->events();
    session_.Poll(std::min(quiet_at, deadline));
    watch_->Advance();
    if (watch_->events() != before) quiet_at = session_.clock.Now() + kQuiet;
  }
  return is_stopped() ? Step::kInterrupted : Step::kDone;
}

void BackupRun::HandleItem(int attempt, kube::json::Document& item, std::uint64_t number) {
  Value& object = item.root();
  losing_.Look(object, number, forecast_);
  const bool is_backed_up = forecast_.Changes(object);
  Note(object, is_backed_up);
  if (is_backed_up) backup_->AddListed(attempt, object);
}

void BackupRun::HandleEvent(cluster::WatchEventType type, Value& object) {
  const bool is_backed_up = type != cluster::WatchEventType::kDeleted && forecast_.Changes(object);
  Note(object, is_backed_up);
  if (is_backed_up) {
    backup_->AddWritten(object);
  } else {
    backup_->Drop(object);
  }
}

void BackupRun::Note(const Value& object, bool is_backed_up) {
  known_->Add(cluster::MetadataText(object, "uid"),
              cluster::MetadataText(object, "resourceVersion"), is_backed_up);
}

void BackupRun::EndWatch() { watch_->Stop(); }

BackupSummary BackupRun::Complete() {
  BackupSummary summary = backup_->Finish();
  known_->Finish();
  return summary;
}

std::string BackupRun::unwatched_because() const {
  return watch_->state() == cluster::ObjectWatch::State::kFailed ? watch_->error() : "";
}

std::vector<LosingObject> BackupRun::losing() const {
  return losing_.Pick([this](std::string_view uid) { return backup_->HasWrites(uid); });
}

}  // namespace migrate::rewrite
