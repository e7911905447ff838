#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json/value_scanner.h"

namespace kube::json {

/// A place in a text.
struct TextPosition {
  std::uint64_t offset = 0;  ///< in bytes, from 0
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< in bytes, from 1

  /// The place after `text`, if this is the place where it starts.
  TextPosition After(std::string_view text) const;
};

/// Why a text cannot be split, and where.
struct SplitError {
  TextPosition position;
  std::string message;
};

/// Takes JSON text as it arrives, in pieces of any size, and hands out one object at a time, so
/// that a List of any length needs the memory of its largest item only.
///
/// A text is a sequence of JSON objects or arrays (white space between them). A top-level object
/// with an array at "items" is a list, as for Unstructured of k8s.io/apimachinery; its items are
/// handed out one by one and the rest of it at the end as the list's own value, with "items" left
/// as
/// []. Any other value is handed out whole. Only brackets and strings are looked at: what is
/// between them is checked by whoever parses what is handed out.
class ListSplitter {
 public:
  enum class Kind {
    kItem,    ///< an element of a list's items
    kList,    ///< a list without its items, after its last item
    kObject,  ///< any other top-level value
  };

  /// The largest value that is handed out, and the most blanks between two; an API server takes no
  /// more than 3 MiB in a request.
  static constexpr std::size_t kMaxValueBytes = 32 * 1024 * 1024;

  /// Is handed each object. `text` holds during the call only; `position` is where it starts.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnObject(Kind kind, std::string_view text, const TextPosition& position) = 0;
  };

  /// `sink` must outlive the splitter. `start` is where the text starts in a larger one.
  explicit ListSplitter(Sink& sink, const TextPosition& start = {}) : sink_(sink), here_(start) {}

  /// Takes the next piece. After an error nothing more may be pushed.
  [[nodiscard]] std::optional<SplitError> Push(std::string_view bytes);
  /// Says that the text is complete. An error if a value is not.
  [[nodiscard]] std::optional<SplitError> Finish();
  /// The place after all that was pushed.
  const TextPosition& position() const { return here_; }
  /// While an item is handed out: the list as far as it has come, e.g. `{"kind":"XList","items":[`.
  std::string_view list_head() const { return top_level_; }

 private:
  enum class State {
    kBetweenValues,
    kInTopLevelArray,
    kBeforeKey,
    kInKey,
    kAfterKey,
    kBeforeValue,
    kInValue,
    kAfterValue,
    kBeforeItem,
    kInItem,
  };

  void Step(std::string_view bytes);
  void BetweenValues(char c);
  void BeforeKey(char c);
  void AfterKey(char c);
  void BeforeValue(char c);
  void AfterValue(char c);
  void BeforeItem(char c);
  void ScanInto(std::string_view bytes, State next);
  void ScanItem(std::string_view bytes);
  void SkipBlank();
  void Keep(char c);
  void HandOutTopLevel();
  void Advance(std::size_t count) { used_ += count; }
  TextPosition Here();
  void Fail(std::string message);

  Sink& sink_;
  State state_ = State::kBetweenValues;
  ValueScanner scanner_;
  std::string top_level_;  // the value that began at the top, without items
  TextPosition top_level_position_;
  std::size_t key_start_ = 0;  // of the last key, in top_level_
  bool is_list_ = false;
  bool after_item_ = false, after_comma_ = false;  // within the items of a list
  std::string item_;  // the start of an item that went on beyond its piece
  TextPosition item_position_;
  std::size_t blanks_ = 0;  // in a row, that are not kept

  std::string_view piece_;  // what was pushed, and how much of it is used up
  std::size_t used_ = 0;
  TextPosition here_;  // of piece_[counted_]
  std::size_t counted_ = 0;
  std::optional<SplitError> error_;
};

}  // namespace kube::json
