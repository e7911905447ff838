#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/json/json.h"

namespace kube::yaml {

// YAML as Kubernetes reads and prints it (sigs.k8s.io/yaml over go-yaml v2).

struct ParseError {
  std::size_t line;    ///< from 1, counted from the start of `text` + first_line - 1
  std::size_t column;  ///< from 1; 0 where only the line is known
  std::string message;
};

/// A key without quotes that YAML 1.1 reads as true or false, though it is neither word: n, y, no,
/// yes, off, on, also with capitals.
struct BooleanKey {
  std::string text;  ///< as it is written
  std::size_t line;  ///< as in ParseError
  bool value;
};

/// Where the keys of a document stand, for messages about them.
struct KeyLines {
  /// The line of a key, as in ParseError, by the JSON Pointer (RFC 6901) of its value. Keys stand
  /// as they are written: one that becomes another text (010) is not found by that. What an alias
  /// or a merge key brings is not there.
  std::unordered_map<std::string, std::size_t> by_pointer;

  struct Repeated {
    std::string pointer;
    std::size_t line;
  };
  /// The first key that its map has already, and that so takes the place of another.
  std::optional<Repeated> repeated;

  /// The line of the key of `pointer`, or of the nearest key above it that is known; `otherwise`
  /// where there is none.
  std::size_t LineOf(std::string_view pointer, std::size_t otherwise) const;
};

/// Whether `[labels]: x`, a list of one plain scalar as a key, is the key "[labels]". To Kubernetes
/// it is none.
enum class BracketKeys : bool { kRefused, kTaken };

/// Reads one YAML document into `document` as a JSON value: YAML 1.1 booleans and numbers, merge
/// keys, anchors, binary, the last of equal keys wins, keys of any scalar type become strings.
/// An empty document is null. What follows the document ("...") is not looked at, as in go-yaml.
///
/// Numbers have the text that sigs.k8s.io/yaml gives them in JSON: 010 is 8, 1.0 is 1, 1e3 is 1000.
///
/// Aliases may not blow the value up beyond what go-yaml takes ("document contains excessive
/// aliasing"); nesting is limited as in JSON, and that of [ and { to 1,000 levels, as libyaml's
/// work grows with their square (go-yaml: 10,000). So does that of directives: 100 are taken
/// (kubectl takes none).
///
/// Remaining difference from kubectl (tests/yaml/differential.py looks for more), refused by us:
/// texts of megabytes in which thousands of places are written as only go-yaml takes them
/// (AmendedText in yaml_events.cc). Of keys that are one in JSON and two to go-yaml, as 010 and 08
/// (an integer and a float of 8), kubectl takes now this one, now that; here the last counts.
///
/// Where `boolean_keys` is given, it takes the keys that are read as true or false, in their order;
/// where `key_lines` is given, that takes where all keys stand.
[[nodiscard]] std::optional<ParseError> Parse(std::string_view text, std::size_t first_line,
                                              json::Document& document,
                                              std::vector<BooleanKey>* boolean_keys = nullptr,
                                              KeyLines* key_lines = nullptr,
                                              BracketKeys bracket_keys = BracketKeys::kRefused);

/// Prints `value` as `kubectl -o yaml` does: keys in go-yaml's order ("a2" before "a10"), two
/// blanks a level, sequences not indented below their key, lines folded behind column 80; but that
/// what is bidirectional is escaped, so that no terminal turns it around. Numbers are printed as
/// they are held. Ends with a line break. Parse reads the same value back.
std::string Print(const json::Value& value);
void PrintTo(std::string& out, const json::Value& value);

/// Comments for members of objects, by the address of the member's value: what stands behind "# "
/// on a line of its own before the member. Of one line, without control characters.
using Comments = std::unordered_map<const json::Value*, std::string>;
/// The same with comments, which Parse passes over.
void PrintTo(std::string& out, const json::Value& value, const Comments& comments);

/// Checks `text` as go-yaml's reader does: UTF-8, and no control characters.
std::optional<ParseError> CheckText(std::string_view text, std::size_t first_line);

/// Refuses more than 100 directives above the document: libyaml compares each with all before it.
std::optional<ParseError> CheckDirectives(std::string_view text, std::size_t first_line);

}  // namespace kube::yaml
