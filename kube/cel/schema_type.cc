#include "kube/cel/schema_type.h"

#include <algorithm>

#include "kube/cel/time.h"
#include "kube/go/go_value.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

Value InPlace(Kind kind, const json::Value& json, const SchemaType* schema) {
  Value value;
  value.kind = kind;
  value.json = &json;
  value.schema = schema;
  return value;
}

Value ReadNumber(const json::Value& json) {
  const go::Number number = go::ReadNumber(json);
  return number.is_integer ? Value::Int(number.integer) : Value::Double(number.real);
}

Value ReadDyn(const json::Value& json) {
  switch (json.type()) {
    case json::Type::kNull:
      return Value::Null();
    case json::Type::kBool:
      return Value::Bool(json.AsBool());
    case json::Type::kNumber:
      return ReadNumber(json);
    case json::Type::kString:
      return Value::String(json.text());
    case json::Type::kArray:
      return InPlace(Kind::kJsonList, json, nullptr);
    default:
      return InPlace(Kind::kJsonMap, json, nullptr);
  }
}

}  // namespace

const SchemaField* SchemaType::Field(std::string_view name) const {
  const auto at =
      std::lower_bound(fields.begin(), fields.end(), name,
                       [](const SchemaField& f, std::string_view n) { return f.name < n; });
  return at != fields.end() && at->name == name ? &*at : nullptr;
}

const SchemaField* SchemaType::Key(std::string_view key) const {
  // Few names are escaped: nearly all are their keys.
  const SchemaField* same = Field(key);
  if (same != nullptr && same->key == key) return same;
  for (const SchemaField& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

Value ReadJson(const json::Value& json, const SchemaType* schema) {
  if (schema == nullptr) return ReadDyn(json);
  return ReadDyn(json);
}

}  // namespace kube::cel
