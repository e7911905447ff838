#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace migrate::migration
