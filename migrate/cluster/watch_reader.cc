#include "migrate/cluster/watch_reader.h"

#include <utility>

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
  const Value* code = object.Find("code", kube::json::Type::kNumber);
  kube::client::ResponseHead head;
  head.status = static_cast<int>(code == nullptr ? 500 : kube::json::AsInt64(*code).value_or(500));
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
  const Value* metadata = object->Find("metadata");
  if (metadata == nullptr || metadata->FindText("resourceVersion").empty()) {
    return Fail("an event without a resource version");
  }
  sink_.OnEvent(*type, *object, event_);
}

void WatchReader::Fail(std::string message) {
  if (!error_) error_ = {std::nullopt, "the watch's answer cannot be read: " + std::move(message)};
}

}  // namespace migrate::cluster
