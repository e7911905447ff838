#include "migrate/check/located_field.h"

#include <algorithm>
#include <charconv>

#include "kube/meta/object_path.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::schema::SchemaProps;

bool EndsName(std::string_view rest) {
  return rest.empty() || rest.front() == '.' || rest.front() == '[';
}

class Locator {
 public:
  Locator(std::string_view field, const Value& object, const SchemaProps& schema)
      : rest_(field == "<nil>" ? "" : field), value_(&object), schema_(&schema) {}

  LocatedField Run() {
    while (!rest_.empty()) {
      if (rest_.front() == '[' && !IsObject()) {
        TakeIndex();
      } else {
        TakeName();
      }
    }
    return std::move(located_);
  }

 private:
  bool IsObject() const { return value_ != nullptr && value_->is_object(); }

  void TakeIndex() {
    const std::string_view text = rest_.substr(1, rest_.find(']') - 1);
    rest_.remove_prefix(std::min(text.size() + 2, rest_.size()));
    std::size_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    located_.elements.push_back({.key = {}, .index = index, .is_index = true});
    located_.folded_path += "[*]";
    const bool is_there = value_ != nullptr && value_->is_array() && index < value_->size();
    value_ = is_there ? &value_->elements()[index] : nullptr;
    schema_ = schema_ == nullptr ? nullptr : schema_->ItemsSchema();
  }

  void TakeName() {
    const bool is_bracketed = rest_.front() == '[';
    if (is_bracketed || rest_.front() == '.') rest_.remove_prefix(1);
    const std::string_view name = LongestName(is_bracketed);
    rest_.remove_prefix(std::min(name.size() + (is_bracketed ? 1 : 0), rest_.size()));
    located_.elements.push_back({.key = name});
    const SchemaProps* below = schema_ == nullptr ? nullptr : schema_->FindProperty(name);
    const auto* additional = schema_ == nullptr ? nullptr : schema_->additional_properties.get();
    if (below == nullptr && additional != nullptr) {
      below = additional->schema.get();
      kube::meta::AppendPathOfKeys(located_.folded_path);
    } else {
      kube::meta::AppendPathName(located_.folded_path, name);
    }
    value_ = IsObject() ? value_->Find(name) : nullptr;
    schema_ = below;
  }

  std::string_view LongestName(bool is_bracketed) const {
    std::string_view longest;
    const auto take = [&](std::string_view name) {
      if (name.size() <= longest.size() || !rest_.starts_with(name)) return;
      const std::string_view behind = rest_.substr(name.size());
      if (is_bracketed ? behind.starts_with(']') : EndsName(behind)) longest = name;
    };
    if (IsObject()) {
      for (const kube::json::Member& member : value_->members()) take(member.key.text());
    }
    if (longest.empty() && schema_ != nullptr) {
      for (const auto& [name, unused] : schema_->properties) take(name);
    }
    if (!longest.empty()) return longest;
    return rest_.substr(0, rest_.find_first_of(is_bracketed ? "]" : ".[", 1));
  }

  std::string_view rest_;
  const Value* value_;         // null pointer: what follows is not in the object
  const SchemaProps* schema_;  // null pointer: nor specified
  LocatedField located_;
};

}  // namespace

LocatedField LocateField(std::string_view field, const Value& object, const SchemaProps& schema) {
  return Locator(field, object, schema).Run();
}

}  // namespace migrate::check
