#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

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

}  // namespace kube::admission
