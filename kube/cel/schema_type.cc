#include "kube/cel/schema_type.h"

#include <algorithm>
#include <array>

#include "kube/base/base64.h"
#include "kube/base/text.h"
#include "kube/cel/time.h"
#include "kube/go/format_checks.h"
#include "kube/go/go_time.h"
#include "kube/go/go_value.h"

namespace kube::cel {
namespace {

constexpr std::string_view kNoIntOrString =
    "invalid data, expected XIntOrString value to be either a string or integer";
constexpr std::string_view kNoMap =
    "invalid data, expected a map for the provided schema with type=object";
constexpr std::string_view kNoList =
    "invalid data, expected an array for the provided schema with type=array";

using Kind = Value::Kind;

/// A character of a key that a name cannot have, and what stands for it between underscores.
struct EscapeWord {
  std::string_view word;
  std::string_view text;
};
constexpr EscapeWord kEscapes[] = {
    {"underscores", "__"}, {"dot", "."}, {"dash", "-"}, {"slash", "/"}};

const EscapeWord* FindEscapeOf(std::string_view key) {
  const auto found = std::ranges::find_if(
      kEscapes, [&](const EscapeWord& escape) { return key.starts_with(escape.text); });
  return found == std::end(kEscapes) ? nullptr : &*found;
}

/// The bytes of "__word__" at the start of `name`; 0 where there is none.
std::size_t EscapeSize(std::string_view name) {
  if (!name.starts_with("__")) return 0;
  const std::size_t end = name.find('_', 2);
  return end != std::string_view::npos && end > 2 && name.substr(end).starts_with("__") ? end + 2
                                                                                        : 0;
}

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

/// %T of what encoding/json makes of it.
std::string_view GoType(const json::Value& json) {
  switch (json.type()) {
    case json::Type::kBool:
      return "bool";
    case json::Type::kNumber:
      return go::ReadNumber(json).is_integer ? "int64" : "float64";
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "[]interface {}";
    default:
      return "map[string]interface {}";
  }
}

Value Unfit(Memory& memory, std::string_view expected, const json::Value& json) {
  return memory.Error("invalid data, expected " + std::string(expected) + ", got " +
                      std::string(GoType(json)));
}

Value ReadDateTime(Memory& memory, std::string_view text) {
  if (text.empty()) return Value::Timestamp(0, 0);
  auto time = go::ParseGoTime(text);
  if (!time) {
    // Of several layouts the server tries that without a zone last.
    time = go::ParseGoTime(text, go::GoLayout::kLocal);
    if (!time) {
      return memory.Error("Invalid date-time formatted string " + std::string(text) + ": " +
                          time.error());
    }
  }
  return Value::Timestamp(time->unix_seconds, static_cast<std::uint32_t>(time->nanoseconds),
                          ZoneOfText(text));
}

Value ReadText(Memory& memory, const json::Value& json, SchemaType::Kind kind) {
  if (json.type() != json::Type::kString) return Unfit(memory, "string", json);
  const std::string text(kind == SchemaType::Kind::kString ? "" : json.text());
  switch (kind) {
    case SchemaType::Kind::kDuration: {
      const auto duration = go::ParseFormatDuration(text);
      if (duration) return Value::Duration(*duration);
      return memory.Error("Invalid duration " + text + ": unable to parse " + text +
                          " as duration");
    }
    case SchemaType::Kind::kDate: {
      const auto time = go::ParseGoTime(text, go::GoLayout::kDate);
      if (time) return Value::Timestamp(time->unix_seconds, 0);
      return memory.Error("Invalid date formatted string " + text + ": " + time.error());
    }
    case SchemaType::Kind::kDateTime:
      return ReadDateTime(memory, json.text());
    case SchemaType::Kind::kBytes: {
      // Validation of the format wants + and /, but rules see strfmt.Base64, which reads - and _.
      const auto bytes = base::DecodeBase64(text, base::Base64Alphabet::kUrl);
      if (bytes) return memory.Bytes(*bytes);
      return memory.Error("Invalid byte formatted string " + text + ": " + bytes.error());
    }
    default:
      return Value::String(json.text());
  }
}

Value ReadWhole(Memory& memory, const json::Value& json, std::string_view expected) {
  const Value value = json.type() == json::Type::kNumber ? ReadNumber(json) : Value();
  return value.is_int() ? value : Unfit(memory, expected, json);
}

Value ReadIntOrString(const json::Value& json) {
  const Value value = ReadDyn(json);
  if (value.is_string() || value.is_int()) return value;
  return Value::Error(kNoIntOrString);
}

}  // namespace

const SchemaField* SchemaType::FindKey(std::string_view key) const {
  const auto at = std::ranges::lower_bound(fields, key, {}, &SchemaField::key);
  return at != fields.end() && at->key == key ? &*at : nullptr;
}

const SchemaField* SchemaType::FindName(std::string_view name) const {
  if (name.find("__") == std::string_view::npos) return FindKey(name);
  const auto key = Unescape(name);
  return key ? FindKey(*key) : nullptr;
}

bool IsReservedWord(std::string_view word) {
  static constexpr std::array<std::string_view, 21> kReserved = {
      "as",        "break", "const",  "continue", "else", "false", "for",
      "function",  "if",    "import", "in",       "let",  "loop",  "package",
      "namespace", "null",  "return", "true",     "var",  "void",  "while"};
  return std::ranges::find(kReserved, word) != kReserved.end();
}

std::optional<std::string> Escape(std::string_view key) {
  if (key.empty() || base::IsDigit(key.front())) return std::nullopt;
  if (IsReservedWord(key)) return "__" + std::string(key) + "__";
  std::string name;
  while (!key.empty()) {
    if (const EscapeWord* escape = FindEscapeOf(key)) {
      name.append("__").append(escape->word).append("__");
      key.remove_prefix(escape->text.size());
      continue;
    }
    if (key.front() != '_' && !base::IsLetter(key.front()) && !base::IsDigit(key.front())) {
      return std::nullopt;
    }
    name += key.front();
    key.remove_prefix(1);
  }
  return name;
}

std::optional<std::string> Unescape(std::string_view name) {
  std::string key;
  const std::size_t whole = name.size();
  while (!name.empty()) {
    const std::size_t size = EscapeSize(name);
    if (size == 0) {
      key += name.front();
      name.remove_prefix(1);
      continue;
    }
    const std::string_view word = name.substr(2, size - 4);
    const auto escape = std::ranges::find(kEscapes, word, &EscapeWord::word);
    if (escape != std::end(kEscapes)) {
      key += escape->text;
    } else if (IsReservedWord(word) && size == whole) {
      key += word;
    } else {
      return std::nullopt;
    }
    name.remove_prefix(size);
  }
  return key;
}

Value ReadJson(Memory& memory, const json::Value& json, const SchemaType* schema) {
  if (schema == nullptr) return ReadDyn(json);
  using SchemaKind = SchemaType::Kind;
  if (json.is_null()) {
    if (schema->is_nullable) return Value::Null();
    return Value::Error("invalid data, got null for schema with nullable=false");
  }
  switch (schema->kind) {
    case SchemaKind::kIntOrString:
      return ReadIntOrString(json);
    case SchemaKind::kObject:
    case SchemaKind::kMap:
      if (json.type() != json::Type::kObject) {
        return Value::Error(kNoMap);
      }
      return InPlace(schema->kind == SchemaKind::kMap ? Kind::kJsonMap : Kind::kObject, json,
                     schema);
    case SchemaKind::kList:
    case SchemaKind::kSet:
    case SchemaKind::kListMap:
      if (json.type() != json::Type::kArray) {
        return Value::Error(kNoList);
      }
      if (schema->element == nullptr) {
        return Value::Error("invalid array type, expected Items with a non-empty Schema");
      }
      return InPlace(Kind::kJsonList, json, schema);
    case SchemaKind::kDouble: {
      if (json.type() != json::Type::kNumber) return Unfit(memory, "float", json);
      const Value value = ReadNumber(json);
      return value.is_int() ? Value::Double(static_cast<double>(value.integer)) : value;
    }
    case SchemaKind::kInt:
      return ReadWhole(memory, json, "int");
    case SchemaKind::kBool:
      if (json.type() != json::Type::kBool) return Unfit(memory, "bool", json);
      return Value::Bool(json.AsBool());
    case SchemaKind::kPreserved:
      return InPlace(Kind::kPreserved, json, schema);
    case SchemaKind::kInvalid:
      return memory.Error(
          "invalid type, expected object, array, number, integer, boolean or string, or no type "
          "with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " +
          schema->type_name);
    default:
      return ReadText(memory, json, schema->kind);
  }
}

namespace {

/// %T of what cel-go makes of it for Go.
std::string_view NativeType(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "structpb.NullValue";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int64";
    case Kind::kUint:
      return "uint64";
    case Kind::kDouble:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "[]uint8";
    case Kind::kDuration:
      return "time.Duration";
    case Kind::kTimestamp:
      return "time.Time";
    default:
      break;
  }
  if (value.is_list()) return value.schema == nullptr ? "[]ref.Val" : "[]interface {}";
  return value.kind == Kind::kMap ? "map[ref.Val]ref.Val" : "map[string]interface {}";
}

Value NativeUnfit(Memory& memory, std::string_view expected, const Value& value) {
  return memory.Error("invalid data, expected " + std::string(expected) + ", got " +
                      std::string(NativeType(value)));
}

/// What a schema with a type of one value makes of it.
Value ReadScalarAgain(Memory& memory, const Value& value, SchemaType::Kind kind) {
  using SchemaKind = SchemaType::Kind;
  switch (kind) {
    case SchemaKind::kBool:
      return value.is_bool() ? value : NativeUnfit(memory, "bool", value);
    case SchemaKind::kInt:
      return value.is_int() ? value : NativeUnfit(memory, "int", value);
    case SchemaKind::kDouble:
      if (value.is_int()) return Value::Double(static_cast<double>(value.integer));
      return value.kind == Kind::kDouble ? value : NativeUnfit(memory, "float", value);
    case SchemaKind::kString:
      return value.is_string() ? value : NativeUnfit(memory, "string", value);
    default:
      if (!value.is_string()) return NativeUnfit(memory, "string", value);
      return ReadText(memory, json::Value::String(value.text()), kind);
  }
}

}  // namespace

Value ReadAgain(Memory& memory, const Value& value, const SchemaType* schema) {
  using SchemaKind = SchemaType::Kind;
  if (schema == nullptr || value.is_error()) return value;
  const bool is_of_object =
      value.kind == Kind::kJsonList || value.kind == Kind::kJsonMap || value.kind == Kind::kObject;
  switch (schema->kind) {
    case SchemaKind::kInvalid:
    case SchemaKind::kPreserved:
      return value;
    case SchemaKind::kIntOrString:
      if (value.is_string() || value.is_int()) return value;
      return Value::Error(kNoIntOrString);
    case SchemaKind::kMap:
    case SchemaKind::kObject:
      if (is_of_object && value.is_map()) return ReadJson(memory, *value.json, schema);
      return Value::Error(kNoMap);
    case SchemaKind::kList:
    case SchemaKind::kSet:
    case SchemaKind::kListMap:
      if (is_of_object && value.is_list()) return ReadJson(memory, *value.json, schema);
      return value.is_list() && value.schema != nullptr ? value : Value::Error(kNoList);
    default:
      return ReadScalarAgain(memory, value, schema->kind);
  }
}

}  // namespace kube::cel
