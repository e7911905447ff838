#pragma once

#include <chrono>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/scheduler.h"
#include "migrate/populate/access_reviewer.h"

namespace migrate::populate {

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
