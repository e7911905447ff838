// What rules of admission policies ask an authorizer (apiserver/pkg/cel/library/authz.go). Rules of
// CRDs have none to ask: these functions are known to the checker, and never called.
#include "kube/cel/function.h"

namespace kube::cel {
namespace {

constexpr std::string_view kAuthorizer = "kubernetes.authorization.Authorizer";
constexpr std::string_view kPathCheck = "kubernetes.authorization.PathCheck";
constexpr std::string_view kGroupCheck = "kubernetes.authorization.GroupCheck";
constexpr std::string_view kResourceCheck = "kubernetes.authorization.ResourceCheck";
constexpr std::string_view kDecision = "kubernetes.authorization.Decision";

Value NoAuthorizer(Memory& /*memory*/, Args /*args*/) { return Value::Error(kNoOverload); }

std::optional<CallEstimate> EstimateCheck(const EstimatedCall& /*call*/) {
  return CallEstimate{Range::Fixed(350000), std::nullopt};
}

Overload AuthorizationRow(std::string_view function, std::string_view id, std::string_view args,
                          std::string_view result, EstimateRule estimate = EstimateOne,
                          base::Release since = {1, 27}) {
  return {function,         id,   true, args, result, NoAuthorizer, estimate, nullptr, false,
          Dispatch::kTyped, since};
}

}  // namespace

std::span<const Overload> AuthorizationLibrary() {
  static const std::string with_text[] = {
      std::string(kAuthorizer) + ", string", std::string(kAuthorizer) + ", string, string",
      std::string(kGroupCheck) + ", string", std::string(kResourceCheck) + ", string",
      std::string(kPathCheck) + ", string"};
  static const Overload rows[] = {
      AuthorizationRow("path", "authorizer_path", with_text[0], kPathCheck),
      AuthorizationRow("group", "authorizer_group", with_text[0], kGroupCheck),
      AuthorizationRow("serviceAccount", "authorizer_serviceaccount", with_text[1], kAuthorizer),
      AuthorizationRow("resource", "groupcheck_resource", with_text[2], kResourceCheck),
      AuthorizationRow("subresource", "resourcecheck_subresource", with_text[3], kResourceCheck),
      AuthorizationRow("namespace", "resourcecheck_namespace", with_text[3], kResourceCheck),
      AuthorizationRow("name", "resourcecheck_name", with_text[3], kResourceCheck),
      AuthorizationRow("check", "pathcheck_check", with_text[4], kDecision, EstimateCheck),
      AuthorizationRow("check", "resourcecheck_check", with_text[3], kDecision, EstimateCheck),
      AuthorizationRow("errored", "decision_errored", kDecision, "bool"),
      AuthorizationRow("error", "decision_error", kDecision, "string"),
      AuthorizationRow("allowed", "decision_allowed", kDecision, "bool"),
      AuthorizationRow("reason", "decision_reason", kDecision, "string"),
      AuthorizationRow("fieldSelector", "authorizer_fieldselector", with_text[3], kResourceCheck,
                       EstimateOne, {1, 31}),
      AuthorizationRow("labelSelector", "authorizer_labelselector", with_text[3], kResourceCheck,
                       EstimateOne, {1, 31}),
  };
  return rows;
}

}  // namespace kube::cel
