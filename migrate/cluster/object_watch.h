#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/api_status.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "kube/json/list_splitter.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::cluster {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark };

/// Why the bytes of a watch cannot be read on.
struct WatchError {
  /// What an event of type ERROR holds; absent where the bytes are no events.
  std::optional<kube::client::ApiStatus> status;
  std::string message;
};

/// Takes the bytes of a watch's answer as they arrive, in pieces of any size, and hands out its
/// events: one JSON object after the other (apimachinery metav1.WatchEvent). Needs the memory of
/// one event only. The bytes may be anything.
class WatchReader : private kube::json::ListSplitter::Sink {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    /// `object` is that of the event, with a metadata.resourceVersion; of a bookmark there is
    /// nothing else to it. Both hold during the call only; `object` may be changed.
    virtual void OnEvent(WatchEventType type, kube::json::Value& object,
                         kube::json::Document& event) = 0;
  };

  /// `sink` must outlive it.
  explicit WatchReader(Sink& sink) : sink_(sink), splitter_(*this) {}

  /// After an error nothing more is taken.
  std::optional<WatchError> Push(std::string_view bytes);

 private:
  void OnObject(kube::json::ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition& position) override;
  void ReadEvent();
  void Fail(std::string message);

  Sink& sink_;
  kube::json::ListSplitter splitter_;
  kube::json::Document event_;
  std::optional<WatchError> error_;
};

/// Watches a list from a resource version on: every change is handed out, in the order in which
/// each object was written. A connection that broke is made anew from the version seen last.
///
/// Events come from within Client::Poll, on its thread; Advance must be called now and then.
class ObjectWatch : private kube::client::ResultSink, private WatchReader::Sink {
 public:
  /// As WatchReader::Sink::OnEvent, but for bookmarks, which are kept from it.
  using TakeFunction = std::function<void(WatchEventType type, kube::json::Value& object,
                                          kube::json::Document& event)>;
  enum class State {
    kIdle,
    kWatching,  ///< or about to connect again
    kExpired,   ///< the server no longer has what came after the version seen last
    kFailed,    ///< it cannot be watched: see error()
  };

  /// `target` is that of the list: "/apis/g/v1/widgets". What `session` refers to must outlive it.
  ObjectWatch(std::string target, TakeFunction take, const kube::client::Session& session);
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;
  ~ObjectWatch() override;

  /// Begins to watch what came after `resource_version`.
  void Start(const std::string& resource_version);
  /// Connects again where that is due.
  void Advance();
  /// Nothing more is handed out. Not to be called from within TakeFunction.
  void Stop();

  State state() const { return state_; }
  /// A connection stands, and is not one of several tries that have failed so far. One of which the
  /// server has not said anything yet counts.
  bool is_steady() const;
  const std::string& error() const { return error_; }
  /// How many events were handed out.
  std::uint64_t events() const { return events_; }

 private:
  void OnBytes(std::string_view bytes) override;
  void OnEnd(const std::optional<kube::client::CallError>& error) override;
  void OnEvent(WatchEventType type, kube::json::Value& object,
               kube::json::Document& event) override;
  void Connect();
  void HandleError(const std::optional<kube::client::ApiStatus>& status,
                   const std::string& message);

  std::string target_;
  TakeFunction take_;
  const kube::client::Session session_;
  State state_ = State::kIdle;
  std::string error_;
  std::string resource_version_;  // seen last
  std::uint64_t events_ = 0;
  std::unique_ptr<WatchReader> reader_;
  std::optional<kube::client::Client::CallId> call_;
  std::optional<WatchError> broken_;  // the call is of no more use
  int failures_ = 0;                  // since an event came
  kube::base::Clock::TimePoint due_{}, connected_at_{};
};

/// Keeps somebody informed of a list as the cluster has it: reads it, watches it from then on, and
/// reads it again where the watch has ended.
///
/// Needs the rights to list and to watch. For one thread, which lets the client poll.
class ListWatch {
 public:
  struct Options {
    std::string target;  ///< of the list
    std::string what;    ///< for people: "CustomResourceDefinitions"
    std::int64_t chunk_size = 500;
    /// Makes the taker of one attempt to read the list.
    TakerMaker make_taker;
    /// All there is: the taker that was made last has taken every object.
    std::function<void()> on_list;
    /// Something has changed since.
    std::function<void(WatchEventType type, kube::json::Value& object)> on_event;
    /// Takes a line for people, without a line break.
    std::function<void(const std::string&)> tell;
  };

  /// What `session` refers to must outlive it.
  ListWatch(Options options, const kube::client::Session& session);

  /// Reads the list for the first time. The error: why it cannot be read; none where the session
  /// was stopped meanwhile.
  std::optional<kube::client::CallError> Begin();

  /// To be called several times a second. Where the watch has ended the list is read again, if need
  /// be every few seconds, and what was known holds meanwhile: somebody is told once, and once it
  /// is over.
  void Advance();

  /// Since when changes are not seen; absent: they are.
  std::optional<kube::base::Clock::TimePoint> blind_since() const { return blind_since_; }

 private:
  std::optional<kube::client::CallError> List();
  void NoteProblem(const std::string& problem);
  void NoteRecovery();

  const Options options_;
  const kube::client::Session session_;
  ObjectWatch watch_;
  bool is_problem_told_ = false;  // while it lasts
  std::optional<kube::base::Clock::TimePoint> blind_since_;
  kube::base::Clock::TimePoint due_{};
};

}  // namespace migrate::cluster
