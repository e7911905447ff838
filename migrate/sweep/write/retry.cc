#include "migrate/sweep/write/retry.h"

#include <algorithm>
#include <string>

#include "migrate/crds/missing_version.h"

namespace migrate::sweep::write {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMaxTries = 10;
constexpr seconds kMaxTime{180};
constexpr milliseconds kFirstPause{500}, kFirstPauseAfterConflict{50};
constexpr milliseconds kLongestPause{30'000};

constexpr AnswerVerdict Final(report::ObjectClass object_class) {
  return {object_class, false, false};
}
constexpr AnswerVerdict Busy(report::ObjectClass object_class) {
  return {object_class, true, true};
}

/// A row fits a status with a code from `first` to `last` whose message starts with `prefix` and
/// has `part` in it.
struct Row {
  int first, last;
  std::string_view prefix, part;
  AnswerVerdict verdict;
};

// The first row that fits decides. Messages quote what users wrote, so a text is looked for only
// where the code leaves the question open.
constexpr Row kRows[] = {
    // apiserver pkg/admission/plugin/webhook/errors: a webhook may deny with any code of 400 and
    // more. The same words begin "... does not support dry run".
    {400, 599, "admission webhook \"", "", Final(report::ObjectClass::kDenied)},
    {400, 499, "", " is forbidden: ValidatingAdmissionPolicy '",
     Final(report::ObjectClass::kDenied)},
    // Until somebody changes the CRD.
    {500, 599, crds::kMissingVersion, "", Final(report::ObjectClass::kFailed)},
    {500, 599, "", "failed calling webhook", Busy(report::ObjectClass::kWebhookUnavailable)},
    {500, 599, "", "failed calling admission webhook",
     Busy(report::ObjectClass::kWebhookUnavailable)},
    {500, 599, "", "conversion webhook for ", Busy(report::ObjectClass::kWebhookUnavailable)},
    // etcd's limit, and that of the gRPC client before it.
    {500, 599, "", "etcdserver: request is too large", Final(report::ObjectClass::kTooLarge)},
    {500, 599, "", "trying to send message larger than max", Final(report::ObjectClass::kTooLarge)},
    {500, 599, "", "Request entity too large", Final(report::ObjectClass::kTooLarge)},
    {413, 413, "", "", Final(report::ObjectClass::kTooLarge)},
    // Not the object is missing (IsGone) but its resource: "the server could not find the requested
    // resource", "404 page not found"; or its namespace: "namespaces "shop" not found"
    // (plugin/pkg/admission/namespace/lifecycle), while the object is stored all the same.
    {404, 404, "", "", Final(report::ObjectClass::kFailed)},
    // An authorizer's words are about the user; admission plugins word the rest.
    {403, 403, "", " is forbidden: User \"", Final(report::ObjectClass::kForbidden)},
    {403, 403, "", " is forbidden: ", Final(report::ObjectClass::kDenied)},
    {403, 403, "", "", Final(report::ObjectClass::kForbidden)},
    {409, 409, "", "", {report::ObjectClass::kConflict, true, false}},
    {422, 422, "", "", Final(report::ObjectClass::kInvalid)},
    {429, 429, "", "", Busy(report::ObjectClass::kFailed)},
    {500, 500, "", "", Busy(report::ObjectClass::kFailed)},
    {502, 504, "", "", Busy(report::ObjectClass::kFailed)},
};

// NewNotFound of apimachinery pkg/api/errors.
bool IsGone(const kube::client::ApiStatus& status, std::string_view object) {
  return status.IsNotFound() && !object.empty() &&
         status.message == std::string(object) + " not found";
}

AnswerVerdict JudgeStatus(const kube::client::ApiStatus& status, std::string_view object) {
  if (IsGone(status, object)) return Final(report::ObjectClass::kGone);
  for (const Row& row : kRows) {
    if (status.code < row.first || status.code > row.last) continue;
    const std::string_view message = status.message;
    if (message.starts_with(row.prefix) && message.find(row.part) != message.npos) {
      return row.verdict;
    }
  }
  return status.AsksToRetry() ? Busy(report::ObjectClass::kFailed)
                              : Final(report::ObjectClass::kFailed);
}

AnswerVerdict JudgeTransport(const kube::http::TransportError& error) {
  switch (error.kind) {
    case kube::http::TransportError::Kind::kRefused:  // an API server that is being started again
    case kube::http::TransportError::Kind::kConnectionLost:
    case kube::http::TransportError::Kind::kTimeout:
      return Busy(report::ObjectClass::kFailed);
    case kube::http::TransportError::Kind::kTls:
    case kube::http::TransportError::Kind::kOther:
      break;
  }
  return Final(report::ObjectClass::kFailed);
}

}  // namespace

AnswerVerdict Judge(const kube::client::CallError& error, std::string_view object) {
  if (error.status) return JudgeStatus(*error.status, object);
  return error.transport ? JudgeTransport(*error.transport) : Final(report::ObjectClass::kFailed);
}

AnswerVerdict Judge(BrokenAnswer broken) {
  return broken == BrokenAnswer::kCutShort ? Busy(report::ObjectClass::kFailed)
                                           : Final(report::ObjectClass::kFailed);
}

std::optional<kube::system::Clock::Duration> RetryBudget::Next(const AnswerVerdict& verdict,
                                                               std::optional<seconds> retry_after,
                                                               kube::system::Clock::TimePoint now) {
  if (!first_failure_) first_failure_ = now;
  if (!verdict.may_pass || ++failures_ == kMaxTries) return std::nullopt;
  const milliseconds first = verdict.object_class == report::ObjectClass::kConflict
                                 ? kFirstPauseAfterConflict
                                 : kFirstPause;
  kube::system::Clock::Duration pause = std::min(first * (1 << (failures_ - 1)), kLongestPause);
  if (retry_after) pause = std::max<kube::system::Clock::Duration>(pause, *retry_after);
  if (now + pause > *first_failure_ + kMaxTime) return std::nullopt;
  return pause;
}

}  // namespace migrate::sweep::write
