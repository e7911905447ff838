#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/base/clock.h"
#include "migrate/populate/access_reviewer.h"

namespace migrate::populate {

/// Remembers for some seconds what another reviewer has said, so that whoever creates many objects
/// is asked about once. What it could not say is not remembered, and what it denied not for long:
/// whoever is given a right tries again at once.
///
/// Its memory is bounded, whoever asks for whatever.
class CachedAccess : public AccessReviewer {
 public:
  static constexpr std::chrono::seconds kAllowedFor{10}, kDeniedFor{2};
  static constexpr std::size_t kMostAnswers = 4096;

  /// Both must outlive it.
  CachedAccess(AccessReviewer& reviewer, const kube::base::Clock& clock)
      : reviewer_(reviewer), clock_(clock) {}

  std::vector<AccessAnswer> Ask(const kube::admission::UserInfo& user,
                                const std::vector<TemplateRight>& rights) override;

 private:
  struct Remembered {
    AccessAnswer answer;
    kube::base::Clock::TimePoint until;
  };
  std::optional<AccessAnswer> Recall(const std::string& key);
  void Remember(const std::string& key, const AccessAnswer& answer);
  void MakeRoom(kube::base::Clock::TimePoint now);

  AccessReviewer& reviewer_;
  const kube::base::Clock& clock_;
  std::mutex mutex_;
  // By a hash of the question: a user may be in any number of groups.
  std::unordered_map<std::string, Remembered> answers_;
};

}  // namespace migrate::populate
