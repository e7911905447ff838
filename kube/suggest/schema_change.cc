#include "kube/suggest/schema_change.h"

#include <algorithm>
#include <charconv>

#include "kube/json/json_patch.h"
#include "kube/meta/object_path.h"

namespace kube::suggest {
namespace {

std::string FirstToken(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (std::size_t i = 0; i < end; ++i) {
    if (pointer[i] == '~' && i + 1 < end) {
      token += pointer[++i] == '1' ? '/' : '~';
    } else {
      token += pointer[i];
    }
  }
  pointer.remove_prefix(end);
  return token;
}

const json::Value* Step(const json::Value& value, const std::string& token) {
  if (!value.is_array()) return value.Find(token);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc() && end == token.data() + token.size();
  return is_index && index < value.size() ? &value.elements()[index] : nullptr;
}

}  // namespace

SchemaPlace SchemaPlace::Property(std::string_view name) const {
  SchemaPlace place = Inside("properties");
  json::AppendPointerToken(place.pointer, name);
  meta::AppendPathName(place.path, name);
  return place;
}

SchemaPlace SchemaPlace::Elements() const {
  SchemaPlace place = Inside("items");
  place.path += "[*]";
  return place;
}

SchemaPlace SchemaPlace::Values() const {
  SchemaPlace place = Inside("additionalProperties");
  meta::AppendPathOfKeys(place.path);
  return place;
}

SchemaPlace SchemaPlace::Inside(std::string_view keyword) const {
  SchemaPlace place = *this;
  json::AppendPointerToken(place.pointer, keyword);
  return place;
}

SchemaPlace SchemaPlace::Inside(std::string_view keyword, std::size_t index) const {
  SchemaPlace place = Inside(keyword);
  json::AppendPointerToken(place.pointer, std::to_string(index));
  return place;
}

SchemaPlace PlaceOf(const std::vector<crd::ValueStep>& steps, std::size_t version) {
  SchemaPlace place{"", "/spec/versions/" + std::to_string(version) + "/schema/openAPIV3Schema"};
  for (const crd::ValueStep& step : steps) {
    using Kind = crd::ValueStep::Kind;
    place = step.kind == Kind::kField    ? place.Property(step.name)
            : step.kind == Kind::kValues ? place.Values()
                                         : place.Elements();
  }
  return place;
}

void SchemaEditor::Added(const SchemaPlace& place, std::string text, std::uint64_t objects) {
  changes_.push_back({SchemaChange::Kind::kAdded, version_, place, std::move(text), objects});
}

void SchemaEditor::Fixed(const SchemaPlace& place, std::string text) {
  Add(SchemaChange::Kind::kFixed, place, std::move(text));
}

void SchemaEditor::Left(const SchemaPlace& place, std::string text) {
  Add(SchemaChange::Kind::kLeft, place, std::move(text));
}

void SchemaEditor::Add(SchemaChange::Kind kind, const SchemaPlace& place, std::string text) {
  const std::string key = std::to_string(static_cast<int>(kind)) + place.path + '\0' + text;
  if (said_.insert(key).second) changes_.push_back({kind, version_, place, std::move(text)});
}

const json::Value* FindByPointer(const json::Value& root, std::string_view pointer) {
  const json::Value* value = &root;
  while (value != nullptr && !pointer.empty()) value = Step(*value, FirstToken(pointer));
  return value;
}

}  // namespace kube::suggest
