#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/admission/review.h"

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

}  // namespace kube::admission
