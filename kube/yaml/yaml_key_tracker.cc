#include "kube/yaml/yaml_key_tracker.h"

#include <utility>

#include "kube/json/json_patch.h"

namespace kube::yaml {
namespace {

// Several of it may stand in one map.
constexpr std::string_view kMergeKey = "<<";

// What is longer is not noted, so that memory does not grow with the square of the depth.
constexpr std::size_t kLongestPointer = 4096;

std::string Below(const std::string& pointer, std::string_view token) {
  std::string below = pointer;
  if (below.size() <= kLongestPointer) json::AppendPointerToken(below, token);
  return below;
}

}  // namespace

KeyTracker::KeyTracker(std::size_t first_line, KeyLines& lines)
    : first_line_(first_line), lines_(lines) {
  lines_ = {};
}

void KeyTracker::Take(const Event& event, bool expects_key) {
  switch (event.type) {
    case Event::Type::kScalar:
    case Event::Type::kAlias:
      if (expects_key) return NoteKey(event.value, first_line_ + event.start.line);
      TakePlace();
      return;
    case Event::Type::kBeginMap:
    case Event::Type::kBeginSequence:
      // As a key it is refused.
      frames_.push_back({.is_map = event.type == Event::Type::kBeginMap, .pointer = TakePlace()});
      return;
    case Event::Type::kEndMap:
    case Event::Type::kEndSequence:
      if (!frames_.empty()) frames_.pop_back();
      return;
    case Event::Type::kEnd:
    case Event::Type::kOther:
      return;
  }
}

void KeyTracker::NoteKey(std::string_view key, std::size_t line) {
  if (frames_.empty()) return;
  Frame& frame = frames_.back();
  frame.key = key;
  if (frame.pointer.size() > kLongestPointer) return;
  std::string pointer = Below(frame.pointer, key);
  const bool is_new = lines_.by_pointer.insert_or_assign(pointer, line).second;
  if (is_new || lines_.repeated || key == kMergeKey) return;
  lines_.repeated = {.pointer = std::move(pointer), .line = line};
}

// The pointer of the value that comes now.
std::string KeyTracker::TakePlace() {
  if (frames_.empty()) return "";
  Frame& frame = frames_.back();
  return Below(frame.pointer, frame.is_map ? frame.key : std::to_string(frame.index++));
}

}  // namespace kube::yaml
