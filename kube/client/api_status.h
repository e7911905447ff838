#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/transport.h"

namespace kube::client {

/// What an API server says instead of a result: metav1.Status, or what client-go makes of an answer
/// that is none (apimachinery pkg/api/errors NewGenericServerResponse).
///
/// Texts are UTF-8, shortened, and hold no control characters: white space around a line break is
/// one blank.
struct ApiStatus {
  int code = 0;  ///< HTTP status; what it means is told by kube/client/answer_meaning.h
  /// "NotFound", "Forbidden", "Expired" ...; of a Status its own, which may be empty, otherwise the
  /// one that goes with `code`, empty if there is none.
  std::string reason;
  std::string message;  ///< the server's own words
  std::string kind;     ///< details.kind, for Invalid; may be empty
  std::string name;     ///< details.name; may be empty
  /// details.causes as `field: message`, each once: what is invalid.
  std::vector<std::string> causes;
  /// metadata.continue: with 410 Expired, the token by which the list can go on from a newer
  /// resource version ("inconsistent continue token"). Empty if the server gave none.
  std::string continue_token;
  /// Header Retry-After, else details.retryAfterSeconds; absent if the server did not ask to wait.
  std::optional<std::chrono::seconds> retry_after;
};

/// Reads the answer to `method` that was no success. `body` may be anything: HTML, cut short,
/// empty.
ApiStatus ReadApiStatus(std::string_view method, const ResponseHead& head, std::string_view body);

/// The status as kubectl prints it, without "error: " before it: `Error from server (NotFound):
/// widgets.demo.example.com "a" not found`, `You must be logged in to the server (Unauthorized)`,
/// `The Widget "a" is invalid: ...`, with several causes one a line (kubectl
/// pkg/cmd/util/helpers.go). Does not end with a line break.
std::string Describe(const ApiStatus& status);

}  // namespace kube::client
