#include "kube/admission/answer.h"

#include "kube/base/base64.h"
#include "kube/base/utf8.h"
#include "kube/json/json.h"

namespace kube::admission {
namespace {

using json::Arena;
using json::Value;

// More of a text nobody reads, and it may be of the request.
constexpr std::size_t kMostTextBytes = 32 * 1024;

/// For texts that handlers make: they may hold anything.
Value TextOf(std::string_view text, Arena& arena) {
  return Value::String(arena.Copy(base::utf8::Sanitize(base::utf8::Prefix(text, kMostTextBytes))));
}

Value StatusOf(const Failure& failure, Arena& arena) {
  Value status = Value::Object();
  status.Set("code", Value::Number(failure.code, arena), arena);
  status.Set("message", TextOf(failure.message, arena), arena);
  if (!failure.reason.empty()) status.Set("reason", TextOf(failure.reason, arena), arena);
  if (failure.retry_after) {
    Value* details = status.Set("details", Value::Object(), arena);
    details->Set("retryAfterSeconds", Value::Number(failure.retry_after->count(), arena), arena);
  }
  return status;
}

Value ResponseOf(const Review& review, const Answer& answer, Arena& arena) {
  Value response = Value::Object();
  response.Set("uid", Value::String(review.uid), arena);
  response.Set("allowed", Value::Bool(!answer.verdict), arena);
  if (answer.verdict) response.Set("status", StatusOf(*answer.verdict, arena), arena);
  if (!answer.warnings.empty()) {
    Value* warnings = response.Set("warnings", Value::Array(), arena);
    for (const std::string& text : answer.warnings) warnings->Append(TextOf(text, arena), arena);
  }
  if (!answer.patch.empty()) {
    const std::string_view patch = arena.Copy(base::EncodeBase64(answer.patch));
    response.Set("patch", Value::String(patch), arena);
    response.Set("patchType", Value::String("JSONPatch"), arena);
  }
  if (!answer.annotations.empty()) {
    Value* annotations = response.Set("auditAnnotations", Value::Object(), arena);
    for (const auto& [key, value] : answer.annotations) {
      annotations->Set(TextOf(key, arena).text(), TextOf(value, arena), arena);
    }
  }
  return response;
}

}  // namespace

std::string PrintAnswer(const Review& review, const Answer& answer) {
  Arena arena;
  Value root = Value::Object();
  root.Set("apiVersion", Value::String(review.api_version), arena);
  root.Set("kind", Value::String("AdmissionReview"), arena);
  root.Set("response", ResponseOf(review, answer, arena), arena);
  std::string text;
  text.reserve(json::PrintedSize(root));
  json::PrintTo(text, root);
  return text;
}

}  // namespace kube::admission
