#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kube/admission/object_draft.h"
#include "kube/admission/object_filter.h"
#include "kube/admission/reply.h"
#include "kube/admission/review.h"

namespace kube::admission {

/// Why a request is not let through. Of several failures of a request the first kind counts.
enum class FailureKind : std::uint8_t {
  kRefusal,    ///< the handler says no, with a code of its own
  kPermanent,  ///< it cannot be decided, and will not be
  kTemporary,  ///< it cannot be decided now; the client may try again
  kOther,      ///< the handler threw something
};

/// What the client of the API server is told: `admission webhook "x" denied the request: MESSAGE`.
struct Failure {
  FailureKind kind = FailureKind::kRefusal;
  std::string message;
  /// HTTP status. What is below 400 the API server makes 400 (admission/plugin/webhook/errors
  /// ToStatusErr).
  int code = 500;
  std::string reason{};  ///< metav1.StatusReason as "Invalid"; empty: none
  /// When the client may try again: the API server makes a Retry-After of it, by which clients of
  /// Go send the request again by themselves, with code 429 or 5xx. Absent: nothing is said.
  std::optional<std::chrono::seconds> retry_after{};
};

/// What a handler thinks of a request: nothing against it, or a failure.
using Verdict = std::optional<Failure>;

inline Verdict Allowed() { return std::nullopt; }
inline Failure Refusal(std::string message, int code = 500, std::string reason = "") {
  return {FailureKind::kRefusal, std::move(message), code, std::move(reason)};
}
inline Failure Permanent(std::string message) {
  return {FailureKind::kPermanent, std::move(message)};
}
inline Failure Temporary(std::string message) {
  return {FailureKind::kTemporary, std::move(message)};
}

/// A handler's id as part of a name: "/" is ".", and "_" is "-".
std::string NameOfId(std::string_view id);
/// A handler's id as a path below a service, whose segments have to be DNS names (apiserver
/// pkg/util/webhook ValidateWebhookService): "_" is "-".
std::string PathOfId(std::string_view id);

/// The webhook of a handler in the configuration `configuration`: "fn.spec.guard.example.com".
std::string WebhookName(std::string_view id, std::string_view configuration);
/// True if a webhook of that name is one of ours in the configuration.
bool IsOurWebhook(std::string_view name, std::string_view configuration);

/// What the API server has against the name of a webhook (apimachinery
/// pkg/util/validation.IsFullyQualifiedName); absent where it takes it.
std::optional<std::string> WebhookNameProblem(std::string_view name);

/// What a handler is asked about. "*" is any; the core group is "".
struct Resource {
  std::string group, version, plural;

  bool operator==(const Resource&) const = default;
};

inline Resource AnyResource() { return {"*", "*", "*"}; }

struct HandlerOptions {
  std::vector<Resource> resources;
  /// Empty: all. A mutating handler is asked about DELETE only if it is for nothing else.
  std::vector<Operation> operations{};
  /// Of the resources: empty for the object itself, "status" for that alone, "*" for the object and
  /// all its subresources.
  std::string subresource{};
  /// Only what is in a namespace (scope Namespaced); Namespaces are in none.
  bool namespaced_only = false;
  /// What the object, or the old one, has to be like: one of them has all of it.
  ObjectFilter object{};
  /// Labels of the object's namespace. It is the API server that looks: a review does not tell.
  LabelSelector namespace_labels{};
  /// Asked last, about what matches all else: false: the handler has nothing against it and is not
  /// called. Empty: always true. By several threads at once; what it throws is as if the handler
  /// had thrown it.
  std::function<bool(const Review&)> when{};
  /// The webhook stays when the program ends, so that requests fail, or pass, without it.
  bool persistent = false;
  /// It does more than to answer, though not in a dry run (sideEffects NoneOnDryRun).
  bool side_effects = false;
  /// One that mutates is asked once more where a webhook that comes later has changed the object
  /// (reinvocationPolicy IfNeeded), and has to give the same again.
  bool is_reinvoked = false;
  /// A request passes where the handler cannot be reached (failurePolicy Ignore).
  bool ignore_failures = false;
  /// How long the API server waits: 1 to 30 seconds.
  std::chrono::seconds timeout{30};
};

/// Says whether a request may pass. Is called by several threads at once. What it throws is a
/// failure of FailureKind::kOther, with the text of the exception.
using ValidateFunction = std::function<Verdict(const Review&, Reply&)>;
/// The same, and may change the object. The changes go with a refusal too.
using MutateFunction = std::function<Verdict(const Review&, Reply&, ObjectDraft&)>;

struct Handler {
  /// Its path at the server, and of its webhook's name: words of lower case letters, digits, "-"
  /// and "_" with "/" or "." between them. "_" is as good as "-" there.
  std::string id;
  HandlerOptions options;
  std::variant<ValidateFunction, MutateFunction> function;

  bool is_mutating() const { return std::holds_alternative<MutateFunction>(function); }
};

Handler Validate(std::string id, HandlerOptions options, ValidateFunction function);
Handler Mutate(std::string id, HandlerOptions options, MutateFunction function);

/// The handlers of a program, in the order of their registration. Not to be changed while they are
/// asked.
class Handlers {
 public:
  /// Throws kube::base::Error where nobody could ask the handler: an id that is none, or names the
  /// webhook of another one; no resource; a selector or timeout that the API server does not take.
  void Add(Handler handler);

  /// The one at `path`, its id or the same with "-" for "_"; the null pointer if there is none.
  const Handler* Find(std::string_view path) const;
  const std::deque<Handler>& all() const { return handlers_; }

 private:
  std::deque<Handler> handlers_;
};

}  // namespace kube::admission
