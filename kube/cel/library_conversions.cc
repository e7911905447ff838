// int(), string(), timestamp() and the other functions that are called as types are.
#include <cmath>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/cel/function.h"
#include "kube/cel/numbers.h"
#include "kube/cel/opaque.h"
#include "kube/cel/time.h"
#include "kube/go/go_duration.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

Value Same(Memory& /*memory*/, Args args) { return args[0]; }

Value ConversionError(Memory& memory, const Value& from, std::string_view to) {
  return memory.Error("type conversion error from '" + std::string(RuntimeTypeName(from)) +
                      "' to '" + std::string(to) + "'");
}

Value StringToBool(Memory& memory, Args args) {
  const auto value = ParseBool(args[0].text());
  return value ? Value::Bool(*value) : ConversionError(memory, args[0], "bool");
}

Value StringToBytes(Memory& /*memory*/, Args args) { return Value::Bytes(args[0].text()); }

Value ToDouble(Memory& memory, Args args) {
  const Value& from = args[0];
  if (from.kind == Kind::kInt) return Value::Double(static_cast<double>(from.integer));
  if (from.kind == Kind::kUint) return Value::Double(static_cast<double>(from.natural));
  const auto value = ParseFloat(from.text());
  return value ? Value::Double(*value) : ConversionError(memory, from, "double");
}

Value StringToDuration(Memory& memory, Args args) {
  const auto duration = go::ParseGoDuration(args[0].text());
  if (!duration) return ConversionError(memory, args[0], "google.protobuf.Duration");
  return Value::Duration(duration->count());
}

Value ToInt(Memory& memory, Args args) {
  const Value& from = args[0];
  switch (from.kind) {
    case Kind::kDouble:
      if (!(from.real > -kTwoTo63 && from.real < kTwoTo63)) return Value::Error("integer overflow");
      return Value::Int(static_cast<std::int64_t>(from.real));
    case Kind::kUint:
      if (from.natural > INT64_MAX) return Value::Error("integer overflow");
      return Value::Int(static_cast<std::int64_t>(from.natural));
    case Kind::kString: {
      const auto value = ParseInt(from.text());
      return value ? Value::Int(*value) : ConversionError(memory, from, "int");
    }
    default:  // seconds of a timestamp, nanoseconds of a duration
      return Value::Int(from.integer);
  }
}

Value ToUint(Memory& memory, Args args) {
  const Value& from = args[0];
  if (from.kind == Kind::kDouble) {
    if (!(from.real >= 0 && from.real < kTwoTo64)) {
      return Value::Error("unsigned integer overflow");
    }
    return Value::Uint(static_cast<std::uint64_t>(from.real));
  }
  if (from.kind == Kind::kInt) {
    if (from.integer < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<std::uint64_t>(from.integer));
  }
  const auto value = ParseUint(from.text());
  return value ? Value::Uint(*value) : ConversionError(memory, from, "uint");
}

Value BytesToString(Memory& /*memory*/, Args args) {
  if (!base::utf8::IsValid(args[0].text())) {
    return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::String(args[0].text());
}

Value ToString(Memory& memory, Args args) {
  const Value& from = args[0];
  switch (from.kind) {
    case Kind::kBool:
      return Value::String(from.boolean ? "true" : "false");
    case Kind::kDouble:
      return memory.String(json::FormatFloatG(from.real));
    case Kind::kInt:
      return memory.String(std::to_string(from.integer));
    case Kind::kUint:
      return memory.String(std::to_string(from.natural));
    case Kind::kDuration:
      return memory.String(FormatSeconds(from.integer) + "s");
    default:
      return memory.String(FormatTimestamp(from));
  }
}

Value OpaqueToString(Memory& memory, Args args) {
  return memory.String(DescribeOpaque(*args[0].opaque));
}

Value ToTimestamp(Memory& memory, Args args) {
  if (args[0].kind == Kind::kInt) {
    if (args[0].integer < kFirstSecond || args[0].integer > kLastSecond) {
      return Value::Error("timestamp overflow");
    }
    return Value::Timestamp(args[0].integer, 0);
  }
  auto timestamp = ParseTimestamp(args[0].text());
  return timestamp ? *timestamp : memory.Error(timestamp.error());
}

Value TypeOf(Memory& /*memory*/, Args args) { return Value::OfType(RuntimeType(args[0])); }

// ---- Costs.

std::optional<CallEstimate> EstimateStringToBytes(const EstimatedCall& call) {
  const Range size = call.args[0].size.value_or(Range());
  return CallEstimate{size.Scale(kStringFactor), Range{size.min, size.max * 4}};
}

std::optional<CallEstimate> EstimateBytesToString(const EstimatedCall& call) {
  const Range size = call.args[0].size.value_or(Range());
  return CallEstimate{size.Scale(kStringFactor), Range{size.min / 4, size.max}};
}

Overload Convert(std::string_view function, std::string_view id, std::string_view from,
                 std::string_view to, Implementation run) {
  return {function, id, false, from, to, run};
}

Overload Scans(Overload row, EstimateRule estimate) {
  row.estimate = estimate;
  row.cost = CostTraversal;
  return row;
}

Overload Since(Overload row, base::Release since) {
  row.since = since;
  return row;
}

Overload AnyType(Overload row) {
  row.dispatch = Dispatch::kGeneric;
  return row;
}

}  // namespace

