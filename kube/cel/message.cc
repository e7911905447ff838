#include <algorithm>

#include "kube/cel/evaluator.h"

namespace kube::cel {
namespace {

/// The last field of a name that has a value.
const Value* FindField(std::span<const std::string> fields, std::span<const Value> values,
                       std::string_view name) {
  const Value* found = nullptr;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == name && values[i].kind != Value::Kind::kUnset) found = &values[i];
  }
  return found;
}

bool IsInt32(std::int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

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
  if (name == "Int32Value" && field->is_int() && !IsInt32(field->integer)) {
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

/// The fields of a duration or timestamp.
struct TimeFields {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;  // an int32 in protobuf
};

/// durationpb's AsDuration: beyond an int64 of nanoseconds, the first or the last of them.
Value MakeDuration(const TimeFields& fields) {
  std::int64_t nanoseconds = 0;
  const bool overflows =
      __builtin_mul_overflow(fields.seconds, std::int64_t{1000000000}, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, fields.nanos, &nanoseconds);
  if (overflows) return Value::Duration(fields.seconds < 0 ? INT64_MIN : INT64_MAX);
  return Value::Duration(nanoseconds);
}

/// timestamppb's AsTime, which carries nanoseconds over into seconds.
Value MakeTimestamp(const TimeFields& fields) {
  constexpr std::int64_t kNanosPerSecond = 1000000000;
  std::int64_t rest = fields.nanos % kNanosPerSecond;
  std::int64_t carry = fields.nanos / kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --carry;
  }
  std::int64_t seconds = 0;
  if (__builtin_add_overflow(fields.seconds, carry, &seconds)) {
    return Value::Error("timestamp overflow");
  }
  return Value::Timestamp(seconds, static_cast<std::uint32_t>(rest));
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
    return value != nullptr && value->is_int() ? value->integer : std::int64_t{0};
  };
  if (name == "Duration" || name == "Timestamp") {
    const TimeFields time{number("seconds"), number("nanos")};
    if (!IsInt32(time.nanos)) return Value::Error("integer overflow");
    return name == "Duration" ? MakeDuration(time) : MakeTimestamp(time);
  }
  if (name == "Struct") return field("fields") == nullptr ? memory.NewMap() : *field("fields");
  if (name == "ListValue") return field("values") == nullptr ? memory.NewList() : *field("values");
  if (name == "Value") {
    if (field("null_value") != nullptr) return Value::Null();
    const auto last = std::find_if(values.rbegin(), values.rend(), [](const Value& value) {
      return value.kind != Value::Kind::kUnset;
    });
    return last == values.rend() ? Value::Null() : *last;
  }
  if (name == "Any") {
    const auto text_of = [&](std::string_view wanted) {
      const Value* value = field(wanted);
      const bool is_text =
          value != nullptr && (value->is_string() || value->kind == Value::Kind::kBytes);
      return is_text ? value : nullptr;
    };
    return UnknownMessage(memory, text_of("type_url"), text_of("value"));
  }
  return MakeWrapper(name, field("value"));
}

}  // namespace kube::cel
