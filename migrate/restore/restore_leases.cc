#include "migrate/restore/restore_leases.h"

namespace migrate::restore {

// What another run has changed meanwhile is found where the CRD is looked at ahead of the first
// write; objects are read one by one.
std::string RestoreLeases::Take(const std::string& crd_name, const std::string& crd_uid) {
  if (options_.leases == nullptr) return "";
  const auto tell = [this, crd_name](const std::string& line) {
    session_.observer.OnLine(crd_name + ": " + line);
  };
  taken_.push_back(std::make_unique<migration::CrdLease>(
      *options_.leases, migration::RequestOf(options_, crd_name, crd_uid, {}), options_.wait,
      session_, tell));
  const migration::LeaseStart start = taken_.back()->Take();
  if (start.step == migration::LeaseStart::Step::kHeld) return start.message;
  if (start.step == migration::LeaseStart::Step::kUnknown) {
    session_.observer.OnLine("Warning: " + crd_name + ": " + start.message);
  }
  return "";
}

std::optional<std::string> RestoreLeases::CheckLease() {
  for (const auto& lease : taken_) {
    if (auto loss = lease->CheckLease()) return loss;
  }
  return std::nullopt;
}

}  // namespace migrate::restore
