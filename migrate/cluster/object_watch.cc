#include "migrate/cluster/object_watch.h"

#include <utility>

#include "kube/client/answer_meaning.h"

namespace migrate::cluster {
namespace {

using kube::client::Meaning;
using kube::client::MeaningOf;

constexpr int kMostFailuresInARow = 5;
constexpr std::chrono::seconds kPause(1);
// A watch that went on for so long was none that failed, though nothing happened to report.
constexpr std::chrono::seconds kLasting(10);

}  // namespace

ObjectWatch::ObjectWatch(std::string target, TakeFunction take,
                         const kube::client::Session& session)
    : target_(std::move(target)), take_(std::move(take)), session_(session) {}

ObjectWatch::~ObjectWatch() { Stop(); }

void ObjectWatch::Start(const std::string& resource_version) {
  Stop();
  resource_version_ = resource_version;
  failures_ = 0;
  state_ = State::kWatching;
  Connect();
}

void ObjectWatch::Connect() {
  reader_ = std::make_unique<WatchReader>(static_cast<WatchReader::Sink&>(*this));
  broken_.reset();
  connected_at_ = session_.clock.Now();
  kube::client::ApiRequest request;
  request.target = target_ +
                   "?watch=1&resourceVersion=" + kube::client::UrlEscape(resource_version_) +
                   "&allowWatchBookmarks=true";
  request.is_watch = true;
  call_ = session_.client.Start(std::move(request), *this);
}

void ObjectWatch::Advance() {
  if (broken_) {
    const WatchError error = *std::exchange(broken_, std::nullopt);
    if (call_) session_.client.Cancel(*std::exchange(call_, std::nullopt));
    TakeError(error.status, error.message);
  }
  if (state_ == State::kWatching && !call_ && session_.clock.Now() >= due_) Connect();
}

void ObjectWatch::Stop() {
  if (call_) session_.client.Cancel(*std::exchange(call_, std::nullopt));
  if (state_ == State::kWatching) state_ = State::kIdle;
}

void ObjectWatch::OnBytes(std::string_view bytes) {
  // A call must not be cancelled from here.
  if (!broken_) broken_ = reader_->Push(bytes);
}

void ObjectWatch::OnEvent(WatchEventType type, kube::json::Value& object,
                          kube::json::Document& event) {
  resource_version_ = object.Find("metadata")->FindText("resourceVersion");
  failures_ = 0;
  if (type == WatchEventType::kBookmark) return;
  ++events_;
  take_(type, object, event);
}

bool ObjectWatch::is_steady() const {
  const bool lasts = session_.clock.Now() >= connected_at_ + kLasting;
  return state_ == State::kWatching && call_ && (failures_ == 0 || lasts);
}

// The server ends every watch after some time.
void ObjectWatch::OnEnd(const std::optional<kube::client::CallError>& error) {
  call_.reset();
  if (broken_) return;
  due_ = session_.clock.Now() + kPause;
  if (!error) return;
  TakeError(error->status, error->message);
}

void ObjectWatch::TakeError(const std::optional<kube::client::ApiStatus>& status,
                            const std::string& message) {
  due_ = session_.clock.Now() + kPause;
  error_ = message;
  if (session_.clock.Now() >= connected_at_ + kLasting) failures_ = 0;
  if (status && MeaningOf(*status) == Meaning::kExpired) {
    state_ = State::kExpired;
  } else if ((status && !MayPass(MeaningOf(*status))) || ++failures_ > kMostFailuresInARow) {
    state_ = State::kFailed;
  }
}

}  // namespace migrate::cluster
