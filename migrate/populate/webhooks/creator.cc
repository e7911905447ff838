#include "migrate/populate/webhooks/creator.h"

#include <string>

#include "kube/meta/make_field_error.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/webhooks/namespace_view.h"

namespace migrate::populate::webhooks {
namespace {

using kube::admission::Operation;
using kube::admission::Review;
using kube::admission::Verdict;
using kube::json::Value;

// In the words of apimachinery (pkg/api/validation, ValidateImmutableField).
constexpr std::string_view kImmutable = "field is immutable";
constexpr std::string_view kNotTheUser = "must be the user that makes the namespace";

Verdict Invalid(const Value* value, std::string_view why) {
  // It may be as large as the review, and is told for people.
  constexpr std::size_t kMostBytes = 1024;
  const bool is_long = value != nullptr && kube::json::PrintedSize(*value) > kMostBytes;
  const std::string printed =
      is_long ? "<too long>" : kube::meta::PrintBadValue(value == nullptr ? Value() : *value);
  const auto error = kube::meta::Invalid(
      kube::meta::Key("metadata.annotations", kCreatorAnnotation), printed, why);
  return kube::admission::Refusal(error.ToString(), 422, "Invalid");
}

bool IsUser(const Value& value, const Review& review) {
  return value.is_string() && value.text() == review.user.username;
}

}  // namespace

void SetCreator(const Review& review, kube::admission::ObjectDraft& draft) {
  const kube::admission::ObjectDraft::Path path = {"metadata", "annotations", kCreatorAnnotation};
  if (review.user.username.empty()) {
    draft.Remove(path);
  } else {
    draft.SetText(path, review.user.username);
  }
}

Verdict CheckCreator(const Review& review) {
  const Value* value = FindAnnotation(review.object, kCreatorAnnotation);
  if (review.operation == Operation::kCreate) {
    const bool may_be = value == nullptr || IsUser(*value, review);
    return may_be ? kube::admission::Allowed() : Invalid(value, kNotTheUser);
  }
  const bool is_kept = IsSame(value, FindAnnotation(review.old_object, kCreatorAnnotation));
  return is_kept ? kube::admission::Allowed() : Invalid(value, kImmutable);
}

}  // namespace migrate::populate::webhooks
