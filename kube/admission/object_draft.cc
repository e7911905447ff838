#include "kube/admission/object_draft.h"

#include <vector>

#include "kube/json/member_index.h"

namespace kube::admission {
namespace {

using json::Arena;
using json::Member;
using json::Value;

/// The object at `key` of `parent`; made where there is none.
Value& ObjectAt(Value& parent, std::string_view key, Arena& arena) {
  Value* there = parent.Find(key);
  if (there != nullptr && there->is_object()) return *there;
  return *parent.Set(arena.Copy(key), Value::Object(), arena);
}

void MergeInto(Value& target, const Value& patch, Arena& arena) {
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      target.Erase(key.text());
    } else if (value.is_object()) {
      MergeInto(ObjectAt(target, key.text(), arena), value, arena);
    } else {
      target.Set(arena.Copy(key.text()), json::DeepCopy(value, arena), arena);
    }
  }
}

/// An object as it was and is, and the one that is to follow.
struct ObjectPair {
  const Value* from;
  const Value* to;
  Value* target;
};

void RemoveMembers(const ObjectPair& pair, json::MemberIndex& index) {
  for (const Member& member : pair.from->members()) {
    if (index.Find(*pair.to, member.key.text()) == nullptr) pair.target->Erase(member.key.text());
  }
}

bool IsChanged(const Value* before, const Value& after) {
  return before == nullptr || !json::Equal(*before, after);
}

/// What the target does not have. Another one may have removed it: it comes back with a change.
void AddMembers(const ObjectPair& pair, Arena& arena, json::MemberIndex& index) {
  std::vector<const Member*> added;
  json::MemberIndex target_index;  // of the target as it is before anything is added
  for (const Member& member : pair.to->members()) {
    const Value* old = index.Find(*pair.from, member.key.text());
    const bool is_there = target_index.Find(*pair.target, member.key.text()) != nullptr;
    if (!is_there && IsChanged(old, member.value)) added.push_back(&member);
  }
  for (const Member* member : added) {
    pair.target->SetNew(member->key.text(), json::DeepCopy(member->value, arena), arena);
  }
}

/// What both have; of two objects the members are left to `pairs`.
void ChangeMembers(const ObjectPair& pair, Arena& arena, json::MemberIndex& index,
                   std::vector<ObjectPair>& pairs) {
  for (Member& place : pair.target->members()) {
    const Value* now = index.Find(*pair.to, place.key.text());
    if (now == nullptr) continue;
    const Value* old = index.Find(*pair.from, place.key.text());
    const bool are_objects = old != nullptr && old->is_object() && now->is_object();
    if (are_objects && place.value.is_object()) {
      pairs.push_back({old, now, &place.value});
    } else if (IsChanged(old, *now)) {
      place.value = json::DeepCopy(*now, arena);
    }
  }
}

}  // namespace

ObjectDraft::ObjectDraft(const Value* object)
    : root_(object == nullptr ? Value() : json::CopyForChange(*object, arena_)) {}

const Value* ObjectDraft::Find(Path path) const {
  const Value* value = &root_;
  for (const std::string_view key : path) {
    if (value != nullptr) value = value->Find(key);
  }
  return value;
}

void ObjectDraft::Set(Path path, const Value& value) {
  if (value.is_null()) return Remove(path);
  if (!root_.is_object() || path.size() == 0) return;
  Value* parent = &root_;
  const std::string_view* last = path.end() - 1;
  for (const std::string_view* key = path.begin(); key != last; ++key) {
    parent = &ObjectAt(*parent, *key, arena_);
  }
  parent->Set(arena_.Copy(*last), json::DeepCopy(value, arena_), arena_);
}

void ObjectDraft::SetText(Path path, std::string_view text) { Set(path, Value::String(text)); }

void ObjectDraft::SetNumber(Path path, std::int64_t number) {
  Set(path, Value::Number(number, arena_));
}

void ObjectDraft::SetBool(Path path, bool value) { Set(path, Value::Bool(value)); }

void ObjectDraft::Remove(Path path) {
  if (path.size() == 0) return;
  Value* parent = &root_;
  const std::string_view* last = path.end() - 1;
  for (const std::string_view* key = path.begin(); key != last; ++key) {
    parent = parent->Find(*key);
    if (parent == nullptr) return;
  }
  parent->Erase(*last);
}

void ObjectDraft::Merge(const Value& patch) {
  if (root_.is_object()) MergeInto(root_, patch, arena_);
}

void ApplyDifference(const Value& from, const Value& to, Value& target, Arena& arena) {
  // Not by recursion: objects may be nested deeper than the stack of a thread allows.
  std::vector<ObjectPair> pairs = {{&from, &to, &target}};
  json::MemberIndex index;  // of `from` and `to`, which do not change
  while (!pairs.empty()) {
    const ObjectPair pair = pairs.back();
    pairs.pop_back();
    RemoveMembers(pair, index);
    AddMembers(pair, arena, index);
    ChangeMembers(pair, arena, index, pairs);
  }
}

}  // namespace kube::admission
