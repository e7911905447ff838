#include "migrate/cluster/object_watch.h"

#include <utility>
#include <vector>

#include "kube/client/answer_meaning.h"
#include "migrate/cluster/object_metadata.h"

namespace migrate::cluster {
namespace {

using kube::json::Value;

std::optional<WatchEventType> TypeOf(std::string_view name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  if (name == "BOOKMARK") return WatchEventType::kBookmark;
  return std::nullopt;
}

// In the words that any other Status gets.
WatchError ReadStatus(const Value& object) {
  kube::client::ResponseHead head;
  head.status = static_cast<int>(kube::json::AsInt64(object.At("code")).value_or(500));
  kube::client::ApiStatus status =
      kube::client::ReadApiStatus("GET", head, kube::json::Print(object));
  std::string message = kube::client::Describe(status);
  return {std::move(status), std::move(message)};
}

}  // namespace

std::optional<WatchError> WatchReader::Push(std::string_view bytes) {
  if (error_) return error_;
  if (const auto error = splitter_.Push(bytes)) Fail(error->message);
  return error_;
}

void WatchReader::OnObject(kube::json::ListSplitter::Kind kind, std::string_view text,
                           const kube::json::TextPosition&) {
  if (error_) return;
  if (kind != kube::json::ListSplitter::Kind::kObject)
    return Fail("a list in the place of an event");
  if (const auto error = event_.Parse(text)) return Fail(error->message);
  ReadEvent();
}

void WatchReader::ReadEvent() {
  Value* object = event_.root().Find("object");
  const std::string_view name = event_.root().FindText("type");
  if (object == nullptr || !object->is_object()) return Fail("an event without an object");
  if (name == "ERROR") {
    error_ = ReadStatus(*object);
    return;
  }
  const auto type = TypeOf(name);
  if (!type) return Fail("an event of an unknown type");
  if (MetadataText(*object, "resourceVersion").empty()) {
    return Fail("an event without a resource version");
  }
  sink_.OnEvent(*type, *object, event_);
}

void WatchReader::Fail(std::string message) {
  if (!error_) error_ = {std::nullopt, "the watch's answer cannot be read: " + std::move(message)};
}

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
  const std::string version = kube::client::UrlEscape(resource_version_);
  call_ = session_.client.Start(
      {.target = target_ + "?watch=1&resourceVersion=" + version + "&allowWatchBookmarks=true",
       .is_watch = true},
      *this);
}

void ObjectWatch::Advance() {
  if (broken_) {
    const WatchError error = *std::exchange(broken_, std::nullopt);
    if (call_) session_.client.Cancel(*std::exchange(call_, std::nullopt));
    HandleError(error.status, error.message);
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
  resource_version_ = MetadataText(object, "resourceVersion");
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
  HandleError(error->status, error->message);
}

void ObjectWatch::HandleError(const std::optional<kube::client::ApiStatus>& status,
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

namespace {

constexpr std::chrono::seconds kListPause(5);

}  // namespace

ListWatch::ListWatch(Options options, const kube::client::Session& session)
    : options_(std::move(options)),
      session_(session),
      watch_(
          options_.target,
          [this](WatchEventType type, kube::json::Value& object, kube::json::Document&) {
            options_.on_event(type, object);
          },
          session) {}

std::optional<kube::client::CallError> ListWatch::Begin() {
  auto problem = List();
  if (session_.is_stopped()) return std::nullopt;
  return problem;
}

// From its resource version on it is watched.
std::optional<kube::client::CallError> ListWatch::List() {
  std::vector<ListJob> jobs = {{options_.target, options_.make_taker}};
  ReadLists(jobs, session_, {.chunk_size = options_.chunk_size});
  if (jobs[0].error) return jobs[0].error;
  options_.on_list();
  watch_.Start(jobs[0].resource_version);
  return std::nullopt;
}

void ListWatch::Advance() {
  using State = ObjectWatch::State;
  watch_.Advance();
  if (session_.clock.Now() < due_) return;
  if (watch_.is_steady()) NoteRecovery();
  if (watch_.state() == State::kWatching) return;
  due_ = session_.clock.Now() + kListPause;
  if (watch_.state() == State::kFailed) NoteProblem(watch_.error());
  const auto problem = List();
  if (problem && !session_.is_stopped()) NoteProblem(problem->message);
}

// Where it may list but not watch, each list is followed by a watch that fails, soon or after some
// tries.
void ListWatch::NoteRecovery() {
  blind_since_.reset();
  if (!std::exchange(is_problem_told_, false)) return;
  options_.tell("changes of " + options_.what + " are seen again");
}

void ListWatch::NoteProblem(const std::string& problem) {
  if (!blind_since_) blind_since_ = session_.clock.Now();
  if (std::exchange(is_problem_told_, true)) return;
  options_.tell("changes of " + options_.what + " are not seen at the moment: " + problem);
}

}  // namespace migrate::cluster
