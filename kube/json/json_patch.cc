#include "kube/json/json_patch.h"

#include <cstddef>

#include "kube/json/member_index.h"

namespace kube::json {
namespace {

// Nobody has deeper objects.
constexpr std::size_t kDeepest = 200;

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

namespace {

/// Goes through both values without recursion, which would take more stack than a thread may have.
class PatchMaker {
 public:
  explicit PatchMaker(Arena& arena) : arena_(arena) {}

  Value Make(const Value& from, const Value& to) {
    Compare(from, to);
    while (!levels_.empty()) GoOn();
    return patch_;
  }

 private:
  /// Two objects, or two arrays of the same length, that are under way.
  struct Level {
    const Value* from;
    const Value* to;
    std::size_t pointer_size;
    std::size_t next = 0;  // of the elements, or of the members of `from` and then of `to`
  };

  /// What is at pointer_.
  void Compare(const Value& from, const Value& to) {
    const bool are_objects = from.is_object() && to.is_object();
    const bool are_arrays = from.is_array() && to.is_array() && from.size() == to.size();
    if (are_objects || are_arrays) {
      levels_.push_back({&from, &to, pointer_.size()});
    } else if (!Equal(from, to)) {
      Add("replace", &to);
    }
  }

  void GoOn() {
    Level& level = levels_.back();
    pointer_.resize(level.pointer_size);
    const std::size_t index = level.next++;
    const std::size_t size = level.from->size();
    if (level.from->is_object() && index < size) {
      CompareMember(*level.to, level.from->members()[index]);
    } else if (level.from->is_object() && index < size + level.to->size()) {
      AddMember(*level.from, level.to->members()[index - size]);
    } else if (level.from->is_array() && index < size) {
      AppendPointerToken(pointer_, std::to_string(index));
      Compare(level.from->elements()[index], level.to->elements()[index]);
    } else {
      levels_.pop_back();
    }
  }

  void CompareMember(const Value& to, const Member& member) {
    AppendPointerToken(pointer_, member.key.text());
    const Value* there = index_.Find(to, member.key.text());
    there == nullptr ? Add("remove", nullptr) : Compare(member.value, *there);
  }

  void AddMember(const Value& from, const Member& member) {
    if (index_.Find(from, member.key.text()) != nullptr) return;
    AppendPointerToken(pointer_, member.key.text());
    Add("add", &member.value);
  }

  void Add(std::string_view operation, const Value* value) {
    AppendPatchStep(patch_, operation, pointer_, value, arena_);
  }

  Arena& arena_;
  MemberIndex index_;
  std::vector<Level> levels_;
  // One for all: a copy a level would take the square of a deep object's keys.
  std::string pointer_;
  Value patch_ = Value::Array();
};

}  // namespace

Value MakeJsonPatch(const Value& from, const Value& to, Arena& arena) {
  return PatchMaker(arena).Make(from, to);
}

void AppendPatchStep(Value& patch, std::string_view operation, std::string_view pointer,
                     const Value* value, Arena& arena) {
  Value step = Value::Object();
  step.Set("op", Value::String(operation), arena);
  step.Set("path", Value::String(arena.Copy(pointer)), arena);
  if (value != nullptr) step.Set("value", *value, arena);
  patch.Append(step, arena);
}

void AppendPointerToken(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace kube::json
