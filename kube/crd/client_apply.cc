#include "kube/crd/client_apply.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace kube::crd {
namespace {

using json::Arena;
using json::Member;
using json::Value;

const Value kEmptyObject = Value::Object();

/// Walks the keys of two objects in their order; what is no object has none. Of a key that only one
/// has the other value is the null pointer.
template <typename Visit>
void ForEachKey(const Value& a, const Value& b, Visit visit) {
  const std::vector<const Member*> left = json::SortedMembers(a), right = json::SortedMembers(b);
  auto l = left.begin();
  auto r = right.begin();
  while (l != left.end() || r != right.end()) {
    const bool has_left =
        l != left.end() && (r == right.end() || (*l)->key.text() <= (*r)->key.text());
    const bool has_right =
        r != right.end() && (l == left.end() || (*r)->key.text() <= (*l)->key.text());
    const std::string_view key = has_left ? (*l)->key.text() : (*r)->key.text();
    visit(key, has_left ? &(*l)->value : nullptr, has_right ? &(*r)->value : nullptr);
    if (has_left) ++l;
    if (has_right) ++r;
  }
}

const Value& InsideOf(const Value* value) {
  return value != nullptr && value->is_object() ? *value : kEmptyObject;
}

// What `to` adds or has otherwise; a null of it adds nothing.
Value Additions(const Value& from, const Value& to, Arena& arena) {
  Value patch = Value::Object();
  ForEachKey(from, to, [&](std::string_view key, const Value* old, const Value* now) {
    if (now == nullptr || now->is_null()) return;
    if (!now->is_object()) {
      if (old == nullptr || !Equal(*old, *now)) patch.SetNew(key, *now, arena);
      return;
    }
    const Value inside = Additions(InsideOf(old), *now, arena);
    const bool was_object = old != nullptr && old->is_object();
    if (!was_object || !inside.empty()) patch.SetNew(key, inside, arena);
  });
  return patch;
}

// Null for what `original` has and `modified` has not, or has as null.
Value Deletions(const Value& original, const Value& modified, Arena& arena) {
  Value patch = Value::Object();
  ForEachKey(original, modified, [&](std::string_view key, const Value* old, const Value* now) {
    if (now == nullptr || now->is_null()) {
      const bool was_null = old != nullptr && old->is_null();
      if (now == nullptr || !was_null) patch.SetNew(key, Value(), arena);
    } else if (now->is_object()) {
      const Value inside = Deletions(InsideOf(old), *now, arena);
      if (!inside.empty()) patch.SetNew(key, inside, arena);
    }
  });
  return patch;
}

// Both patches in one; where they differ `a` counts.
Value Merged(const Value& a, const Value& b, Arena& arena) {
  Value patch = Value::Object();
  ForEachKey(a, b, [&](std::string_view key, const Value* in_a, const Value* in_b) {
    const bool are_both = in_a != nullptr && in_a->is_object() && in_b != nullptr;
    const Value& one = in_a != nullptr ? *in_a : *in_b;
    patch.SetNew(key, are_both ? Merged(*in_a, *in_b, arena) : one, arena);
  });
  return patch;
}

// What was applied last; nothing where that is not known.
const Value& OriginalOf(const Value& live, json::Document& document) {
  const std::string_view text = live.At("metadata").At("annotations").FindText(kLastApplied);
  const bool is_read = !text.empty() && !document.Parse(text);
  return is_read ? InsideOf(&document.root()) : kEmptyObject;
}

bool Owns(const Value& entry, std::string_view field) {
  return entry.At("fieldsV1").At("f:spec").Find("f:" + std::string(field)) != nullptr;
}

// What somebody else owns too stays.
bool WasNamedToServer(const Value& live, std::string_view field) {
  const std::span<const Value> entries = live.At("metadata").At("managedFields").elements();
  const auto owns = [field](const Value& entry) { return Owns(entry, field); };
  if (std::ranges::count_if(entries, owns) != 1) return false;
  return std::ranges::find_if(entries, owns)->FindText("operation") == "Apply";
}

// The object at `key`, made where there is none. What has another type the server refuses.
Value& ObjectAt(Value& parent, std::string_view key, Arena& arena) {
  Value* there = parent.Find(key);
  if (there != nullptr && there->is_object()) return *there;
  return *parent.Set(key, Value::Object(), arena);
}

}  // namespace

Value WithLastApplied(const Value& manifest, Arena& arena) {
  Value modified = json::CopyForChange(manifest, arena);
  if (!modified.is_object()) return modified;
  Value& annotations = ObjectAt(ObjectAt(modified, "metadata", arena), "annotations", arena);
  annotations.Erase(kLastApplied);
  const std::string text = json::Print(modified) + "\n";
  annotations.Set(kLastApplied, Value::String(arena.Copy(text)), arena);
  return modified;
}

Value ApplyPatch(const Value& modified, const Value& live, Arena& arena) {
  json::Document document;
  const Value& original = OriginalOf(live, document);
  const Value patch =
      Merged(Additions(live, modified, arena), Deletions(original, modified, arena), arena);
  return json::DeepCopy(patch, arena);
}

Value Patched(const Value& target, const Value& patch, Arena& arena) {
  if (!patch.is_object()) return patch;
  Value patched = Value::Object();
  ForEachKey(target, patch, [&](std::string_view key, const Value* old, const Value* change) {
    if (change == nullptr) {
      patched.SetNew(key, *old, arena);
    } else if (!change->is_null()) {
      patched.SetNew(key, Patched(old == nullptr ? Value() : *old, *change, arena), arena);
    }
  });
  return patched;
}

bool NamesInSpec(const Value& crd, std::string_view field) {
  return crd.At("spec").Find(field) != nullptr;
}

bool ApplyLeaves(const Value& manifest, const Value& live, std::string_view field) {
  json::Document document;
  return !NamesInSpec(manifest, field) && !NamesInSpec(OriginalOf(live, document), field) &&
         !WasNamedToServer(live, field);
}

std::string_view FindServerSideApplier(const Value& live) {
  const Value& metadata = live.At("metadata");
  if (metadata.At("annotations").Find(kLastApplied) != nullptr) return {};
  for (const Value& entry : metadata.At("managedFields").elements()) {
    const bool is_apply = entry.FindText("operation") == "Apply";
    if (is_apply && entry.At("fieldsV1").Find("f:spec") != nullptr)
      return entry.FindText("manager");
  }
  return {};
}

}  // namespace kube::crd
