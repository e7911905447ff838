// The op on expressions: cel-expr.
#include <algorithm>

#include "kube/base/base64.h"
#include "kube/base/release.h"
#include "kube/cel/environment.h"
#include "kube/cel/estimate.h"
#include "kube/cel/numbers.h"
#include "kube/cel/program.h"
#include "kube/cel/time.h"
#include "tests/vectors/ops.h"

namespace vectors {
namespace {

using kube::cel::Memory;
using kube::cel::Value;
using Kind = Value::Kind;

// What a server of the newest release takes in new rules.
constexpr kube::base::Release kRelease{1, 35};

std::string Quoted(std::string_view text) {
  return kube::json::Print(kube::json::Value::String(text));
}

std::string Typed(std::string_view type, const std::string& value) {
  return R"({"type":)" + Quoted(type) + (value.empty() ? "}" : R"(,"value":)" + value + "}");
}

std::string PrintValue(Memory& memory, const Value& value);

std::string PrintList(Memory& memory, const Value& list) {
  std::string text = "[";
  for (std::uint32_t i = 0; i < kube::cel::ListSize(list); ++i) {
    if (i > 0) text += ",";
    text += PrintValue(memory, kube::cel::ListItem(memory, list, i));
  }
  return text + "]";
}

std::string PrintMap(Memory& memory, const Value& map) {
  std::vector<std::string> entries;
  for (kube::cel::MapCursor cursor(memory, map); !cursor.AtEnd(); cursor.Next()) {
    const kube::cel::MapEntry entry = cursor.Entry();
    entries.push_back("[" + PrintValue(memory, entry.key) + "," + PrintValue(memory, entry.value) +
                      "]");
  }
  std::sort(entries.begin(), entries.end());
  std::string text = "[";
  for (const std::string& entry : entries) {
    if (text.size() > 1) text += ",";
    text += entry;
  }
  return text + "]";
}

/// A value as the vectors write it: its type and its text, nested.
std::string PrintValue(Memory& memory, const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return Typed("null", "");
    case Kind::kBool:
      return Typed("bool", value.boolean ? "true" : "false");
    case Kind::kInt:
      return Typed("int", Quoted(std::to_string(value.integer)));
    case Kind::kUint:
      return Typed("uint", Quoted(std::to_string(value.natural)));
    case Kind::kDouble:
      return Typed("double", Quoted(kube::json::FormatFloatG(value.real)));
    case Kind::kString:
      return Typed("string", Quoted(value.text()));
    case Kind::kBytes:
      return Typed("bytes", Quoted(kube::base::EncodeBase64(value.text())));
    case Kind::kDuration:
      return Typed("duration", Quoted(kube::cel::FormatGoDuration(value.integer)));
    case Kind::kTimestamp:
      return Typed("timestamp",
                   Quoted(kube::cel::FormatTimestamp(Value::Timestamp(value.integer, value.size))));
    case Kind::kOptional:
      return Typed("optional", value.inner == nullptr ? "" : PrintValue(memory, *value.inner));
    case Kind::kType:
      return Typed("type", Quoted(kube::cel::PrintType(value.type)));
    default:
      break;
  }
  if (value.is_list()) return Typed("list", PrintList(memory, value));
  if (value.is_map()) return Typed("map", PrintMap(memory, value));
  return Typed(kube::cel::RuntimeTypeName(value), Quoted(kube::cel::Describe(value)));
}

/// The entries of maps in the order of PrintMap.
std::string Normalized(const kube::json::Value& value) {
  if (value.is_array()) {
    std::string text = "[";
    for (const kube::json::Value& element : value.elements()) {
      if (text.size() > 1) text += ",";
      text += Normalized(element);
    }
    return text + "]";
  }
  if (!value.is_object()) return kube::json::Print(value);
  const kube::json::Value* inner = value.Find("value");
  if (inner == nullptr) return Typed(value.FindText("type"), "");
  if (inner->is_null()) return Typed(value.FindText("type"), "\"\"");  // no bytes
  if (value.FindText("type") != "map") return Typed(value.FindText("type"), Normalized(*inner));
  std::vector<std::string> entries;
  for (const kube::json::Value& entry : inner->elements()) entries.push_back(Normalized(entry));
  std::sort(entries.begin(), entries.end());
  std::string text = "[";
  for (const std::string& entry : entries) {
    if (text.size() > 1) text += ",";
    text += entry;
  }
  return Typed("map", text + "]");
}

/// What has to agree of a compile error. Of a syntax error that is its place, and its words up to
/// the first quoted token: the list of what was expected need not.
std::vector<std::string> Essence(std::string_view text) {
  std::vector<std::string> lines;
  bool is_syntax = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("ERROR: ")) is_syntax = line.find(": Syntax error: ") != line.npos;
    const bool is_message = is_syntax && line.starts_with("ERROR: ");
    lines.emplace_back(is_message ? line.substr(0, line.find('\'')) : line);
  }
  return lines;
}

