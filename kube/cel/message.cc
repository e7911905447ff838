#include <cmath>

#include "kube/cel/evaluator.h"
#include "kube/cel/time.h"

namespace kube::cel {
namespace {

const Value* FindField(std::span<const std::string> fields, std::span<const Value> values,
                       std::string_view name) {
  const Value* found = nullptr;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == name) found = &values[i];
  }
  return found;
}

/// What a wrapper is without a value.
Value Zero(std::string_view name) {
  if (name == "BoolValue") return Value::Bool(false);
  if (name == "BytesValue") return Value::Bytes("");
  if (name == "StringValue") return Value::String("");
  if (name == "DoubleValue" || name == "FloatValue") return Value::Double(0);
  return name.starts_with("UInt") ? Value::Uint(0) : Value::Int(0);
}

Value MakeWrapper(std::string_view name, const Value* field) {
  if (field == nullptr) return Zero(name);
  if (name == "FloatValue" && field->kind == Value::Kind::kDouble) {
    return Value::Double(static_cast<double>(static_cast<float>(field->real)));
  }
  if (name == "Int32Value" && field->is_int() &&
      (field->integer < INT32_MIN || field->integer > INT32_MAX)) {
    return Value::Error("integer overflow");
  }
  if (name == "UInt32Value" && field->kind == Value::Kind::kUint && field->natural > UINT32_MAX) {
    return Value::Error("unsigned integer overflow");
  }
  return *field;
}

std::string QuoteProto(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte >= 0x7F) {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4U];
      out += "0123456789abcdef"[byte & 15U];
    } else {
      out += c;
    }
  }
  return out += '"';
}

/// A packed message is none that an expression can know.
Value UnknownMessage(Memory& memory, const Value* type_url, const Value* value) {
  std::string text = "unsupported conversion to ref.Val: (*dynamicpb.Message)";
  if (type_url != nullptr) text += "type_url:" + QuoteProto(type_url->text());
  if (type_url != nullptr && value != nullptr) text += "  ";
  if (value != nullptr) text += "value:" + QuoteProto(value->text());
  return memory.Error(text);
}

}  // namespace

Value MakeMessage(Memory& memory, std::string_view name, std::span<const std::string> fields,
                  std::span<const Value> values) {
  constexpr std::string_view kPackage = "google.protobuf.";
  if (!name.starts_with(kPackage)) return memory.Error("unknown type '" + std::string(name) + "'");
  name.remove_prefix(kPackage.size());
  const auto field = [&](std::string_view wanted) { return FindField(fields, values, wanted); };
  const auto number = [&](std::string_view wanted) {
    const Value* value = field(wanted);
    return value == nullptr ? std::int64_t{0} : value->integer;
  };
  if (name == "Duration") return Value::Duration(number("seconds") * 1000000000 + number("nanos"));
  if (name == "Timestamp") {
    return Value::Timestamp(number("seconds"), static_cast<std::uint32_t>(number("nanos")));
  }
  if (name == "Struct") return field("fields") == nullptr ? memory.NewMap() : *field("fields");
  if (name == "ListValue") return field("values") == nullptr ? memory.NewList() : *field("values");
  if (name == "Value") {
    if (field("null_value") != nullptr) return Value::Null();
    return values.empty() ? Value::Null() : values.back();
  }
  if (name == "Any") return UnknownMessage(memory, field("type_url"), field("value"));
  return MakeWrapper(name, field("value"));
}

}  // namespace kube::cel
