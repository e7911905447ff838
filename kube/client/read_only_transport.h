#pragma once

#include "kube/client/transport.h"

namespace kube::client {

/// A transport that cannot change anything: it hands on GET, the POST of a SelfSubjectAccessReview
/// (which stores nothing), and any request whose query says dryRun=All.
///
/// Start throws kube::base::Error for every other request, which is not sent. `transport` must
/// outlive it.
class ReadOnlyTransport : public Transport {
 public:
  explicit ReadOnlyTransport(Transport& transport) : transport_(transport) {}

  RequestId Start(HttpRequest request, base::Clock::Duration timeout, ResponseSink& sink) override;
  void Cancel(RequestId id) override { transport_.Cancel(id); }
  void Poll(base::Clock::TimePoint deadline) override { transport_.Poll(deadline); }
  void Wake() override { transport_.Wake(); }

 private:
  Transport& transport_;
};

}  // namespace kube::client
