// The ops on single values: json-text, get-object-meta.
#include "kube/schema/object_meta.h"
#include "tests/vectors/ops.h"

namespace vectors {
namespace {

/// A number is compared as text, anything else as JSON.
void CompareStored(const std::string& expected, const kube::json::Value& got,
                   Mismatches& mismatches) {
  kube::json::Document document;
  if (got.is_number() || document.Parse(expected)) {
    mismatches.CompareStrings("text", {expected}, {kube::json::Print(got)});
  } else {
    mismatches.CompareJson("text", document.root(), got);
  }
}

}  // namespace

void ReplayJsonText(const Vector& vector, Mismatches& mismatches) {
  const auto expected_text = FindString(vector.expected, "text");
  const auto expected_error = FindString(vector.expected, "error");
  if (!expected_text && !expected_error) throw BadVector("neither text nor error");

  kube::json::Document document;
  std::optional<std::string> error;
  if (auto parse_error = document.Parse(GetText(vector.input, "text"))) {
    error = parse_error->message;
  } else {
    error = kube::json::StoreNumbers(document.root(), document.arena());
  }
  if (error && expected_text) mismatches.Add("text", *expected_text, *error);
  if (error) return;
  if (expected_error) {
    mismatches.Add("text", *expected_error, kube::json::Print(document.root()));
  } else {
    CompareStored(*expected_text, document.root(), mismatches);
  }
}

void ReplayGetObjectMeta(const Vector& vector, Mismatches& mismatches) {
  kube::json::Arena arena;
  const auto meta = kube::schema::GetObjectMeta(Get(vector.input, "object"),
                                                GetFlag(vector.input, "dropInvalidFields"), arena);
  const auto expected_error = FindString(vector.expected, "error");
  mismatches.CompareErrors("error", expected_error,
                           meta ? std::nullopt : std::optional(meta.error()));
  if (!meta || expected_error) return;

  const kube::json::Value* expected = vector.expected.Find("metadata");
  mismatches.CompareJson("metadata", expected ? *expected : kube::json::Value(),
                         *meta ? (*meta)->metadata : kube::json::Value());
  mismatches.CompareStrings("unknownFieldPaths", FindStrings(vector.expected, "unknownFieldPaths"),
                            *meta ? (*meta)->unknown_field_paths : std::vector<std::string>());
}

}  // namespace vectors
