#include "kube/json/merge_patch.h"

#include <algorithm>
#include <cstddef>

#include "kube/json/member_index.h"

namespace kube::json {
namespace {

// Nobody has deeper objects.
constexpr std::size_t kDeepest = 200;

bool HasNull(const Value& value) {
  return value.is_null() || std::ranges::any_of(value.members(), HasNull, &Member::value) ||
         std::ranges::any_of(value.elements(), HasNull);
}

class MergePatchMaker {
 public:
  MergePatchMaker(Arena& arena, Removals removals) : arena_(arena), removals_(removals) {}

  Value Compare(const Value& from, const Value& to, std::size_t depth = 1) {
    Value patch = Value::Object();
    for (const Member& member : to.members()) Add(from, member, depth, patch);
    if (removals_ == Removals::kLeftOut) return patch;
    for (const Member& member : from.members()) {
      if (index_.Find(to, member.key.text()) == nullptr) {
        patch.SetNew(member.key.text(), Value(), arena_);
      }
    }
    return patch;
  }

  bool is_possible() const { return is_possible_; }

 private:
  void Add(const Value& from, const Member& member, std::size_t depth, Value& patch) {
    const std::string_view key = member.key.text();
    const Value* there = index_.Find(from, key);
    if (there != nullptr && there->is_object() && member.value.is_object() && depth < kDeepest) {
      const Value below = Compare(*there, member.value, depth + 1);
      if (!below.empty()) patch.SetNew(key, below, arena_);
      return;
    }
    if (there != nullptr && Equal(*there, member.value)) return;
    if (HasNull(member.value)) is_possible_ = false;
    // What is there would be merged with, where that is an object.
    if (there != nullptr && there->is_object() && member.value.is_object()) is_possible_ = false;
    patch.SetNew(key, member.value, arena_);
  }

  Arena& arena_;
  const Removals removals_;
  MemberIndex index_;
  bool is_possible_ = true;
};

}  // namespace

std::optional<Value> MakeMergePatch(const Value& from, const Value& to, Arena& arena,
                                    Removals removals) {
  MergePatchMaker maker(arena, removals);
  const Value patch = maker.Compare(from, to);
  if (!maker.is_possible()) return std::nullopt;
  return patch;
}

}  // namespace kube::json
