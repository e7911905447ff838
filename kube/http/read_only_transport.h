#pragma once

#include "kube/http/transport.h"

namespace kube::http {

/// A transport that cannot change anything: it hands on GET, the POST of a SelfSubjectAccessReview
/// (which stores nothing), and any request whose query says dryRun=All.
///
/// Start throws kube::base::Error for every other request, which is not sent. `transport` must
/// outlive it.
class ReadOnlyTransport : public Transport {
 public:
  explicit ReadOnlyTransport(Transport& transport) : transport_(transport) {}

  RequestId Start(HttpRequest request, system::Clock::Duration timeout,
                  ResponseSink& sink) override;
  void Cancel(RequestId id) override { transport_.Cancel(id); }
  void Poll(system::Clock::TimePoint deadline) override { transport_.Poll(deadline); }
  void Wake() override { transport_.Wake(); }

 private:
  Transport& transport_;
};

}  // namespace kube::http
