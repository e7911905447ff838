#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/admission/metrics.h"
#include "kube/admission/review.h"
#include "kube/base/clock.h"
#include "kube/base/result.h"

namespace kube::admission {

/// What the API server is told of a request.
struct Answer {
  Verdict verdict;
  std::vector<std::string> warnings;               ///< as WarningsWithin gives them
  std::string patch;                               ///< a JSON Patch as text; empty: no change
  std::map<std::string, std::string> annotations;  ///< of the audit log
};

/// The AdmissionReview that answers `review`: of the same version and uid, on one line.
std::string PrintAnswer(const Review& review, const Answer& answer);

/// True if the handler is for such requests, by all of its options but the labels of a namespace
/// and HandlerOptions::when (apiserver pkg/admission/plugin/webhook/predicates/rules, .../object).
bool Matches(const Handler& handler, const Review& review);

/// Whether the resource of a review is one only. A person who writes a review by hand may leave its
/// version out, or its group and its version; the API server never does.
enum class ResourceIdentity : std::uint8_t { kClear, kAmbiguous };
/// Completes the resource of such a review where the handlers are for one resource of that name.
/// kAmbiguous: for several. Where they are for none the review stays as it is. Borrows from
/// `handlers`.
ResourceIdentity IdentifyResource(const Handlers& handlers, Review& review);

/// Why nobody was asked.
struct DispatchFault {
  int code;             ///< HTTP: 404, 409, 413, 429
  std::string message;  ///< lower case, names in quotes
};

/// Asks handlers about a request and makes one answer of what they say.
class Dispatcher {
 public:
  /// All must outlive it.
  Dispatcher(const Handlers& handlers, const base::Clock& clock, Metrics& metrics)
      : handlers_(handlers), clock_(clock), metrics_(metrics) {}

  /// Asks the handler at `path`, or, where that is empty, all. A handler that does not match the
  /// review has nothing against it and is not called.
  ///
  /// Of several each is asked about the object as it came, at the same time, and what they say is
  /// put together in the order of their registration: warnings one after the other; changes one on
  /// top of the other, so that of two that change the same field the later one counts; of their
  /// failures the first of the gravest kind. Changes go with a failure too. A patch belongs into
  /// the answer to a MutatingWebhookConfiguration only, so what validates and what mutates should
  /// be asked by id, as our configurations do.
  ///
  /// A patch that takes more memory than others have left, or than there is, is a fault (429, 413).
  ///
  /// Makes no thread where one handler is asked. For several threads at once.
  base::Result<Answer, DispatchFault> Dispatch(std::string_view path, Review review) const;

 private:
  const Handlers& handlers_;
  const base::Clock& clock_;
  Metrics& metrics_;
};

}  // namespace kube::admission
