#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

namespace kube::json {

/// Reads JSON as it is nearly always written, in a fraction of the time that it takes to have an
/// answer to everything.
class PlainReader {
 public:
  /// So many bytes of 0 must follow a text.
  static constexpr std::size_t kPadding = 64;

  /// Values live in `arena`; `stack` is memory that is kept for the next text.
  PlainReader(Arena& arena, std::vector<Value>& stack) : arena_(arena), stack_(stack) {}

  /// Reads `size` bytes in place: strings of the result point into `text`, where escapes were
  /// replaced. Absent says only that the text needs another look: it may be no JSON, be nested
  /// deeply, or hold half a surrogate pair or a number that may be beyond a float64. What is not
  /// ASCII is taken for UTF-8.
  std::optional<Value> Read(char* text, std::size_t size);
  /// Whether there was a null in what was read last.
  bool saw_null() const { return saw_null_; }
  /// Whether all that was read last is ASCII.
  bool saw_ascii_alone() const { return saw_ascii_alone_; }

 private:
  bool ReadValue(std::size_t depth);
  bool ReadObject(std::size_t depth);
  bool ReadArray(std::size_t depth);
  bool ReadString();
  bool ReadStringWithEscapes(char* start, char* from);
  bool ReadNumber();
  bool ReadWord(std::string_view word, Value value);
  bool SkipDigits();
  void SkipSpace();

  char* NextMark();
  void FindMarks();
  void AddMarksOfBlock();

  void Push(Value value);
  void Grow();
  Value* Values(std::size_t base) { return stack_.data() + base; }
  std::size_t used() const { return static_cast<std::size_t>(top_ - stack_.data()); }

  Arena& arena_;
  std::vector<Value>& stack_;  // what is in use ends at top_
  Value* top_ = nullptr;
  Value* limit_ = nullptr;
  char* at_ = nullptr;

  // Where strings begin and end, and escapes in them: found a while ahead, so that no step of the
  // reader has to wait for the one before it.
  static constexpr std::size_t kAhead = 1024;  // bytes of the text
  static constexpr std::size_t kMarksAtOnce = 8;
  std::uint32_t marks_[kAhead + kMarksAtOnce];  // offsets in the text
  const std::uint32_t* mark_ = marks_;
  std::uint32_t* marks_end_ = marks_;
  char* text_ = nullptr;
  std::size_t size_ = 0, seen_ = 0;  // of the text, and how much of it was looked at
  bool saw_null_ = false, saw_ascii_alone_ = true;
  bool escaped_ = false, in_string_ = false, has_control_ = false;  // up to there
};

}  // namespace kube::json
