#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/serve/message.h"

/// Admission webhooks written as functions: what an API server asks before it stores an object, who
/// is to say something to it, and what is answered. Without sockets: kube/serve has those.
namespace kube::admission {

/// The bytes of a review at most. An API server takes 3 MiB in a request (apiserver
/// server.Config.MaxRequestBodyBytes). A patch adds them to what is stored, of which etcd takes
/// 1.5 MiB, and a JSON Patch may copy 3 MiB as JSON (JSONPatchMaxCopyBytes). The old object comes
/// along. encoding/json makes six bytes of one ("<" is \u003c), base64 less. The rest, with the
/// user, is less than 1 MiB.
inline constexpr std::size_t kMostReviewBytes =
    6 * (3 * 1024 + 1536 + 1536) * std::size_t{1024} + (3 + 1) * std::size_t{1024 * 1024};

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete, kConnect };

/// As the API writes it: "CREATE".
std::string_view OperationName(Operation operation);

struct ReviewedKind {
  std::string_view group, version, kind;

  bool operator==(const ReviewedKind&) const = default;
};

struct ReviewedResource {
  std::string_view group, version, plural;

  bool operator==(const ReviewedResource&) const = default;
};

/// Who made the request, as the API server authenticated it. More than 256 KiB as JSON, thousands of
/// groups, is a fault of the review: it goes into questions about rights, and into messages.
struct UserInfo {
  std::string_view username, uid;
  std::vector<std::string_view> groups;
  /// By key, in the order of the text.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> extra;
};

/// What an API server asks: the request of an AdmissionReview (admission.k8s.io/v1, and v1beta1,
/// which has the same fields). All borrows from the document that it was read from.
struct Review {
  std::string_view api_version;  ///< of the review itself: "admission.k8s.io/v1"
  std::string_view uid;          ///< goes back with the answer; never empty, 1 KiB at most

  /// In the version that the webhook asked for: with matchPolicy Equivalent not always the one that
  /// was written.
  ReviewedKind kind;
  ReviewedResource resource;
  std::string_view subresource;  ///< "status"; empty for the object itself
  /// As the client wrote it; the same as above where the review does not tell.
  ReviewedKind request_kind;
  ReviewedResource request_resource;
  std::string_view request_subresource;

  std::string_view name;        ///< empty where the server is to make one (generateName)
  std::string_view namespace_;  ///< empty for what is in none
  Operation operation = Operation::kCreate;
  UserInfo user;

  const json::Value* object = nullptr;      ///< an object; the null pointer for DELETE
  const json::Value* old_object = nullptr;  ///< an object; the null pointer for CREATE and CONNECT
  const json::Value* options = nullptr;     ///< CreateOptions and so on; may be the null pointer
  bool dry_run = false;                     ///< nothing will be stored: no side effects

  /// Headers and TLS peer. The null pointer where the review did not come by HTTP.
  const serve::Request* http = nullptr;
  /// How long the API server waits for the answer. Nobody interrupts a handler: the server hangs up
  /// and goes by the failurePolicy. A handler that may take long keeps an eye on it.
  std::optional<std::chrono::nanoseconds> timeout;
};

/// Reads the body of a request. The error tells what is wrong with it: "request.uid is missing",
/// "request.operation: "PATCH" is none of CREATE, UPDATE, DELETE and CONNECT", "no JSON: ...".
///
/// Fields that nobody knows are no error, nor is null for one that may be missing. `document` must
/// outlive the review, `may_take` is as for Document::Parse.
base::Result<Review, std::string> ReadReview(std::string_view body, json::Document& document,
                                             const json::MemoryQuestion& may_take = {});

}  // namespace kube::admission
