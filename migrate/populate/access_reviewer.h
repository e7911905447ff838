#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/admission/review.h"
#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/scheduler.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {

// The rights to NamespaceTemplates that no API server knows of itself.
inline constexpr char kUseVerb[] = "use";        ///< of one: to have it select a namespace
inline constexpr char kOptOutVerb[] = "optout";  ///< to say which namespaces opt out
/// To write into a namespace before it has all; of an initializer: to be that one.
inline constexpr char kInitializeVerb[] = "initialize";

/// What somebody would do with NamespaceTemplates, or as an initializer.
struct TemplateRight {
  std::string verb;
  std::string name{};  ///< of the template, or the initializer; empty: with all of them
  std::string resource = kTemplatePlural;  ///< or kInitializerPlural

  bool operator==(const TemplateRight&) const = default;
};

/// Whether somebody may.
struct AccessAnswer {
  enum class Kind : std::uint8_t {
    kAllowed,
    kDenied,
    kUnknown,  ///< it could not be asked
  };

  Kind kind = Kind::kUnknown;
  std::string
      reason{};  ///< of kUnknown: why; of kDenied what the server says, which may be nothing

  bool operator==(const AccessAnswer&) const = default;
};

/// Knows what somebody may do.
class AccessReviewer {
 public:
  virtual ~AccessReviewer() = default;
  /// An answer to each of `rights`, in their order. May wait for somebody to tell. For several
  /// threads at once; does not throw for what it cannot ask.
  virtual std::vector<AccessAnswer> Ask(const kube::admission::UserInfo& user,
                                        const std::vector<TemplateRight>& rights) = 0;
};

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

/// Asks an API server by SubjectAccessReviews (authorization.k8s.io/v1), each with the user, the
/// uid, the groups and the extra fields of whoever made the request: all that an authorizer may go
/// by. Needs the verb create on subjectaccessreviews.authorization.k8s.io, as the ClusterRole
/// system:auth-delegator has it.
///
/// A client is for one thread, and is asked here by those that answer webhooks. So this one is for
/// nobody else, on a connection of its own, and they take scheduler at it: whoever waits polls for
/// all, so that the questions of many are under way at the same time, no thread is needed for it,
/// and where nobody asks nothing is done. A watch on the same client would keep each question
/// waiting until something happens.
///
/// What has no answer within `patience` is kUnknown; that has to be less than the API server waits
/// for the webhook. Where the client has patience too (ClientOptions::patience) a question that is
/// lost, as where the server has left an idle connection, is asked again meanwhile.
class ClusterAccessReviewer : public AccessReviewer {
 public:
  static constexpr std::chrono::seconds kPatience{5};

  /// Both must outlive it.
  ClusterAccessReviewer(kube::client::Client& client, const kube::base::Clock& clock,
                        kube::base::Clock::Duration patience = kPatience)
      : client_(client), clock_(clock), patience_(patience), scheduler_(client, clock) {}

  std::vector<AccessAnswer> Ask(const kube::admission::UserInfo& user,
                                const std::vector<TemplateRight>& rights) override;

 private:
  kube::client::Client& client_;
  const kube::base::Clock& clock_;
  const kube::base::Clock::Duration patience_;
  kube::client::Scheduler scheduler_;
};

}  // namespace migrate::populate
