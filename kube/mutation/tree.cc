#include "kube/mutation/tree.h"

#include <algorithm>
#include <cstddef>

namespace kube::mutation {
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

}  // namespace kube::mutation
