#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/json/json.h"

namespace kube::yaml {

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

  enum class Style : std::uint8_t { kPlain, kQuoted };

  /// `tag` is absent (empty) or complete, e.g. "tag:yaml.org,2002:int".
  void Scalar(std::string_view tag, Style style, std::string_view text, std::size_t anchor);
  void Null(std::size_t anchor);
  void Alias(std::size_t anchor);
  void BeginSequence(std::size_t anchor) { Begin(json::Type::kArray, anchor); }
  void BeginMap(std::size_t anchor) { Begin(json::Type::kObject, anchor); }
  void EndSequence();
  void EndMap();

  /// True after a key of a map.
  bool expects_value() const { return !frames_.empty() && frames_.back().expect >= Expect::kValue; }

 private:
  enum class Expect : std::uint8_t { kElement, kKey, kValue, kMergeValue };  // order counts

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

  bool ExpectsKey() const { return !frames_.empty() && frames_.back().expect == Expect::kKey; }
  void Begin(json::Type type, std::size_t anchor);
  Frame PopFrame();
  void EndCollection(json::Value value, const Frame& frame);
  void Key(std::string_view tag, Style style, std::string_view text, std::size_t anchor);
  void AddScalar(json::Value value, std::size_t bytes, std::size_t anchor);
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
};

}  // namespace kube::yaml
