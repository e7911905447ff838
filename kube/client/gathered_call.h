#pragma once

#include <optional>
#include <string>

#include "kube/client/client.h"

namespace kube::client {

/// One call whose answer is kept in memory. May be started again once it is done; it is cancelled
/// where it ends early. Of an answer that broke off nothing is kept, so that it may be sent for
/// again.
class GatheredCall : protected ResultSink {
 public:
  /// `client` must outlive it.
  explicit GatheredCall(Client& client) : client_(client) {}
  GatheredCall(const GatheredCall&) = delete;
  GatheredCall& operator=(const GatheredCall&) = delete;
  ~GatheredCall() override { Cancel(); }

  /// Forgets an earlier answer. As Client::Start.
  void Start(ApiRequest request);
  /// As Client::Cancel; what has come stays.
  void Cancel();

  bool is_under_way() const { return id_.has_value(); }
  /// There is an answer, or an error in its place.
  bool is_done() const { return is_done_; }
  const std::string& body() const { return body_; }
  const std::optional<CallError>& error() const { return error_; }

 protected:
  /// Is called once the call is done, from within Client::Poll.
  virtual void OnDone() {}

 private:
  void OnBytes(std::string_view bytes) override;
  bool BeginAgain() override;
  void OnEnd(const std::optional<CallError>& error) override;

  Client& client_;
  std::optional<Client::CallId> id_;
  std::string body_;
  std::optional<CallError> error_;
  bool is_done_ = false;
};

}  // namespace kube::client
