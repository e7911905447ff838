#pragma once

#include <string_view>

#include "kube/client/client.h"

/// What an answer that is no success means for the request, write or read: the one place that looks
/// at status codes and at why there was no answer. What follows from a meaning, how patient to be
/// and what to say, is up to who asks.
namespace kube::client {

enum class Meaning {
  // Refusals: what was asked for was not done.
  kUnauthorized,     ///< 401: the server does not know who we are
  kForbidden,        ///< 403: a right is missing, or admission says no
  kNotFound,         ///< 404: the object, what it is in, or the resource
  kConflict,         ///< 409: somebody else has changed it, or it is there already
  kExpired,          ///< 410: the continue token or resource version is older than what etcd has
  kTooLarge,         ///< 413
  kInvalid,          ///< 422
  kTooManyRequests,  ///< 429, or etcd's words for it with a code that says less
  kOtherRefusal,     ///< any other 4xx

  // The server could not: whether a write was done is unknown.
  kTrouble,  ///< 500, 502, 503, 504: of the server, or of a webhook, etcd or proxy that it needs
  kServerError,  ///< any other code from 500 on
  kRedirect,     ///< below 400 and no success, which API servers do not send

  // There was no answer: whether a write was done is unknown.
  kUnreachable,   ///< nothing listens there
  kLost,          ///< the connection was lost before the answer was complete
  kTimeout,       ///< the answer did not come in time
  kOutOfTime,     ///< nor in the time that the user gives a request, which is not sent again then
  kNoConnection,  ///< TLS, unknown host, proxy, not the answer of an API server, interrupted

  kForeign,  ///< a page of HTML: whoever has answered is not the API server

  kUnusable,  ///< neither: whoever asked could not use the answer of success, as it has no end
              ///< or is another, or gave up waiting
};

/// Of the code of an answer that is no success.
Meaning MeaningOf(int code);
/// Of its code; where that leaves it open (other 4xx, other 5xx), of its words, too.
Meaning MeaningOf(const ApiStatus& status);
Meaning MeaningOf(const TransportError& error);
Meaning MeaningOf(const CallError& error);

/// The server has said no. Only then it is certain that a write was not done.
bool IsRefusal(Meaning meaning);
/// The server has answered that it could not.
bool IsServerError(Meaning meaning);
/// Nobody has answered.
bool IsUnanswered(Meaning meaning);
/// Time alone may bring another answer: too many requests, an error of the server, none at all, or
/// that of a proxy.
bool MayPass(Meaning meaning);

/// 429 or 5xx with Retry-After: client-go sends the request again (rest/with_retry.go).
bool AsksToRetry(const ApiStatus& status);

/// How the server begins where an object is stored in a version that its CRD no longer has
/// (apiextensions-apiserver pkg/apiserver/conversion/converter.go): no read or write of such an
/// object, nor a list that it is in, succeeds until the CRD has that version again.
inline constexpr std::string_view kMissingVersion =
    "request to convert CR from an invalid group/version";
/// How it names a conversion webhook that failed.
inline constexpr std::string_view kConversionWebhook = "conversion webhook for ";

/// The server says that a webhook failed, of conversion or admission: which may be over in a moment
/// or in a month.
bool NamesWebhook(const ApiStatus& status);

/// A webhook that is asked for the request has side effects, so that the server makes no dry run
/// (apiserver pkg/admission/plugin/webhook/errors NewDryRunUnsupportedErr).
bool IsDryRunUnsupported(const CallError& error);

}  // namespace kube::client
