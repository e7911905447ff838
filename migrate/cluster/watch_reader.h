#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/client/api_status.h"
#include "kube/json/json.h"
#include "kube/json/list_splitter.h"

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

}  // namespace migrate::cluster