std::span<const Overload> ConversionLibrary() {
  static const std::vector<Overload> rows = {
      AnyType(Convert("type", "type", "A", "type(A)", TypeOf)),
      Convert("bool", "bool_to_bool", "bool", "bool", Same),
      Convert("bool", "string_to_bool", "string", "bool", StringToBool),
      Convert("bytes", "bytes_to_bytes", "bytes", "bytes", Same),
      Scans(Convert("bytes", "string_to_bytes", "string", "bytes", StringToBytes),
            EstimateStringToBytes),
      Convert("double", "double_to_double", "double", "double", Same),
      Convert("double", "int64_to_double", "int", "double", ToDouble),
      Convert("double", "string_to_double", "string", "double", ToDouble),
      Convert("double", "uint64_to_double", "uint", "double", ToDouble),
      Convert("duration", "duration_to_duration", "duration", "duration", Same),
      Convert("duration", "string_to_duration", "string", "duration", StringToDuration),
      AnyType(Convert("dyn", "to_dyn", "A", "dyn", Same)),
      Convert("int", "int64_to_int64", "int", "int", Same),
      Convert("int", "double_to_int64", "double", "int", ToInt),
      Convert("int", "duration_to_int64", "duration", "int", ToInt),
      Convert("int", "string_to_int64", "string", "int", ToInt),
      Convert("int", "timestamp_to_int64", "timestamp", "int", ToInt),
      Convert("int", "uint64_to_int64", "uint", "int", ToInt),
      Convert("string", "string_to_string", "string", "string", Same),
      Convert("string", "bool_to_string", "bool", "string", ToString),
      Scans(Convert("string", "bytes_to_string", "bytes", "string", BytesToString),
            EstimateBytesToString),
      Convert("string", "double_to_string", "double", "string", ToString),
      Convert("string", "duration_to_string", "duration", "string", ToString),
      Convert("string", "int64_to_string", "int", "string", ToString),
      Convert("string", "timestamp_to_string", "timestamp", "string", ToString),
      Convert("string", "uint64_to_string", "uint", "string", ToString),
      Since(Convert("string", "ip_to_string", "net.IP", "string", OpaqueToString), {1, 30}),
      Since(Convert("string", "cidr_to_string", "net.CIDR", "string", OpaqueToString), {1, 30}),
      Convert("timestamp", "timestamp_to_timestamp", "timestamp", "timestamp", Same),
      Convert("timestamp", "int64_to_timestamp", "int", "timestamp", ToTimestamp),
      Convert("timestamp", "string_to_timestamp", "string", "timestamp", ToTimestamp),
      Convert("uint", "uint64_to_uint64", "uint", "uint", Same),
      Convert("uint", "double_to_uint64", "double", "uint", ToUint),
      Convert("uint", "int64_to_uint64", "int", "uint", ToUint),
      Convert("uint", "string_to_uint64", "string", "uint", ToUint),
  };
  return rows;
}

}  // namespace kube::cel
