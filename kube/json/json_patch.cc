#include "kube/json/json_patch.h"

namespace kube::json {
namespace {

class PatchMaker {
 public:
  PatchMaker(Arena& arena, PatchedLists lists) : arena_(arena), lists_(lists) {}

  void Compare(const Value& from, const Value& to, const std::string& pointer) {
    if (from.is_object() && to.is_object()) return CompareMembers(from, to, pointer);
    const bool by_element = lists_ == PatchedLists::kByElement && from.is_array() && to.is_array();
    if (by_element && from.size() == to.size()) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        Compare(from.elements()[i], to.elements()[i], Below(pointer, std::to_string(i)));
      }
      return;
    }
    if (!Equal(from, to)) Add("replace", pointer, &to);
  }

  Value patch() const { return patch_; }

 private:
  void CompareMembers(const Value& from, const Value& to, const std::string& pointer) {
    for (const Member& member : from.members()) {
      const std::string below = Below(pointer, member.key.text());
      const Value* there = to.Find(member.key.text());
      if (there == nullptr) {
        Add("remove", below, nullptr);
      } else {
        Compare(member.value, *there, below);
      }
    }
    for (const Member& member : to.members()) {
      if (from.Find(member.key.text()) == nullptr) {
        Add("add", Below(pointer, member.key.text()), &member.value);
      }
    }
  }

  static std::string Below(std::string pointer, std::string_view token) {
    AppendPointerToken(pointer, token);
    return pointer;
  }

  void Add(std::string_view operation, const std::string& pointer, const Value* value) {
    Value step = Value::Object();
    step.Set("op", Value::String(operation), arena_);
    step.Set("path", Value::String(arena_.Copy(pointer)), arena_);
    if (value != nullptr) step.Set("value", *value, arena_);
    patch_.Append(step, arena_);
  }

  Arena& arena_;
  const PatchedLists lists_;
  Value patch_ = Value::Array();
};

}  // namespace

Value MakeJsonPatch(const Value& from, const Value& to, Arena& arena, PatchedLists lists) {
  PatchMaker maker(arena, lists);
  maker.Compare(from, to, "");
  return maker.patch();
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
