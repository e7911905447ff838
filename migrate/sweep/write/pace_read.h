#pragma once

#include <string_view>

#include "kube/client/gathered_call.h"
#include "kube/client/session.h"
#include "kube/system/clock.h"
#include "migrate/sweep/write/pace.h"

namespace migrate::sweep::write {

/// Sends the reads by which a Pace sees what others take, one at a time: of the object whose write
/// was answered last, so that no conversion webhook has to be asked, and its metadata alone, so
/// that it does not matter how large it is.
class PaceRead : private kube::client::GatheredCall {
 public:
  /// Both must outlive it.
  PaceRead(Pace& pace, const kube::client::Session& session);

  /// As Pace::OnDone, of the object that is read next: `target` is that of its last request.
  void OnObject(std::string_view target, kube::system::Clock::TimePoint begun,
                kube::system::Clock::TimePoint now, std::size_t in_flight);
  /// Sends the read that is due; ends a look that takes too long. To be called in each round.
  void SendDue();
  /// When time alone makes something due.
  kube::system::Clock::TimePoint next_event() const;

 private:
  void OnDone() override;

  Pace& pace_;
  const kube::client::Session& session_;
  kube::client::ApiRequest read_;
};

}  // namespace migrate::sweep::write
