#include "migrate/sweep/write/pace_read.h"

#include <algorithm>

#include "migrate/sweep/write/sweep_paths.h"

namespace migrate::sweep::write {
namespace {

// Far above any metadata.
constexpr std::size_t kMostKept = 64 * 1024;

// An answer that costs the server what one with an object does: also of one that is gone. Who may
// not read is told so before anything is read.
bool IsUsual(const std::optional<kube::client::CallError>& error) {
  return !error || (error->status && error->status->code == 404);
}

}  // namespace

PaceRead::PaceRead(Pace& pace, const kube::client::Session& session)
    : GatheredCall(session.client, kMostKept), pace_(pace), session_(session) {
  read_.accept = kMetadataAccept;
  read_.retry = false;
}

void PaceRead::SetObject(std::string_view target) {
  read_.target = target.substr(0, target.find('?'));
}

void PaceRead::SendDue() {
  const auto now = session_.clock.Now();
  pace_.OnTime(now);
  if (pace_.next_read() > now) return;
  Cancel();  // of a look that was given up
  sent_at_ = now;
  Start(read_);
  pace_.OnReadSent();
}

kube::system::Clock::TimePoint PaceRead::next_event() const {
  return std::min(pace_.next_read(), pace_.look_end());
}

void PaceRead::OnDone() {
  const auto now = session_.clock.Now();
  IsUsual(error()) ? pace_.OnRead(sent_at_, now) : pace_.OnReadLost(now);
}

}  // namespace migrate::sweep::write
