#include "migrate/populate/object_states.h"

#include <utility>

#include "kube/json/json.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

// Masker in kubectl pkg/cmd/diff/diff.go
constexpr std::string_view kMask = "***";
constexpr std::string_view kMaskBefore = "*** (before)";
constexpr std::string_view kMaskAfter = "*** (after)";

constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

// The null pointer: there is none on that side.
void MaskValue(Value* now, Value* after) {
  const bool changes = now != nullptr && after != nullptr && !kube::json::Equal(*now, *after);
  if (now != nullptr) *now = Value::String(changes ? kMaskBefore : kMask);
  if (after != nullptr) *after = Value::String(changes ? kMaskAfter : kMask);
}

Value* FindIn(Value* object, std::string_view key) {
  return object == nullptr ? nullptr : object->Find(key);
}

void MaskSecret(Value& now, Value& after) {
  Value* data = now.Find("data");
  Value* data_after = after.Find("data");
  if (data != nullptr) {
    for (auto& [key, value] : data->members()) MaskValue(&value, FindIn(data_after, key.text()));
  }
  if (data_after != nullptr) {
    for (auto& [key, value] : data_after->members()) {
      if (FindIn(data, key.text()) == nullptr) MaskValue(nullptr, &value);
    }
  }
  MaskValue(FindIn(FindIn(now.Find("metadata"), "annotations"), kLastApplied),
            FindIn(FindIn(after.Find("metadata"), "annotations"), kLastApplied));
}

// Both were parsed before.
Value& ReadShown(const std::string& text, kube::json::Document& document) {
  const bool is_there = !text.empty() && !document.Parse(text);
  Value* metadata = is_there ? document.root().Find("metadata") : nullptr;
  if (metadata != nullptr) metadata->Erase("managedFields");
  return document.root();
}

}  // namespace

void ShowStates(const ObjectStates& states, const ServedKind& kind, std::string_view namespace_,
                std::string_view name, check::ChangeTaker& taker) {
  kube::json::Document now_document, after_document;
  Value& now = ReadShown(states.now, now_document);
  Value& after = ReadShown(states.after, after_document);
  // Of whatever group, as kubectl has it.
  if (kind.version == "v1" && kind.type.kind == "Secret") MaskSecret(now, after);
  taker.Take({.group = kind.type.group,
              .version = kind.version,
              .kind = kind.type.kind,
              .namespace_ = namespace_,
              .name = name,
              .now = now,
              .after = after,
              .differs = !kube::json::Equal(now, after)});
}

}  // namespace migrate::populate
