#include "migrate/rewrite/retry.h"

#include <algorithm>
#include <string>

#include "kube/client/answer_meaning.h"

namespace migrate::rewrite {
namespace {

using kube::client::IsRefusal;
using kube::client::IsServerError;
using kube::client::Meaning;
using report::ObjectClass;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMaxTries = 10;
constexpr milliseconds kFirstPause{500}, kFirstPauseAfterConflict{50};
constexpr milliseconds kLongestPause{30'000};
constexpr kube::base::Clock::Duration kLeastForOrders = std::chrono::minutes(3);

constexpr AnswerVerdict Final(ObjectClass object_class) { return {object_class, false, false}; }
constexpr AnswerVerdict Busy(ObjectClass object_class) { return {object_class, true, true}; }

/// A row fits an end of a meaning that `fits`, whose message starts with `prefix` and has `part` in
/// it.
struct Row {
  bool (*fits)(Meaning);
  std::string_view prefix, part;
  AnswerVerdict verdict;
};

template <Meaning kMeaning>
bool Is(Meaning meaning) {
  return meaning == kMeaning;
}

bool IsAnyError(Meaning meaning) { return IsRefusal(meaning) || IsServerError(meaning); }

// The first row that fits decides. Messages quote what users wrote, so a text is looked for only
// where the code leaves the question open.
constexpr Row kRows[] = {
    // apiserver pkg/admission/plugin/webhook/errors: a webhook may deny with any code of 400 and
    // more. The same words begin "... does not support dry run".
    {IsAnyError, "admission webhook \"", "", Final(ObjectClass::kDenied)},
    {IsRefusal, "", " is forbidden: ValidatingAdmissionPolicy '", Final(ObjectClass::kDenied)},
    // Until somebody changes the CRD.
    {IsServerError, kube::client::kMissingVersion, "", Final(ObjectClass::kFailed)},
    // What a server-side apply sends does not fit the schema (apimachinery pkg/util/managedfields):
    // these errors have no code of their own, and so become 500.
    {IsServerError, "failed to create typed patch object", "", Final(ObjectClass::kInvalid)},
    {IsServerError, "failed to convert new object", "", Final(ObjectClass::kInvalid)},
    {IsServerError, "", "failed calling webhook", Busy(ObjectClass::kWebhookUnavailable)},
    {IsServerError, "", "failed calling admission webhook", Busy(ObjectClass::kWebhookUnavailable)},
    {IsServerError, "", kube::client::kConversionWebhook, Busy(ObjectClass::kWebhookUnavailable)},
    // etcd's limit, and that of the gRPC client before it.
    {IsServerError, "", "etcdserver: request is too large", Final(ObjectClass::kTooLarge)},
    {IsServerError, "", "trying to send message larger than max", Final(ObjectClass::kTooLarge)},
    {IsServerError, "", "Request entity too large", Final(ObjectClass::kTooLarge)},
    {Is<Meaning::kTooLarge>, "", "", Final(ObjectClass::kTooLarge)},
    // Not the object is missing (IsGone) but its resource: "the server could not find the requested
    // resource", "404 page not found"; or its namespace: "namespaces "shop" not found"
    // (plugin/pkg/admission/namespace/lifecycle), while the object is stored all the same.
    {Is<Meaning::kNotFound>, "", "", Final(ObjectClass::kFailed)},
    // An authorizer's words are about the user; admission plugins word the rest.
    {Is<Meaning::kForbidden>, "", " is forbidden: User \"", Final(ObjectClass::kForbidden)},
    {Is<Meaning::kForbidden>, "", " is forbidden: ", Final(ObjectClass::kDenied)},
    {Is<Meaning::kForbidden>, "", "", Final(ObjectClass::kForbidden)},
    {Is<Meaning::kConflict>, "", "", {ObjectClass::kConflict, true, false}},
    {Is<Meaning::kInvalid>, "", "", Final(ObjectClass::kInvalid)},
    {Is<Meaning::kTooManyRequests>, "", "", Busy(ObjectClass::kFailed)},
    {Is<Meaning::kTrouble>, "", "", Busy(ObjectClass::kFailed)},
    // An API server that is being started again.
    {Is<Meaning::kUnreachable>, "", "", Busy(ObjectClass::kFailed)},
    {Is<Meaning::kLost>, "", "", Busy(ObjectClass::kFailed)},
    {Is<Meaning::kTimeout>, "", "", Busy(ObjectClass::kFailed)},
    // The user has said how long a request may take, not that the others may not take as long.
    {Is<Meaning::kOutOfTime>, "", "", {ObjectClass::kFailed, false, true}},
    {Is<Meaning::kForeign>, "", "", Busy(ObjectClass::kFailed)},
};

// NewNotFound of apimachinery pkg/api/errors.
bool IsGone(const kube::client::ApiStatus& status, std::string_view object) {
  return MeaningOf(status) == Meaning::kNotFound && !object.empty() &&
         status.message == std::string(object) + " not found";
}

}  // namespace

AnswerVerdict ClassifyAnswer(const kube::client::CallError& error, std::string_view object) {
  if (error.status && IsGone(*error.status, object)) return Final(ObjectClass::kGone);
  const Meaning meaning = MeaningOf(error);
  const std::string_view message = error.status ? error.status->message : std::string_view();
  for (const Row& row : kRows) {
    if (row.fits(meaning) && message.starts_with(row.prefix) &&
        message.find(row.part) != message.npos) {
      return row.verdict;
    }
  }
  return error.status && AsksToRetry(*error.status) ? Busy(ObjectClass::kFailed)
                                                    : Final(ObjectClass::kFailed);
}

AnswerVerdict ClassifyAnswer(BrokenAnswer broken) {
  return broken == BrokenAnswer::kCutShort ? Busy(ObjectClass::kFailed)
                                           : Final(ObjectClass::kFailed);
}

std::optional<kube::base::Clock::Duration> RetryBudget::Next(const AnswerVerdict& verdict,
                                                             std::optional<seconds> retry_after,
                                                             kube::base::Clock::TimePoint now) {
  if (!first_failure_) first_failure_ = now;
  // Who has more patience than usual is not held to the usual number.
  ++failures_;
  const bool is_enough = failures_ >= kMaxTries && limit_ <= kLeastForOrders;
  if (!verdict.may_pass || is_enough) return std::nullopt;
  const milliseconds first =
      verdict.object_class == ObjectClass::kConflict ? kFirstPauseAfterConflict : kFirstPause;
  kube::base::Clock::Duration pause =
      std::min(first * (1 << std::min(failures_ - 1, 10)), kLongestPause);
  if (retry_after) pause = std::max<kube::base::Clock::Duration>(pause, *retry_after);
  const bool is_usual = retry_after || verdict.object_class == ObjectClass::kConflict;
  const auto limit = is_usual ? std::max(limit_, kLeastForOrders) : limit_;
  if (now + pause > *first_failure_ + limit) return std::nullopt;
  return pause;
}

}  // namespace migrate::rewrite
