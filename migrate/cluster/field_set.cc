#include "migrate/cluster/field_set.h"

#include <vector>

namespace migrate::cluster {
namespace {

using kube::json::Member;
using kube::json::Value;

// Where something below is owned, only this says that the thing itself is.
Value Leaf(kube::json::Arena& arena) {
  Value self = Value::Object();
  self.SetNew(kSelf, Value::Object(), arena);
  return self;
}

class UnionMaker {
 public:
  explicit UnionMaker(kube::json::Arena& arena) : arena_(arena) {}

  Value Union(const Value& one, const Value& other, std::size_t level) {
    if (!other.is_object() || level == kMostLevels) return one;
    if (!one.is_object()) return other;
    if (one.empty() && other.empty()) return one;
    if (level > 0 && one.empty()) return Merge(Leaf(arena_), other, level);
    if (level > 0 && other.empty()) return Merge(one, Leaf(arena_), level);
    return Merge(one, other, level);
  }

 private:
  Value Merge(const Value& one, const Value& other, std::size_t level) {
    const std::vector<const Member*> ours = kube::json::SortedMembers(one);
    const std::vector<const Member*> theirs = kube::json::SortedMembers(other);
    Value merged = Value::Object();
    auto our = ours.begin();
    auto their = theirs.begin();
    while (our != ours.end() || their != theirs.end()) {
      const int order = our == ours.end()       ? 1
                        : their == theirs.end() ? -1
                                                : (*our)->key.text().compare((*their)->key.text());
      const Member& first = order <= 0 ? **our : **their;
      Value below = first.value;
      if (order == 0) below = Union((*our)->value, (*their)->value, level + 1);
      merged.SetNew(first.key.text(), below, arena_);
      if (order <= 0) ++our;
      if (order >= 0) ++their;
    }
    return merged;
  }

  kube::json::Arena& arena_;
};

}  // namespace

Value UnionOf(const Value& one, const Value& other, kube::json::Arena& arena) {
  return UnionMaker(arena).Union(one, other, 0);
}

}  // namespace migrate::cluster
