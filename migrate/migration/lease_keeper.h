#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kube/client/leader_election.h"
#include "kube/client/session.h"
#include "migrate/migration/tenure.h"

namespace migrate::migration {

/// A Lease that is wanted.
struct LeaseRequest {
  std::string namespace_, name;
  std::string identity;                     ///< IdentityOf this run
  std::vector<std::string> predecessors{};  ///< LeaderElectionOptions::predecessors
  std::string crd_name{}, crd_uid{};        ///< the CRD with which it goes
};

/// Keeps Leases for those who do other things meanwhile. All methods return at once; of several
/// threads each may call them.
class Leases {
 public:
  using Number = std::uint64_t;

  virtual ~Leases() = default;
  /// Begins to seek it, and goes on until it is given back.
  virtual Number Seek(LeaseRequest request) = 0;
  /// How it stands. By the clock: what is ours becomes doubtful by itself.
  virtual LeaseView Look(Number lease) = 0;
  /// Has it looked at at once, rather than with the next regular look, by one request more: for who
  /// expects that its holder has left. Nothing where it is ours.
  virtual void LookNow(Number lease) = 0;
  /// Whatever only its holder may do has to have ended. No error where it is not held. Not looked
  /// at any more.
  virtual void GiveBack(Number lease) = 0;
};

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
