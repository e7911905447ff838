#include "migrate/sweep/write/pace_read.h"

#include <algorithm>

#include "migrate/sweep/write/sweep_paths.h"

namespace migrate::sweep::write {
namespace {

// An answer that costs the server what one with an object does: also of one that is gone. Who may
// not read is told so before anything is read.
bool IsUsual(const std::optional<kube::client::CallError>& error) {
  return !error || (error->status && error->status->code == 404);
}

}  // namespace

PaceRead::PaceRead(Pace& pace, const kube::client::Session& session)
    : GatheredCall(session.client, 0), pace_(pace), session_(session) {
  read_.accept = kMetadataAccept;
  read_.retry = false;
}

void PaceRead::OnObject(std::string_view target, kube::system::Clock::TimePoint begun,
                        kube::system::Clock::TimePoint now, std::size_t in_flight) {
  read_.target = target.substr(0, target.find('?'));
  pace_.OnDone(begun, now, in_flight);
}

void PaceRead::SendDue() {
  const auto now = session_.clock.Now();
  pace_.OnTime(now);
  if (pace_.next_read() > now) return;
  Start(read_);  // an earlier one, of a look that was given up, is cancelled
  pace_.OnReadSent(now);
}

kube::system::Clock::TimePoint PaceRead::next_event() const {
  return std::min(pace_.next_read(), pace_.look_end());
}

void PaceRead::OnDone() {
  const auto now = session_.clock.Now();
  IsUsual(error()) ? pace_.OnRead(now) : pace_.OnReadLost(now);
}

}  // namespace migrate::sweep::write
