#include <algorithm>
#include <array>
#include <memory>

#include "kube/meta/typed_reader.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {
namespace {

constexpr std::string_view kStruct = "JSONSchemaProps";

/// Reads one schema and those in it, as the Go types of apiextensions' v1 and v1beta1 are decoded
/// (types_jsonschema.go, marshal.go).
class SchemaReader {
 public:
  explicit SchemaReader(meta::TypedReader& reader) : reader_(reader) {}

  void ReadSchema(const json::Value& value, SchemaProps& schema);
  void ReadPointer(const json::Value& value, std::unique_ptr<SchemaProps>& schema);
  void ReadList(const json::Value& value, GoList<SchemaProps>& schemas);
  void ReadMap(const json::Value& value, SortedMap<SchemaProps>& schemas, meta::GoType go_type);
  void ReadItems(const json::Value& value, std::unique_ptr<SchemaPropsOrArray>& items);
  void ReadOrBool(const json::Value& value, std::unique_ptr<SchemaPropsOrBool>& or_bool);
  void ReadDependencies(const json::Value& value, SortedMap<SchemaPropsOrStrings>& dependencies);
  void ReadExternalDocs(const json::Value& value, std::optional<ExternalDocs>& docs);
  void ReadEnum(const json::Value& value, std::optional<std::vector<json::Value>>& values);
  void ReadRules(const json::Value& value, std::optional<std::vector<ValidationRule>>& rules);

  meta::TypedReader& typed() { return reader_; }

 private:
  void ReadOrStrings(const json::Value& value, SchemaPropsOrStrings& or_strings);
  void ReadRule(const json::Value& value, ValidationRule& rule);
  void CountPath(const SchemaProps& schema);

  meta::TypedReader& reader_;
  std::size_t depth_ = 0;
  std::size_t name_bytes_ = 0;  // of the names on the way to the present schema
  std::size_t path_bytes_ = 0;  // of all schemas so far
};

// The most that the paths of all schemas in one schema may take together, since each may come to be
// in a message or more. The API server has no limit of its own; real schemas stay below 4 MiB.
constexpr std::size_t kMaxPathBytes = std::size_t{32} << 20;

void ReadJson(const json::Value& value, std::optional<json::Value>& out) {
  if (!value.is_null()) out = value;
}

struct Keyword {
  std::string_view name;
  void (*read)(SchemaReader&, const json::Value&, SchemaProps&);
};

using Reader = SchemaReader;
using json::Value;

// Sorted by name, bytewise.
constexpr auto kKeywords = std::to_array<Keyword>({
    {"$ref", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.ref); }},
    {"$schema",
     [](Reader& r, const Value& v, SchemaProps& s) {
       r.typed().Read(v, s.schema, meta::GoType::Api("JSONSchemaURL"));
     }},
    {"additionalItems",
     [](Reader& r, const Value& v, SchemaProps& s) { r.ReadOrBool(v, s.additional_items); }},
    {"additionalProperties",
     [](Reader& r, const Value& v, SchemaProps& s) { r.ReadOrBool(v, s.additional_properties); }},
    {"allOf", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadList(v, s.all_of); }},
    {"anyOf", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadList(v, s.any_of); }},
    {"default", [](Reader&, const Value& v, SchemaProps& s) { ReadJson(v, s.default_value); }},
    {"definitions",
     [](Reader& r, const Value& v, SchemaProps& s) {
       r.ReadMap(v, s.definitions, meta::GoType::Api("JSONSchemaDefinitions"));
     }},
    {"dependencies",
     [](Reader& r, const Value& v, SchemaProps& s) { r.ReadDependencies(v, s.dependencies); }},
    {"description",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.description); }},
    {"enum", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadEnum(v, s.enum_values); }},
    {"example", [](Reader&, const Value& v, SchemaProps& s) { ReadJson(v, s.example); }},
    {"exclusiveMaximum",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.exclusive_maximum); }},
    {"exclusiveMinimum",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.exclusive_minimum); }},
    {"externalDocs",
     [](Reader& r, const Value& v, SchemaProps& s) { r.ReadExternalDocs(v, s.external_docs); }},
    {"format", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.format); }},
    {"id", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.id); }},
    {"items", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadItems(v, s.items); }},
    {"maxItems", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.max_items); }},
    {"maxLength",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.max_length); }},
    {"maxProperties",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.max_properties); }},
    {"maximum", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.maximum); }},
    {"minItems", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.min_items); }},
    {"minLength",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.min_length); }},
    {"minProperties",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.min_properties); }},
    {"minimum", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.minimum); }},
    {"multipleOf",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.multiple_of); }},
    {"not", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadPointer(v, s.not_schema); }},
    {"nullable", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.nullable); }},
    {"oneOf", [](Reader& r, const Value& v, SchemaProps& s) { r.ReadList(v, s.one_of); }},
    {"pattern", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.pattern); }},
    {"patternProperties",
     [](Reader& r, const Value& v,
        SchemaProps&
            s) { r.ReadMap(v, s.pattern_properties, meta::GoType::Api(kStruct, "map[string]")); }},
    {"properties",
     [](Reader& r, const Value& v,
        SchemaProps& s) { r.ReadMap(v, s.properties, meta::GoType::Api(kStruct, "map[string]")); }},
    {"required", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.required); }},
    {"title", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.title); }},
    {"type", [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.type); }},
    {"uniqueItems",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.unique_items); }},
    {"x-kubernetes-embedded-resource",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.x_embedded_resource); }},
    {"x-kubernetes-int-or-string",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.x_int_or_string); }},
    {"x-kubernetes-list-map-keys",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.x_list_map_keys); }},
    {"x-kubernetes-list-type",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.x_list_type); }},
    {"x-kubernetes-map-type",
     [](Reader& r, const Value& v, SchemaProps& s) { r.typed().Read(v, s.x_map_type); }},
    {"x-kubernetes-preserve-unknown-fields",
     [](Reader& r, const Value& v,
        SchemaProps& s) { r.typed().Read(v, s.x_preserve_unknown_fields); }},
    {"x-kubernetes-validations",
     [](Reader& r, const Value& v, SchemaProps& s) { r.ReadRules(v, s.x_validations); }},
});
static_assert(std::ranges::is_sorted(kKeywords, {}, &Keyword::name));

