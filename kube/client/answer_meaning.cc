#include "kube/client/answer_meaning.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace kube::client {
namespace {

bool SaysAnyOf(const ApiStatus& status, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view one) { return status.message.find(one) != std::string::npos; });
}

// etcd's ErrTooManyRequests (etcd api/v3rpc/rpctypes), and what hosted ones say where they hold a
// cluster to a quota. The server has no code of its own for it, and those in between change it.
bool IsThrottledByStorage(const ApiStatus& status) {
  return SaysAnyOf(status, {"etcdserver: too many requests", "etcdserver: throttle"});
}

}  // namespace

Meaning MeaningOf(int code) {
  switch (code) {
    case 401:
      return Meaning::kUnauthorized;
    case 403:
      return Meaning::kForbidden;
    case 404:
      return Meaning::kNotFound;
    case 409:
      return Meaning::kConflict;
    case 410:
      return Meaning::kExpired;
    case 413:
      return Meaning::kTooLarge;
    case 422:
      return Meaning::kInvalid;
    case 429:
      return Meaning::kTooManyRequests;
    case 500:
    case 502:
    case 503:
    case 504:
      return Meaning::kTrouble;
    default:
      break;
  }
  if (code < 400) return Meaning::kRedirect;
  return code < 500 ? Meaning::kOtherRefusal : Meaning::kServerError;
}

Meaning MeaningOf(const ApiStatus& status) {
  const Meaning meaning = MeaningOf(status.code);
  // Where the code says something of its own the text may be quoted from an object.
  const bool is_open = meaning == Meaning::kOtherRefusal || meaning == Meaning::kServerError;
  return is_open && IsThrottledByStorage(status) ? Meaning::kTooManyRequests : meaning;
}

Meaning MeaningOf(const TransportError& error) {
  using Kind = TransportError::Kind;
  switch (error.kind) {
    case Kind::kRefused:
      return Meaning::kUnreachable;
    case Kind::kConnectionLost:
      return Meaning::kLost;
    case Kind::kTimeout:
      return Meaning::kTimeout;
    case Kind::kOutOfTime:
      return Meaning::kOutOfTime;
    case Kind::kForeign:
      return Meaning::kForeign;
    case Kind::kTooLong:
      return Meaning::kUnusable;
    case Kind::kTls:
    case Kind::kOther:
      break;
  }
  return Meaning::kNoConnection;
}

Meaning MeaningOf(const CallError& error) {
  if (error.status) return MeaningOf(*error.status);
  return error.transport ? MeaningOf(*error.transport) : Meaning::kUnusable;
}

bool IsRefusal(Meaning meaning) {
  switch (meaning) {
    case Meaning::kUnauthorized:
    case Meaning::kForbidden:
    case Meaning::kNotFound:
    case Meaning::kConflict:
    case Meaning::kExpired:
    case Meaning::kTooLarge:
    case Meaning::kInvalid:
    case Meaning::kTooManyRequests:
    case Meaning::kOtherRefusal:
      return true;
    default:
      return false;
  }
}

bool IsServerError(Meaning meaning) {
  return meaning == Meaning::kTrouble || meaning == Meaning::kServerError;
}

bool IsUnanswered(Meaning meaning) {
  return meaning == Meaning::kUnreachable || meaning == Meaning::kLost ||
         meaning == Meaning::kTimeout || meaning == Meaning::kOutOfTime ||
         meaning == Meaning::kNoConnection;
}

bool MayPass(Meaning meaning) {
  return meaning == Meaning::kTooManyRequests || meaning == Meaning::kForeign ||
         IsServerError(meaning) || IsUnanswered(meaning);
}

bool AsksToRetry(const ApiStatus& status) {
  const Meaning meaning = MeaningOf(status);
  return status.retry_after && (meaning == Meaning::kTooManyRequests || IsServerError(meaning));
}

bool NamesWebhook(const ApiStatus& status) {
  return SaysAnyOf(
      status, {kConversionWebhook, "failed calling webhook", "failed calling admission webhook"});
}

bool IsDryRunUnsupported(const CallError& error) {
  return error.status && error.status->code == 400 &&
         error.status->message.find("does not support dry run") != std::string::npos;
}

}  // namespace kube::client
