#include "kube/mutation/tree_reader.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/go/go_format.h"
#include "kube/json/json_patch.h"

namespace kube::mutation {
namespace {

using json::Value;

constexpr std::size_t kDeepestTree = 200;

/// What a key as it is written means.
struct Key {
  std::string name;
  bool replaces = false;
};

// How many backslashes `text` begins with.
std::size_t CountBackslashes(std::string_view text) {
  return std::min(text.find_first_not_of('\\'), text.size());
}

Key ReadKey(std::string_view text) {
  const std::size_t escapes = CountBackslashes(text);
  const bool is_open = text.substr(escapes).starts_with('[');
  if (!is_open || !text.ends_with(']')) return {std::string(text)};
  if (escapes == 0) return {std::string(text.substr(1, text.size() - 2)), true};
  const std::size_t last = text.size() - 1;
  std::string name(text.substr(1));
  if (last > 0 && text[last - 1] == '\\') name.erase(last - 2, 1);
  return {std::move(name)};
}

bool IsEscapedReference(std::string_view text) {
  const std::size_t escapes = CountBackslashes(text);
  return escapes > 0 && LooksLikeReference(text.substr(escapes));
}

/// Thrown to leave the recursion.
struct Refused {
  TreeError error;
};

class TreeReader {
 public:
  explicit TreeReader(const TreePlace& place) : pointers_{place.pointer}, keys_{place.key} {}

  Node ReadRoot(const Value& value) {
    if (!value.is_object()) Refuse("a mutation tree is a map, shaped like the object");
    return Read(value);
  }

 private:
  [[noreturn]] void Refuse(std::string message) const {
    throw Refused{{pointers_.back(), keys_.back(), std::move(message)}};
  }

  // A value that is not null.
  Node Read(const Value& value) {
    if (pointers_.size() > kDeepestTree) Refuse("is nested deeper than 200 levels");
    switch (value.type()) {
      case json::Type::kObject:
        return ReadMap(value);
      case json::Type::kArray:
        return ReadList(value);
      case json::Type::kString:
        return ReadText(value);
      case json::Type::kNull:
      case json::Type::kBool:
      case json::Type::kNumber:
        break;
    }
    return {.kind = Node::Kind::kValue, .value = value};
  }

  Node ReadText(const Value& value) const {
    const std::string_view text = value.text();
    if (LooksLikeReference(text)) return ReadReference(text);
    Node node{.kind = Node::Kind::kValue, .value = value};
    if (IsEscapedReference(text)) node.value = Value::String(text.substr(1));
    return node;
  }

  Node ReadReference(std::string_view text) const {
    auto reference = Reference::Parse(text);
    if (!reference) {
      Refuse(go::GoQuote(text) + " is no path into the object: " + reference.error() +
             "; for the text write \\" + std::string(text));
    }
    return {.kind = Node::Kind::kReference, .reference = *std::move(reference)};
  }

  Node ReadList(const Value& value) {
    Node list{.kind = Node::Kind::kList};
    for (std::size_t i = 0; i < value.size(); ++i) {
      Enter(std::to_string(i), "[" + std::to_string(i) + "]");
      list.below.push_back(Read(value.elements()[i]));
      Leave();
    }
    return list;
  }

  Node ReadMap(const Value& value) {
    Node map{.kind = Node::Kind::kMap};
    for (const json::Member& member : value.members()) {
      const std::string_view text = member.key.text();
      Enter(text, (keys_.back().empty() ? "" : ".") + std::string(text));
      map.below.push_back(ReadEntry(text, member.value));
      Leave();
    }
    RefuseTwice(map, value);
    return map;
  }

  Node ReadEntry(std::string_view text, const Value& value) {
    Key key = ReadKey(text);
    if (key.replaces && key.name.empty()) Refuse("names no key in its brackets");
    Node entry = value.is_null() ? Node() : Read(value);
    entry.name = std::move(key.name);
    entry.replaces = key.replaces;
    return entry;
  }

  void RefuseTwice(const Node& map, const Value& value) {
    std::vector<std::pair<std::string_view, std::size_t>> names;
    for (std::size_t i = 0; i < map.below.size(); ++i) names.emplace_back(map.below[i].name, i);
    std::ranges::sort(names);
    const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::ranges::adjacent_find(names, is_same);
    if (twice == names.end()) return;
    const auto written = [&](std::size_t i) { return value.members()[i].key.text(); };
    const std::size_t first = twice->second, second = std::next(twice)->second;
    Enter(written(second), (keys_.back().empty() ? "" : ".") + std::string(written(second)));
    Refuse("is the same key as " + std::string(written(first)) +
           "; use one of them, or two documents");
  }

  void Enter(std::string_view token, const std::string& key) {
    pointers_.push_back(pointers_.back());
    json::AppendPointerToken(pointers_.back(), token);
    keys_.push_back(keys_.back() + key);
  }

  void Leave() {
    pointers_.pop_back();
    keys_.pop_back();
  }

  std::vector<std::string> pointers_, keys_;  // of the values that are being read
};

}  // namespace

base::Result<Node, TreeError> ReadTree(const Value& value, const TreePlace& place) {
  try {
    return TreeReader(place).ReadRoot(value);
  } catch (Refused& refused) {
    return base::Unexpected(std::move(refused.error));
  }
}

}  // namespace kube::mutation