const Keyword* FindKeyword(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kKeywords, name, {}, &Keyword::name);
  return found != kKeywords.end() && found->name == name ? found : nullptr;
}

void SchemaReader::ReadSchema(const json::Value& value, SchemaProps& schema) {
  if (!value.is_object()) return reader_.NoteMismatch(value, meta::GoType::Api(kStruct));
  if (depth_ == kMaxSchemaDepth) {
    return reader_.Refuse("schemas are nested deeper than " + std::to_string(kMaxSchemaDepth) +
                          " levels");
  }
  ++depth_;
  for (const json::Member& member : value.members()) {
    const Keyword* keyword = FindKeyword(member.key.text());
    if (keyword == nullptr) continue;
    const meta::TypedReader::Step step(reader_, kStruct, keyword->name);
    keyword->read(*this, member.value, schema);
    if (reader_.ended()) break;
  }
  CountPath(schema);
  --depth_;
}

// Messages name the way to a schema, for each of its map keys too, and quote the type of its items.
void SchemaReader::CountPath(const SchemaProps& schema) {
  constexpr std::size_t kStepBytes = 16;  // of "items.", "additionalProperties." ...
  const SchemaProps* items = schema.ItemsSchema();
  const std::size_t path =
      depth_ * kStepBytes + name_bytes_ + (items == nullptr ? 0 : items->type.size());
  const std::size_t keys = schema.x_list_map_keys ? schema.x_list_map_keys->size() : 0;
  path_bytes_ += path * (1 + keys);
  if (path_bytes_ > kMaxPathBytes && !reader_.ended()) {
    reader_.Refuse("the paths of the schemas take more than " +
                   std::to_string(kMaxPathBytes >> 20) + " MiB together");
  }
}

void SchemaReader::ReadPointer(const json::Value& value, std::unique_ptr<SchemaProps>& schema) {
  if (value.is_null()) return;
  schema = std::make_unique<SchemaProps>();
  ReadSchema(value, *schema);
}

void SchemaReader::ReadList(const json::Value& value, GoList<SchemaProps>& schemas) {
  if (!value.is_array()) return reader_.NoteMismatch(value, meta::GoType::Api(kStruct, "[]"));
  schemas.is_nil = false;
  schemas.resize(value.size());
  for (std::size_t i = 0; i < schemas.size() && !reader_.ended(); ++i) {
    const meta::TypedReader::Step step(reader_, i);
    ReadSchema(value.elements()[i], schemas[i]);
  }
}

void SchemaReader::ReadMap(const json::Value& value, SortedMap<SchemaProps>& schemas,
                           meta::GoType go_type) {
  if (!reader_.ExpectObject(value, go_type)) return;
  schemas.is_nil = false;
  schemas.reserve(value.size());
  for (const json::Member* member : json::SortedMembers(value)) {
    if (reader_.ended()) return;
    const meta::TypedReader::Step step(reader_, member->key.text());
    name_bytes_ += member->key.text().size();
    ReadSchema(member->value,
               schemas
                   .emplace_back(std::piecewise_construct,
                                 std::forward_as_tuple(member->key.text()), std::tuple<>())
                   .second);
    name_bytes_ -= member->key.text().size();
  }
}

