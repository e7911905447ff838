#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/yaml/yaml.h"

/// From the events of one YAML document to a JSON value.
namespace kube::yaml {

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

/// Thrown by a Builder for what go-yaml refuses; the text is go-yaml's.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes a JSON value of the events of one YAML document: scalars, aliases, merge keys, and what
/// becomes of keys, all as go-yaml v2 (decode.go) and sigs.k8s.io/yaml have it.
///
/// Calls follow the text; each value in turn is a map's key, a map's value, an element or the root.
/// `anchor` names a value for later aliases; 0 is no anchor.
class Builder {
 public:
  explicit Builder(json::Document& document) : document_(document), arena_(document.arena()) {}

  enum class Style : std::uint8_t {
    kPlain,
    kQuoted,       ///< or a block
    kNonSpecific,  ///< tagged "!", in any style: a text, but a merge key like a plain one
  };

  /// `tag` is absent (empty) or complete, e.g. "tag:yaml.org,2002:int".
  void Scalar(std::string_view tag, Style style, std::string_view text, std::size_t anchor);
  /// `name` is for the error.
  void Alias(std::size_t anchor, std::string_view name);
  void BeginSequence(std::size_t anchor) { Begin(json::Type::kArray, anchor); }
  void BeginMap(std::size_t anchor) { Begin(json::Type::kObject, anchor); }
  void EndSequence();
  void EndMap();

  /// What has no JSON (.inf, a null as a key) is an error only where no equal key behind it puts
  /// something in its place, so that it is looked for at the end.
  struct Unfit {
    std::string message;
    std::size_t number;  ///< from 0, in the order of the text
    json::Value key;     ///< what it is as a key
  };
  /// How many of it there were by now.
  std::size_t unfit_count() const { return unfit_.size(); }
  /// Of a complete document: what it holds that has no JSON; absent: nothing.
  std::optional<Unfit> FindUnfit() const;

  /// True if a key of a map is next.
  bool ExpectsKey() const { return !frames_.empty() && frames_.back().expect == Expect::kKey; }

 private:
  enum class Expect : std::uint8_t { kElement, kKey, kValue, kMergeValue };

  // What has been built: values, and the bytes of their scalars.
  struct Size {
    std::size_t values = 0;
    std::size_t bytes = 0;
  };

  struct Frame {
    json::Type type;
    Expect expect;
    std::size_t first;  // in values_
    std::size_t anchor;
    Size before;         // built_ when it began
    std::size_t height;  // levels below it
  };

  struct Anchored {
    json::Value value;
    Size size;
    std::size_t height = 0;
    bool complete = false;
  };

  void Begin(json::Type type, std::size_t anchor);
  Frame PopFrame();
  void EndCollection(json::Value value, const Frame& frame);
  void Key(std::string_view tag, Style style, std::string_view text, std::size_t anchor);
  using Fit = base::Result<json::Value, std::string>;
  // `key` is what the value is as a key.
  json::Value FitOrNote(const Fit& value, const Fit& key);
  json::Value AliasAsKey(const json::Value& value);
  const Unfit* FindUnfit(const json::Value& value) const;
  // `anchored` is what aliases of it stand for.
  void AddScalar(json::Value value, json::Value anchored, std::size_t bytes, std::size_t anchor);
  void Add(json::Value value, bool is_alias);
  void Merge(const json::Value& value, bool is_alias);
  void MergeMap(const json::Value& map);
  void RaiseHeight(std::size_t height);
  void Remember(std::size_t anchor, json::Value value, Size size, std::size_t height);
  void Count(Size built, Size aliased);
  json::Value Copy(const json::Value& value);
  json::Value MakeObject(std::size_t first);
  std::size_t DropDuplicates(json::Member* members, std::size_t count);

  json::Document& document_;
  json::Arena& arena_;
  std::vector<json::Value> values_;  // of the open frames; a map's keys and values in turn
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> order_;
  std::unordered_map<std::size_t, Anchored> anchors_;
  Size built_{1, 0};  // go-yaml counts the document too
  Size aliased_;      // the part of it that came from aliases
  // By the place of the text that stands for it.
  std::map<const char*, Unfit> unfit_;
};

}  // namespace kube::yaml
