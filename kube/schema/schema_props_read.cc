#include <algorithm>
#include <array>
#include <memory>

#include "kube/meta/typed_reader.h"
#include "kube/schema/keywords.h"

namespace kube::schema {
namespace {

constexpr std::string_view kStruct = "JSONSchemaProps";

/// Reads one schema and those in it, as the Go types of apiextensions' v1 and v1beta1 are decoded
/// (types_jsonschema.go, marshal.go).
class SchemaReader {
 public:
  explicit SchemaReader(meta::TypedReader& reader) : reader_(reader) {}

  void ReadSchema(const json::Value& value, SchemaProps& schema);

  // Of each type that a keyword has; null leaves it as it is.
  template <typename T, typename... Type>
  void Read(const json::Value& value, T& out, Type... go_type) {
    reader_.Read(value, out, go_type...);
  }
  void Read(const json::Value& value, std::optional<json::Value>& out);
  void Read(const json::Value& value, std::optional<std::vector<json::Value>>& values);
  void Read(const json::Value& value, std::unique_ptr<SchemaProps>& schema);
  void Read(const json::Value& value, GoList<SchemaProps>& schemas);
  void Read(const json::Value& value, SortedMap<SchemaProps>& schemas,
            meta::GoType go_type = meta::GoType::Api(kStruct, "map[string]"));
  void Read(const json::Value& value, std::unique_ptr<SchemaPropsOrArray>& items);
  void Read(const json::Value& value, std::unique_ptr<SchemaPropsOrBool>& or_bool);
  void Read(const json::Value& value, SortedMap<SchemaPropsOrStrings>& dependencies);
  void Read(const json::Value& value, std::optional<ExternalDocs>& docs);
  void Read(const json::Value& value, std::optional<std::vector<ValidationRule>>& rules);

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

using NamedRead =
    std::pair<std::string_view, void (*)(SchemaReader&, const json::Value&, SchemaProps&)>;

template <std::size_t kNumber>
void ReadKeyword(SchemaReader& reader, const json::Value& value, SchemaProps& schema) {
  constexpr auto kKeyword = std::get<kNumber>(kKeywords);
  if constexpr (kKeyword.go_type.empty()) {
    reader.Read(value, schema.*kKeyword.member);
  } else {
    reader.Read(value, schema.*kKeyword.member, meta::GoType::Api(kKeyword.go_type));
  }
}

// By name, bytewise.
constexpr auto kReadFunctions = []<std::size_t... kNumbers>(std::index_sequence<kNumbers...>) {
  std::array functions{NamedRead(std::get<kNumbers>(kKeywords).name, ReadKeyword<kNumbers>)...};
  std::ranges::sort(functions, {}, &NamedRead::first);
  return functions;
}
(std::make_index_sequence<kKeywordCount>());

NamedRead FindReadFunction(std::string_view name) {
  const auto found = std::ranges::lower_bound(kReadFunctions, name, {}, &NamedRead::first);
  return found != kReadFunctions.end() && found->first == name ? *found : NamedRead();
}

void SchemaReader::ReadSchema(const json::Value& value, SchemaProps& schema) {
  if (!value.is_object()) return reader_.NoteMismatch(value, meta::GoType::Api(kStruct));
  if (depth_ == kMaxSchemaDepth) {
    return reader_.Refuse("schemas are nested deeper than " + std::to_string(kMaxSchemaDepth) +
                          " levels");
  }
  ++depth_;
  for (const json::Member& member : value.members()) {
    const auto [name, read] = FindReadFunction(member.key.text());
    if (read == nullptr) continue;
    const meta::TypedReader::Step step(reader_, kStruct, name);
    read(*this, member.value, schema);
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

void SchemaReader::Read(const json::Value& value, std::optional<json::Value>& out) {
  if (!value.is_null()) out = value;
}

void SchemaReader::Read(const json::Value& value, std::unique_ptr<SchemaProps>& schema) {
  if (value.is_null()) return;
  schema = std::make_unique<SchemaProps>();
  ReadSchema(value, *schema);
}

void SchemaReader::Read(const json::Value& value, GoList<SchemaProps>& schemas) {
  if (!value.is_array()) return reader_.NoteMismatch(value, meta::GoType::Api(kStruct, "[]"));
  schemas.is_nil = false;
  schemas.resize(value.size());
  for (std::size_t i = 0; i < schemas.size() && !reader_.ended(); ++i) {
    const meta::TypedReader::Step step(reader_, i);
    ReadSchema(value.elements()[i], schemas[i]);
  }
}

void SchemaReader::Read(const json::Value& value, SortedMap<SchemaProps>& schemas,
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

void SchemaReader::Read(const json::Value& value, std::unique_ptr<SchemaPropsOrArray>& items) {
  if (value.is_null()) return;
  const meta::TypedReader::Unmarshaler unmarshaler(reader_);
  items = std::make_unique<SchemaPropsOrArray>();
  if (value.is_object()) Read(value, items->schema);
  if (value.is_array()) Read(value, items->schemas);
}

void SchemaReader::Read(const json::Value& value, std::unique_ptr<SchemaPropsOrBool>& or_bool) {
  if (value.is_null()) return;
  const meta::TypedReader::Unmarshaler unmarshaler(reader_);
  or_bool = std::make_unique<SchemaPropsOrBool>();
  if (value.is_object()) {
    Read(value, or_bool->schema);
  } else if (value.is_bool()) {
    or_bool->allows = value.AsBool();
  } else {
    reader_.Refuse("boolean or JSON schema expected");
  }
}

void SchemaReader::Read(const json::Value& value, SortedMap<SchemaPropsOrStrings>& dependencies) {
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
  if (value.is_object()) Read(value, or_strings.schema);
  if (value.is_array()) reader_.Read(value, or_strings.strings);
}

void SchemaReader::Read(const json::Value& value, std::optional<ExternalDocs>& docs) {
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

void SchemaReader::Read(const json::Value& value, std::optional<std::vector<json::Value>>& values) {
  if (!reader_.ExpectArray(value, meta::GoType::Api("JSON", "[]"))) return;
  values.emplace(value.elements().begin(), value.elements().end());
}

void SchemaReader::Read(const json::Value& value,
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
