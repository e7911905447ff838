#include "kube/mutation/tree.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/go/go_format.h"
#include "kube/json/json_patch.h"

namespace kube::mutation {
namespace {

const json::Value* Follow(const json::Value& value, const meta::WrittenStep& step) {
  if (!step.is_index) return value.Find(step.name);
  std::size_t index = 0;
  const char* end = step.name.data() + step.name.size();
  const bool is_read = std::from_chars(step.name.data(), end, index).ec == std::errc();
  return is_read && index < value.elements().size() ? &value.elements()[index] : nullptr;
}

// Outside of ['...'].
bool HasBlank(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && static_cast<unsigned char>(text[i]) <= ' ') {
      return true;
    }
  }
  return false;
}

}  // namespace

bool LooksLikeReference(std::string_view text) {
  return text.size() >= 2 && text.front() == '(' && text.back() == ')';
}

base::Result<Reference, std::string> Reference::Parse(std::string_view text) {
  const std::string_view path = text.substr(1, text.size() - 2);
  if (HasBlank(path)) {
    return base::Unexpected<std::string>("a name with blanks has to be quoted, as ['a b']");
  }
  auto steps = meta::ParsePathText(path);
  if (!steps) return base::Unexpected(std::move(steps).error());
  Reference reference;
  for (const meta::WrittenStep& step : *steps) {
    if (step.is_any) return base::Unexpected<std::string>("it does not lead to one value");
  }
  reference.steps_ = *std::move(steps);
  return reference;
}

const json::Value* Reference::FindIn(const json::Value& object) const {
  const json::Value* value = &object;
  for (const meta::WrittenStep& step : steps_) {
    value = Follow(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

namespace {

using json::Arena;
using json::Value;

// A tree has no more (tree_reader.cc); of a value that is referred to what is deeper is replaced.
constexpr std::size_t kDeepestMerge = 200;

class Merger {
 public:
  Merger(const Value& source, Arena& arena) : source_(source), arena_(arena) {}

  void MergeInto(Value& target, const Node& tree) {
    for (const Node& entry : tree.below) MergeEntry(target, entry);
  }

  /// The tree as it is where nothing is there; absent: it is left out.
  std::optional<Value> Build(const Node& tree) {
    switch (tree.kind) {
      case Node::Kind::kRemove:
        return std::nullopt;
      case Node::Kind::kValue:
        return tree.value;
      case Node::Kind::kReference:
        return Resolve(tree);
      case Node::Kind::kList:
        return BuildList(tree);
      case Node::Kind::kMap:
        break;
    }
    Value map = Value::Object();
    MergeInto(map, tree);
    return map;
  }

 private:
  void MergeEntry(Value& target, const Node& entry) {
    if (entry.kind == Node::Kind::kRemove) {
      target.Erase(entry.name);
      return;
    }
    Value* there = target.Find(entry.name);
    const bool merges = there != nullptr && there->is_object() && !entry.replaces;
    if (merges && entry.kind == Node::Kind::kMap) return MergeInto(*there, entry);
    const auto built = Build(entry);
    if (!built) return;  // of a reference to nothing: as if the key were not there
    const bool is_map = entry.kind == Node::Kind::kReference && built->is_object();
    if (merges && is_map) return MergeValue(*there, *built);
    target.Set(arena_.Copy(entry.name), *built, arena_);
  }

  // What a reference brings has no keys of special meaning.
  void MergeValue(Value& target, const Value& value, std::size_t depth = 1) {
    for (const json::Member& member : value.members()) {
      Value* there = target.Find(member.key.text());
      const bool are_maps = there != nullptr && there->is_object() && member.value.is_object();
      if (are_maps && depth < kDeepestMerge) {
        MergeValue(*there, member.value, depth + 1);
      } else {
        target.Set(member.key.text(), member.value, arena_);
      }
    }
  }

  std::optional<Value> Resolve(const Node& tree) {
    const Value* found = tree.reference.FindIn(source_);
    if (found == nullptr) return std::nullopt;
    return json::CopyForChange(*found, arena_);
  }

  Value BuildList(const Node& tree) {
    Value list = Value::Array();
    for (const Node& element : tree.below) {
      if (const auto built = Build(element)) list.Append(*built, arena_);
    }
    return list;
  }

  const Value& source_;
  Arena& arena_;
};

bool FitEntries(const Node& tree, const Value& source, const Value& value) {
  return std::ranges::all_of(tree.below, [&](const Node& entry) {
    const Value* there = value.Find(entry.name);
    if (!entry.replaces) return Fits(entry, source, there);
    Arena arena;
    const auto built = Merger(source, arena).Build(entry);
    return built ? there != nullptr && Equal(*there, *built) : there == nullptr;
  });
}

}  // namespace

void Merge(const Node& tree, const Value& source, Value& target, Arena& arena) {
  Merger(source, arena).MergeInto(target, tree);
}

bool Fits(const Node& tree, const Value& source, const Value* value) {
  if (tree.kind == Node::Kind::kRemove) return value == nullptr || value->is_null();
  if (tree.kind == Node::Kind::kMap) {
    return value != nullptr && value->is_object() && FitEntries(tree, source, *value);
  }
  Arena arena;
  const auto wanted = Merger(source, arena).Build(tree);
  return !wanted || (value != nullptr && Equal(*value, *wanted));
}

bool HasReference(const Node& tree) {
  return tree.kind == Node::Kind::kReference || std::ranges::any_of(tree.below, HasReference);
}

namespace {

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
