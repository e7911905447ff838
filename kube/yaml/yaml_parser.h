#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kube::yaml {

/// A place in a text, all from 0 and in characters, as libyaml counts.
struct Mark {
  std::size_t index = 0;
  std::size_t line = 0, column = 0;
};

/// What the text of one document is made of. The texts hold until the next event.
struct Event {
  enum class Type : std::uint8_t {
    kAlias,
    kScalar,
    kBeginSequence,
    kEndSequence,
    kBeginMap,
    kEndMap,
    kEnd,    ///< of the document, or of the text
    kOther,  ///< nothing of a value
  };
  enum class Style : std::uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kBlock };

  Type type = Type::kOther;
  Style style = Style::kPlain;  ///< of a scalar
  bool is_flow = false;         ///< of a sequence or map that begins
  std::string_view anchor;      ///< of an alias: its name; empty if there is none
  std::string_view tag;         ///< complete, or "!"; empty if there is none
  std::string_view value;       ///< of a scalar
  Mark start, end;
};

/// Why a text is not YAML.
struct Problem {
  std::string_view text;  ///< libyaml's words
  Mark mark;
};

/// The events of one text, by libyaml, of which go-yaml v2 is a translation.
class Parser {
 public:
  /// `text` is UTF-8 and outlives the parser.
  explicit Parser(std::string_view text);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser();

  /// False where the text is in problem(). Nothing may be asked behind kEnd.
  bool Next(Event& event);
  const Problem& problem() const { return problem_; }

 private:
  struct State;

  std::unique_ptr<State> state_;
  Problem problem_;
};

}  // namespace kube::yaml
