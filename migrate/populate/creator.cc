#include "migrate/populate/creator.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "kube/admission/handler.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {
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

bool HasAny(const Value& rule, std::string_view list, std::initializer_list<std::string_view> of) {
  return std::ranges::any_of(rule.At(list).elements(), [&of](const Value& text) {
    return std::ranges::find(of, text.text()) != of.end();
  });
}

// As apiserver pkg/admission/plugin/webhook/predicates/rules: "namespaces/*" is the Namespace too,
// and "*" no subresource. What is only for objects in namespaces (scope) is for no Namespace.
bool IsAskedAbout(const Value& webhook, std::string_view subresource, std::string_view operation) {
  const auto text = [&subresource](std::string_view resource) {
    return std::string(resource) + (subresource.empty() ? "" : "/") + std::string(subresource);
  };
  const std::string own = text("namespaces"), of_any = text("*");
  return std::ranges::any_of(webhook.At("rules").elements(), [&](const Value& rule) {
    return HasAny(rule, "apiGroups", {"", "*"}) && HasAny(rule, "apiVersions", {"v1", "*"}) &&
           HasAny(rule, "operations", {operation, "*"}) &&
           HasAny(rule, "resources", {own, of_any, "namespaces/*", "*/*"}) &&
           rule.FindText("scope") != "Namespaced";
  });
}

bool Selects(const Value& webhook, std::string_view selector) {
  return std::ranges::any_of(webhook.At(selector).members(),
                             [](const kube::json::Member& part) { return !part.value.empty(); });
}

/// Empty: it guards the annotation.
std::string WhyNoGuard(const Value& webhook) {
  const std::string not_each = "is not asked about each change of each namespace";
  if (webhook.FindText("failurePolicy") != "Fail") return "lets pass while nobody answers";
  for (const char* selector : {"namespaceSelector", "objectSelector"}) {
    if (Selects(webhook, selector)) return not_each + (" (" + std::string(selector) + ")");
  }
  if (!webhook.At("matchConditions").elements().empty()) return not_each + " (matchConditions)";
  const bool is_asked =
      IsAskedAbout(webhook, "", "CREATE") && IsAskedAbout(webhook, "", "UPDATE") &&
      IsAskedAbout(webhook, "status", "UPDATE") && IsAskedAbout(webhook, "finalize", "UPDATE");
  return is_asked ? "" : not_each + " (rules)";
}

}  // namespace

std::string WhyCreatorUnguarded(const Value& list) {
  const std::string prefix = kube::admission::NameOfId(kCreatorCheckId) + ".";
  std::string why = "the cluster does not have the webhook creator of kubectl prune populate";
  const Value* items = list.Find("items");
  if (items == nullptr) return why;
  for (const Value& configuration : items->elements()) {
    const Value* webhooks = configuration.Find("webhooks");
    if (webhooks == nullptr) continue;
    for (const Value& webhook : webhooks->elements()) {
      const std::string_view name = webhook.FindText("name");
      if (!name.starts_with(prefix)) continue;
      const std::string why_not = WhyNoGuard(webhook);
      if (why_not.empty()) return "";
      why = "the webhook " + kube::go::GoQuote(name) + " " + why_not;
    }
  }
  return why;
}

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

}  // namespace migrate::populate
