#include "tests/support/fake_apply.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/fake_object.h"

namespace test_support {
namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Type;
using kube::json::Value;

// What says which object it is nobody owns.
bool IsOwned(std::string_view path, std::string_view key) {
  if (path.empty()) return key != "apiVersion" && key != "kind";
  return path != ".metadata" || (key != "name" && key != "namespace");
}

/// fieldsV1 of an object.
Value FieldsOf(const Value& value, const std::string& path, Arena& arena) {
  Value fields = Value::Object();
  for (const auto& [key, value_below] : value.members()) {
    if (!IsOwned(path, key.text())) continue;
    const Value below = FieldsOf(value_below, path + "." + std::string(key.text()), arena);
    // Nothing of it is owned.
    if (below.empty() && !value_below.empty() && value_below.is_object()) continue;
    fields.Set(arena.Copy("f:" + std::string(key.text())), below, arena);
  }
  return fields;
}

std::string_view KeyOf(const Value& field) { return field.text().substr(2); }

/// Paths of the fields of both whose values differ.
void FindConflicts(const Value& fields, const Value& stored, const Value& body,
                   const std::string& path, std::vector<std::string>& conflicts) {
  for (const auto& [field, below] : fields.members()) {
    const std::string_view key = KeyOf(field);
    const Value* is = stored.Find(key);
    const Value* wanted = body.Find(key);
    if (is == nullptr || wanted == nullptr) continue;
    const std::string here = path + "." + std::string(key);
    if (!below.empty()) {
      FindConflicts(below, *is, *wanted, here, conflicts);
    } else if (!kube::json::Equal(*is, *wanted)) {
      conflicts.push_back(here);
    }
  }
}

void Merge(Value& into, const Value& body, Arena& arena) {
  for (const auto& [key, value] : body.members()) {
    Value* below = into.Find(key.text());
    if (value.is_object() && below != nullptr && below->is_object()) {
      Merge(*below, value, arena);
    } else {
      into.Set(arena.Copy(key.text()), kube::json::DeepCopy(value, arena), arena);
    }
  }
}

/// Takes out what `before` has, and neither `now` nor any of `others`.
void RemoveFields(Value& object, const Value& before, const Value& now,
                  const std::vector<const Value*>& others) {
  for (const auto& [field, below] : before.members()) {
    Value* value = object.Find(KeyOf(field));
    if (value == nullptr) continue;
    static const Value kNone = Value::Object();
    const Value* now_below = now.Find(field.text());
    std::vector<const Value*> others_below;
    for (const Value* other : others) {
      if (const Value* found = other->Find(field.text())) others_below.push_back(found);
    }
    if (!below.empty()) {
      RemoveFields(*value, below, now_below ? *now_below : kNone, others_below);
    } else if (now_below == nullptr && others_below.empty()) {
      object.Erase(KeyOf(field));
    }
  }
}

Value EntryOf(const std::string& manager, const Value& body, Arena& arena) {
  Value entry = Value::Object();
  entry.Set("manager", Value::String(arena.Copy(manager)), arena);
  entry.Set("operation", Value::String("Apply"), arena);
  entry.Set("apiVersion", Value::String(arena.Copy(body.FindText("apiVersion"))), arena);
  entry.Set("fieldsType", Value::String("FieldsV1"), arena);
  entry.Set("fieldsV1", FieldsOf(body, "", arena), arena);
  return entry;
}

// apimachinery pkg/util/managedfields/internal/conflict.go
FakeAnswer ConflictWith(const std::string& manager, const std::vector<std::string>& paths) {
  const std::string count =
      std::to_string(paths.size()) + (paths.size() == 1 ? " conflict" : " conflicts");
  const std::string with = "conflict with \"" + manager + "\"";
  std::string list, causes;
  for (const std::string& path : paths) {
    list += "\n- " + path;
    causes += (causes.empty() ? "" : ",");
    causes += R"({"reason":"FieldManagerConflict","message":)" + Quote(with) + R"(,"field":)" +
              Quote(path) + "}";
  }
  return FakeStatus(409, "Conflict",
                    "Apply failed with " + count + ": " + with +
                        (paths.size() == 1 ? ": " + paths[0] : ":" + list),
                    R"({"causes":[)" + causes + "]}");
}

std::span<const Value> EntriesOf(const Value* object) {
  const Value* metadata = object ? object->Find("metadata") : nullptr;
  const Value* entries = metadata ? metadata->Find("managedFields", Type::kArray) : nullptr;
  return entries ? entries->elements() : std::span<const Value>();
}

}  // namespace

FakeApplied ApplyFake(const Value* stored, const Value& body, const std::string& manager,
                      bool force) {
  static const Value kNone = Value::Object();
  auto object = std::make_shared<Document>();
  Arena& arena = object->arena();
  object->root() = kube::json::DeepCopy(stored ? *stored : body, arena);
  const Value own = EntryOf(manager, body, arena);
  Value entries = Value::Array();
  std::vector<const Value*> others;
  const Value* before = &kNone;
  for (const Value& entry : EntriesOf(stored)) {
    const Value* fields = entry.Find("fieldsV1");
    if (fields == nullptr) fields = &kNone;
    if (entry.FindText("manager") == manager) {
      before = fields;
      continue;
    }
    std::vector<std::string> conflicts;
    FindConflicts(*fields, *stored, body, "", conflicts);
    if (!conflicts.empty() && !force) {
      return {nullptr, ConflictWith(std::string(entry.FindText("manager")), conflicts)};
    }
    others.push_back(fields);
    entries.Append(kube::json::DeepCopy(entry, arena), arena);
  }
  Merge(object->root(), body, arena);
  RemoveFields(object->root(), *before, *own.Find("fieldsV1"), others);
  entries.Append(own, arena);
  object->root().Find("metadata")->Set("managedFields", entries, arena);
  return {std::move(object)};
}

}  // namespace test_support
