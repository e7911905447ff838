#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kube/client/leader_election.h"
#include "kube/client/session.h"
#include "migrate/migration/leases.h"

namespace migrate::migration {

/// Keeps Leases by elections, with the client of one thread, which calls Advance and lets the
/// client poll, out of which the others wake it. A holder renews every five seconds; one that could
/// not for 20 may not write any more, and after 30 another one takes its place.
class LeaseKeeper : public Leases {
 public:
  using TimeOfDay = std::function<std::chrono::system_clock::time_point()>;

  /// What `session` refers to must outlive it. `now` is what is written into Leases, for people.
  explicit LeaseKeeper(const kube::client::Session& session,
                       TimeOfDay now = std::chrono::system_clock::now);
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  ~LeaseKeeper() override;

  Number Seek(LeaseRequest request) override;
  LeaseView Look(Number lease) override;
  void LookNow(Number lease) override;
  void GiveBack(Number lease) override;

  // For the thread of the client alone:

  /// To be called several times a second, and after Client::Wake, which the methods above call.
  /// Takes up what is sought, and gives back what is to be given back, for which it waits a few
  /// seconds at most, also what has come meanwhile: a wait uses up a Wake. Throws what Client::Poll
  /// throws.
  void Advance();
  /// Gives all back.
  void End();
  /// Nobody keeps them any more: `why`. What is sought from now on is not available.
  void Break(const std::string& why);

 private:
  struct Kept;
  using KeptMap = std::map<Number, std::unique_ptr<Kept>>;

  std::vector<Kept*> TakeUp();
  void AdvanceOne(Kept& kept);
  std::vector<std::unique_ptr<Kept>> TakeGivenBack(bool all);
  bool Release(bool all);

  const kube::client::Session session_;
  const TimeOfDay now_;
  std::mutex mutex_;  // guards what follows, but for the elections, which are of the one thread
  KeptMap kept_;
  Number last_ = 0;
  std::string broken_because_;  // empty: it is not
};

}  // namespace migrate::migration
