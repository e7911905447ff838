#include "migrate/migration/access_review.h"

#include <string_view>
#include <utility>

#include "kube/json/json.h"

namespace migrate::migration {
namespace {

using kube::json::Arena;
using kube::json::Value;

std::string Review(const Access& access) {
  Arena arena;
  Value attributes = Value::Object();
  const auto set = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) attributes.Set(key, Value::String(value), arena);
  };
  set("namespace", access.namespace_);
  set("verb", access.verb);
  set("group", access.group);
  set("resource", access.resource);
  set("subresource", access.subresource);
  set("name", access.name);
  Value spec = Value::Object();
  spec.Set("resourceAttributes", attributes, arena);
  Value review = Value::Object();
  review.Set("apiVersion", Value::String("authorization.k8s.io/v1"), arena);
  review.Set("kind", Value::String("SelfSubjectAccessReview"), arena);
  review.Set("spec", spec, arena);
  return kube::json::Print(review);
}

kube::client::ApiRequest Request(const Access& access) {
  return {.method = "POST",
          .target = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          .content_type = "application/json",
          .body = Review(access),
          .changes_nothing = true};
}

bool IsAllowed(const kube::client::DocumentResult& answer) {
  if (!answer) return true;
  const Value& allowed = (*answer)->root().At("status").At("allowed");
  return !allowed.is_bool() || allowed.AsBool();
}

}  // namespace

std::vector<bool> AskWhetherAllowed(const std::vector<Access>& accesses,
                                    kube::client::Client& client) {
  std::vector<kube::client::ApiRequest> requests;
  for (const Access& access : accesses) requests.push_back(Request(access));
  std::vector<bool> allowed;
  for (const auto& answer : client.SendAll(std::move(requests))) {
    allowed.push_back(IsAllowed(answer));
  }
  return allowed;
}

}  // namespace migrate::migration
