#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_watch.h"

namespace migrate::cluster {

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
