#include "kube/client/gathered_call.h"

#include <utility>

namespace kube::client {

void GatheredCall::Start(ApiRequest request) {
  Cancel();
  BeginAgain();
  error_.reset();
  is_done_ = false;
  id_ = client_.Start(std::move(request), *this);
}

void GatheredCall::Cancel() {
  if (id_) client_.Cancel(*id_);
  id_.reset();
}

void GatheredCall::OnBytes(std::string_view bytes) {
  const std::size_t room = most_bytes_ - body_.size();
  is_too_large_ = is_too_large_ || bytes.size() > room;
  body_ += bytes.substr(0, room);
}

bool GatheredCall::BeginAgain() {
  body_.clear();
  is_too_large_ = false;
  return true;
}

void GatheredCall::OnEnd(const std::optional<CallError>& error) {
  id_.reset();
  error_ = error;
  is_done_ = true;
  OnDone();
}

}  // namespace kube::client
