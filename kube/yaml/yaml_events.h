#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/yaml/yaml.h"
#include "kube/yaml/yaml_parser.h"

namespace kube::yaml {

/// What ends an anchor or a tag.
inline constexpr std::string_view kBlanks = " \t\r\n";

/// A text in which libyaml meets other characters where it refuses what go-yaml takes: \' in double
/// quotes, a colon at the end of a plain scalar in flow ([a:]), and what flow is made of in tags
/// (!a,b). Each is replaced by one other character, so that all columns stay.
class AmendedText {
 public:
  explicit AmendedText(std::string_view text) : original_(text), text_(text) {}
  AmendedText(const AmendedText&) = delete;
  AmendedText& operator=(const AmendedText&) = delete;

  /// What libyaml has to be given.
  std::string_view text() const { return text_; }
  bool is_amended() const { return !copy_.empty(); }

  /// Amends what libyaml has found. False where go-yaml refuses it too, or after so many amendments
  /// that to read the text again would take too long.
  bool Amend(const Problem& problem);
  /// Amends the tag that begins at `offset` of text() so that it goes on to the next blank, as
  /// go-yaml reads it in flow. False if it does so anyway; else the text has to be read again.
  bool AmendTag(std::size_t offset);

  /// A scalar of text() as it stands in the original.
  std::string Restore(std::string_view value) const;

 private:
  bool MayAmend();
  void Replace(std::size_t offset, std::string_view character);
  void ReplaceApostrophes(std::size_t offset);

  std::string_view original_;
  std::string_view text_;  // original_, or copy_
  std::string copy_;
  // Characters that the original does not have, of three bytes: for a colon, and for what is
  // dropped.
  std::string colon_, nothing_;
  std::size_t bytes_read_again_ = 0;
};

/// Where the character with the index begins; the end of the text if it has not so many.
std::size_t OffsetOf(std::string_view text, std::size_t index);

/// Goes on from one place to a later one, which costs what lies between.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}
  /// `index` is not below the one before.
  std::size_t OffsetOf(std::size_t index);

 private:
  std::string_view text_;
  std::size_t index_ = 0, offset_ = 0;
};

/// Follows the events of one document, and notes where its keys stand.
class KeyTracker {
 public:
  /// Lines count from `first_line`. `lines` must outlive it, and is begun anew.
  KeyTracker(std::size_t first_line, KeyLines& lines);

  /// `expects_key`: the event is, or begins, the key of a map.
  void Take(const Event& event, bool expects_key);

 private:
  struct Frame {
    bool is_map;
    std::string pointer;    // of the map or sequence
    std::string key{};      // of the value that comes next, where it is a map
    std::size_t index = 0;  // the same, where it is a sequence
  };

  void NoteKey(std::string_view key, std::size_t line);
  std::string TakePlace();

  const std::size_t first_line_;
  KeyLines& lines_;
  std::vector<Frame> frames_;
};

/// How the events are read, and what beside the value is wanted; as Parse has them.
struct EventOptions {
  std::vector<BooleanKey>* boolean_keys = nullptr;
  KeyLines* key_lines = nullptr;
  BracketKeys bracket_keys = BracketKeys::kRefused;
};

/// Reads the first document of `text` by libyaml, as go-yaml v2 reads it, into `document`; null
/// where there is none. `text` has passed CheckText. Lines are counted from `first_line`. The error
/// is libyaml's or go-yaml's, but for lists as keys.
std::optional<ParseError> ReadEvents(std::string_view text, std::size_t first_line,
                                     json::Document& document, const EventOptions& options);

}  // namespace kube::yaml