void SchemaReader::ReadItems(const json::Value& value, std::unique_ptr<SchemaPropsOrArray>& items) {
  if (value.is_null()) return;
  const meta::TypedReader::Unmarshaler unmarshaler(reader_);
  items = std::make_unique<SchemaPropsOrArray>();
  if (value.is_object()) ReadPointer(value, items->schema);
  if (value.is_array()) ReadList(value, items->schemas);
}

void SchemaReader::ReadOrBool(const json::Value& value,
                              std::unique_ptr<SchemaPropsOrBool>& or_bool) {
  if (value.is_null()) return;
  const meta::TypedReader::Unmarshaler unmarshaler(reader_);
  or_bool = std::make_unique<SchemaPropsOrBool>();
  if (value.is_object()) {
    ReadPointer(value, or_bool->schema);
  } else if (value.is_bool()) {
    or_bool->allows = value.AsBool();
  } else {
    reader_.Refuse("boolean or JSON schema expected");
  }
}

void SchemaReader::ReadDependencies(const json::Value& value,
                                    SortedMap<SchemaPropsOrStrings>& dependencies) {
  if (!reader_.ExpectObject(value, meta::GoType::Api("JSONSchemaDependencies"))) return;
  dependencies.is_nil = false;
  dependencies.reserve(value.size());
  for (const json::Member* member : json::SortedMembers(value)) {
    if (reader_.ended()) return;
    const meta::TypedReader::Step step(reader_, member->key.text());
    name_bytes_ += member->key.text().size();
    ReadOrStrings(member->value,
                  dependencies.emplace_back(member->key.text(), SchemaPropsOrStrings()).second);
    name_bytes_ -= member->key.text().size();
  }
}

void SchemaReader::ReadOrStrings(const json::Value& value, SchemaPropsOrStrings& or_strings) {
  const meta::TypedReader::Unmarshaler unmarshaler(reader_);
  if (value.is_object()) ReadPointer(value, or_strings.schema);
  if (value.is_array()) reader_.Read(value, or_strings.strings);
}

void SchemaReader::ReadExternalDocs(const json::Value& value, std::optional<ExternalDocs>& docs) {
  constexpr std::string_view kDocs = "ExternalDocumentation";
  if (value.is_null()) return;
  docs.emplace();
  if (!reader_.ExpectObject(value, meta::GoType::Api(kDocs))) return;
  for (const json::Member& member : value.members()) {
    const meta::TypedReader::Step step(reader_, kDocs, member.key.text());
    if (member.key.text() == "description") reader_.Read(member.value, docs->description);
    if (member.key.text() == "url") reader_.Read(member.value, docs->url);
  }
}

void SchemaReader::ReadEnum(const json::Value& value,
                            std::optional<std::vector<json::Value>>& values) {
  if (!reader_.ExpectArray(value, meta::GoType::Api("JSON", "[]"))) return;
  values.emplace(value.elements().begin(), value.elements().end());
}

void SchemaReader::ReadRules(const json::Value& value,
                             std::optional<std::vector<ValidationRule>>& rules) {
  if (!reader_.ExpectArray(value, meta::GoType::Api("ValidationRules"))) return;
  rules.emplace(value.size());
  for (std::size_t i = 0; i < rules->size(); ++i) {
    const meta::TypedReader::Step step(reader_, i);
    ReadRule(value.elements()[i], (*rules)[i]);
  }
}

void SchemaReader::ReadRule(const json::Value& value, ValidationRule& rule) {
  constexpr std::string_view kRule = "ValidationRule";
  if (!reader_.ExpectObject(value, meta::GoType::Api(kRule))) return;
  for (const json::Member& member : value.members()) {
    const std::string_view key = member.key.text();
    const meta::TypedReader::Step step(reader_, kRule, key);
    if (key == "rule") reader_.Read(member.value, rule.rule);
    if (key == "message") reader_.Read(member.value, rule.message);
    if (key == "messageExpression") reader_.Read(member.value, rule.message_expression);
    if (key == "fieldPath") reader_.Read(member.value, rule.field_path);
    if (key == "optionalOldSelf") reader_.Read(member.value, rule.optional_old_self);
    if (key == "reason") {
      reader_.Read(member.value, rule.reason, meta::GoType::Api("FieldValueErrorReason"));
    }
  }
}

}  // namespace

void ReadSchemaProps(meta::TypedReader& reader, const json::Value& value, SchemaProps& schema) {
  SchemaReader(reader).ReadSchema(value, schema);
}

base::Result<SchemaProps, std::string> ReadSchemaProps(const json::Value& value) {
  meta::TypedReader reader("v1");
  SchemaProps schema;
  ReadSchemaProps(reader, value, schema);
  if (reader.error()) return base::Unexpected(reader.error()->message);
  return schema;
}

}  // namespace kube::schema
