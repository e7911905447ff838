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

  /// `target` is that of a write which was answered, of the object that is read next. To be called
  /// ahead of each Pace::OnDone.
  void SetObject(std::string_view target);
  /// Sends the read that is due; ends a look that takes too long. To be called in each round.
  void SendDue();
  /// When time alone makes something due.
  kube::system::Clock::TimePoint next_event() const;

 private:
  void OnDone() override;

  Pace& pace_;
  const kube::client::Session& session_;
  kube::client::ApiRequest read_;
  kube::system::Clock::TimePoint sent_at_{};
};

}  // namespace migrate::sweep::write
