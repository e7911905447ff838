#include "migrate/pager.h"

#include <utility>

namespace migrate {
namespace {

constexpr int kMostFailures = 5;
constexpr int kMostRestarts = 3;

bool BrokeOff(const kube::CallError& error) {
  return error.transport && error.transport->kind == kube::TransportError::Kind::kConnectionLost;
}

}  // namespace

Pager::Step Pager::OnPage(std::string continue_token) {
  failures_ = 0;
  pause_ = std::chrono::seconds(0);
  is_pinned_ = true;
  page_ = {std::move(continue_token), 0};
  return page_.continue_token.empty() ? Step::kDone : Step::kRead;
}

Pager::Step Pager::OnError(const kube::CallError& error, std::uint64_t items) {
  if (++failures_ > kMostFailures) return Step::kFailed;
  pause_ = std::chrono::seconds(failures_ - 1);
  if (error.status && error.status->IsExpired()) {
    // Without a token in the request there is nothing to expire.
    if (page_.continue_token.empty()) return Step::kFailed;
    if (error.status->continue_token.empty()) return Restart();
    page_ = {error.status->continue_token, 0};
    is_pinned_ = false;
    return Step::kRead;
  }
  return BrokeOff(error) ? ReadAgain(items) : Step::kFailed;
}

Pager::Step Pager::Restart() {
  if (++restarts_ > kMostRestarts) return Step::kFailed;
  page_ = {};
  is_pinned_ = false;
  return Step::kRestart;
}

Pager::Step Pager::ReadAgain(std::uint64_t items) {
  if (items > 0 && !is_pinned_) return Restart();
  page_.skip = items;
  return Step::kRead;
}

}  // namespace migrate
