#include "kube/admission/object_draft.h"

#include <string>

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
  for (const Member& member : from.members()) {
    if (to.Find(member.key.text()) == nullptr) target.Erase(member.key.text());
  }
  for (const auto& [key, value] : to.members()) {
    const Value* before = from.Find(key.text());
    if (before != nullptr && before->is_object() && value.is_object()) {
      // What another one has removed, or made something else, comes back only with a change.
      Value* there = target.Find(key.text());
      if (there != nullptr && there->is_object()) {
        ApplyDifference(*before, value, *there, arena);
        continue;
      }
    }
    if (before == nullptr || !json::Equal(*before, value)) {
      target.Set(key.text(), json::DeepCopy(value, arena), arena);
    }
  }
}

}  // namespace kube::admission