void CompareText(std::string_view what, const kube::json::Value& expected, std::string_view key,
                 const std::string& got, Mismatches& mismatches) {
  const std::string wanted = FindString(expected, key).value_or("");
  if (wanted != got) mismatches.Add(what, wanted, got);
}

// What a whole server was asked has neither a cost nor an estimate.
void CompareEstimate(const kube::json::Value& expected, const kube::cel::CheckedExpression& checked,
                     Mismatches& mismatches) {
  if (expected.Find("estimate") == nullptr && expected.Find("cost") == nullptr) return;
  const kube::json::Value& estimate = Get(expected, "estimate");
  const kube::cel::Range range = kube::cel::EstimateCost(checked, nullptr);
  CompareText("estimate.min", estimate, "min", std::to_string(range.min), mismatches);
  CompareText("estimate.max", estimate, "max", std::to_string(range.max), mismatches);
}

void CompareEvaluation(const kube::json::Value& expected, const kube::cel::Program& program,
                       Mismatches& mismatches) {
  kube::json::Arena arena;
  kube::cel::Memory memory(arena);
  const kube::cel::Evaluation evaluation = program.Evaluate({}, arena);
  const Value& value = evaluation.value;
  CompareText("error", expected, "error", value.is_error() ? std::string(value.text()) : "",
              mismatches);
  const kube::json::Value* result = expected.Find("result");
  const std::string wanted = result == nullptr ? "" : Normalized(*result);
  const std::string got = value.is_error() ? "" : PrintValue(memory, value);
  if (wanted != got) mismatches.Add("result", wanted, got);
  const kube::json::Value* cost = expected.Find("cost");
  if (cost == nullptr) return;
  if (cost->text() != std::to_string(evaluation.cost)) {
    mismatches.Add("cost", cost->text(), std::to_string(evaluation.cost));
  }
}

}  // namespace

void ReplayCelExpr(const Vector& vector, Mismatches& mismatches) {
  const kube::cel::Environment environment(kRelease);
  const auto checked = kube::cel::Compile(environment, GetText(vector.input, "expr"));
  const std::string wanted_error = FindString(vector.expected, "compileError").value_or("");
  const std::string compile_error = checked ? "" : checked.error();
  mismatches.CompareStrings("compileError", Essence(wanted_error), Essence(compile_error));
  if (!checked || !wanted_error.empty()) return;
  CompareText("outputType", vector.expected, "outputType",
              kube::cel::PrintType((*checked)->output_type()), mismatches);
  CompareEstimate(vector.expected, **checked, mismatches);
  const auto program = kube::cel::Program::Make(environment, **checked);
  CompareText("programError", vector.expected, "programError", program ? "" : program.error(),
              mismatches);
  if (program && !vector.expected.Find("programError")) {
    CompareEvaluation(vector.expected, *program, mismatches);
  }
}

}  // namespace vectors
