#include "tests/support/fake_patches.h"

#include <stdexcept>
#include <string_view>

#include "tests/support/fake_object.h"

namespace test_support {
namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Value;

void MergeInto(Value& target, const Value& patch, Arena& arena) {
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      target.Erase(key.text());
      continue;
    }
    if (!value.is_object()) {
      target.Set(arena.Copy(key.text()), kube::json::DeepCopy(value, arena), arena);
      continue;
    }
    Value* below = target.Find(key.text());
    if (below == nullptr || !below->is_object())
      below = target.Set(arena.Copy(key.text()), Value::Object(), arena);
    MergeInto(*below, value, arena);
  }
}

std::string Unescaped(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size()) {
      text += part[++i] == '1' ? '/' : '~';
    } else {
      text += part[i];
    }
  }
  return text;
}

Value& At(Value& parent, const std::string& key) {
  Value* below = parent.is_array() ? &parent.elements()[std::stoul(key)] : parent.Find(key);
  if (below == nullptr) throw std::invalid_argument("a JSON patch below nothing: " + key);
  return *below;
}

// `value`: the null pointer to remove.
void SetAt(Value& root, std::string_view pointer, const Value* value, Arena& arena) {
  if (pointer.empty()) {
    root = kube::json::DeepCopy(*value, arena);
    return;
  }
  Value* parent = &root;
  for (;;) {
    pointer.remove_prefix(1);
    const std::size_t end = pointer.find('/');
    const std::string key = Unescaped(pointer.substr(0, end));
    if (end != pointer.npos) {
      parent = &At(*parent, key);
      pointer.remove_prefix(end);
    } else if (value == nullptr) {
      if (!parent->Erase(key)) throw std::invalid_argument("a JSON patch removes nothing: " + key);
      return;
    } else if (parent->is_array()) {
      At(*parent, key) = kube::json::DeepCopy(*value, arena);
      return;
    } else {
      parent->Set(arena.Copy(key), kube::json::DeepCopy(*value, arena), arena);
      return;
    }
  }
}

void ApplyOperations(Document& object, const Value& operations) {
  for (const Value& operation : operations.elements()) {
    const Value* value = operation.Find("value");
    const bool removes = operation.FindText("op") == "remove";
    if (removes == (value != nullptr)) throw std::invalid_argument("what is to be patched?");
    SetAt(object.root(), operation.FindText("path"), value, object.arena());
  }
}

}  // namespace

std::shared_ptr<Document> ApplyPatch(const Value& object, const std::string& content_type,
                                     const std::string& body) {
  const bool is_merge = content_type == "application/merge-patch+json";
  if (!is_merge && content_type != "application/json-patch+json") return nullptr;
  auto patched = std::make_shared<Document>();
  patched->root() = kube::json::DeepCopy(object, patched->arena());
  const auto patch = Parse(body);
  if (is_merge) {
    MergeInto(patched->root(), patch->root(), patched->arena());
  } else {
    ApplyOperations(*patched, patch->root());
  }
  return patched;
}

}  // namespace test_support
