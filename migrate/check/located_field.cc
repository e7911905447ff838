#include "migrate/check/located_field.h"

#include <algorithm>
#include <charconv>

#include "kube/meta/object_path.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::schema::SchemaProps;

// A name with more dots and brackets is taken for several.
constexpr int kMostParts = 64;

class Locator {
 public:
  Locator(std::string_view field, const Value& object, const SchemaProps& schema,
          kube::json::MemberIndex& members)
      : rest_(field == "<nil>" ? "" : field),
        value_(&object),
        schema_(&schema),
        members_(members) {}

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
    value_ = IsObject() ? members_.Find(*value_, name) : nullptr;
    schema_ = below;
  }

  std::string_view LongestName(bool is_bracketed) const {
    const std::string_view ends = is_bracketed ? "]" : ".[";
    const std::string_view shortest = rest_.substr(0, rest_.find_first_of(ends, 1));
    std::string_view in_object, in_schema, candidate = shortest;
    for (int parts = 0; parts < kMostParts; ++parts) {
      if (IsObject() && members_.Find(*value_, candidate) != nullptr) in_object = candidate;
      if (schema_ != nullptr && schema_->FindProperty(candidate) != nullptr) in_schema = candidate;
      if (candidate.size() == rest_.size()) break;
      candidate = rest_.substr(0, rest_.find_first_of(ends, candidate.size() + 1));
    }
    if (!in_object.empty()) return in_object;
    return in_schema.empty() ? shortest : in_schema;
  }

  std::string_view rest_;
  const Value* value_;         // null pointer: what follows is not in the object
  const SchemaProps* schema_;  // null pointer: nor specified
  kube::json::MemberIndex& members_;
  LocatedField located_;
};

}  // namespace

LocatedField LocateField(std::string_view field, const Value& object, const SchemaProps& schema,
                         kube::json::MemberIndex& members) {
  return Locator(field, object, schema, members).Run();
}

}  // namespace migrate::check
