#pragma once

#include <utility>

#include "migrate/migration/lease_keeper.h"
#include "tests/kube/lease/election_world.h"

namespace migrate::migration::lease_test {

inline std::chrono::system_clock::time_point Midnight() {
  return kube::client::lease_test::kMidnight;
}

/// Keeps Leases on the thread and with the client of the test: when it is asked for them.
class InlineLeases : public Leases {
 public:
  explicit InlineLeases(const kube::client::Session& session) : keeper_(session, Midnight) {}

  Number Seek(LeaseRequest request) override { return keeper_.Seek(std::move(request)); }
  LeaseView Look(Number lease) override {
    keeper_.Advance();
    return keeper_.Look(lease);
  }
  void GiveBack(Number lease) override {
    keeper_.GiveBack(lease);
    keeper_.Advance();
  }

 private:
  LeaseKeeper keeper_;
};

}  // namespace migrate::migration::lease_test
