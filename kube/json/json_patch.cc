#include "kube/json/json_patch.h"

#include "kube/json/member_cursor.h"

namespace kube::json {
namespace {

/// Goes through both values without recursion, which would take more stack than a thread may have.
class PatchMaker {
 public:
  PatchMaker(Arena& arena, PatchedLists lists) : arena_(arena), lists_(lists) {}

  Value Make(const Value& from, const Value& to) {
    Compare(from, to);
    while (!levels_.empty()) GoOn();
    return patch_;
  }

 private:
  /// Two objects, or two arrays of the same length, that are under way.
  struct Level {
    Level(const Value& a, const Value& b, std::size_t size)
        : from(a), to(b), before(a.members()), there(b.members()), pointer_size(size) {}

    const Value& from;
    const Value& to;
    MemberCursor<const Member> before, there;
    std::size_t pointer_size;
    std::size_t next = 0;  // of the elements, or of the members of `from` and then of `to`
  };

  /// What is at pointer_.
  void Compare(const Value& from, const Value& to) {
    const bool are_objects = from.is_object() && to.is_object();
    const bool are_arrays = lists_ == PatchedLists::kByElement && from.is_array() &&
                            to.is_array() && from.size() == to.size();
    if (are_objects || are_arrays) {
      levels_.emplace_back(from, to, pointer_.size());
    } else if (!Equal(from, to)) {
      Add("replace", &to);
    }
  }

  void GoOn() {
    Level& level = levels_.back();
    pointer_.resize(level.pointer_size);
    const std::size_t index = level.next++;
    const std::size_t size = level.from.size();
    if (level.from.is_object() && index < size) {
      CompareMember(level, level.from.members()[index]);
    } else if (level.from.is_object() && index < size + level.to.size()) {
      AddMember(level, level.to.members()[index - size]);
    } else if (level.from.is_array() && index < size) {
      AppendPointerToken(pointer_, std::to_string(index));
      Compare(level.from.elements()[index], level.to.elements()[index]);
    } else {
      levels_.pop_back();
    }
  }

  void CompareMember(Level& level, const Member& member) {
    AppendPointerToken(pointer_, member.key.text());
    const Value* there = level.there.Find(member.key.text());
    there == nullptr ? Add("remove", nullptr) : Compare(member.value, *there);
  }

  void AddMember(Level& level, const Member& member) {
    if (level.before.Find(member.key.text()) != nullptr) return;
    AppendPointerToken(pointer_, member.key.text());
    Add("add", &member.value);
  }

  void Add(std::string_view operation, const Value* value) {
    Value step = Value::Object();
    step.Set("op", Value::String(operation), arena_);
    step.Set("path", Value::String(arena_.Copy(pointer_)), arena_);
    if (value != nullptr) step.Set("value", *value, arena_);
    patch_.Append(step, arena_);
  }

  Arena& arena_;
  const PatchedLists lists_;
  std::vector<Level> levels_;
  // One for all: a copy a level would take the square of a deep object's keys.
  std::string pointer_;
  Value patch_ = Value::Array();
};

}  // namespace

Value MakeJsonPatch(const Value& from, const Value& to, Arena& arena, PatchedLists lists) {
  return PatchMaker(arena, lists).Make(from, to);
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
