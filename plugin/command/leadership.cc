#include "plugin/command/leadership.h"

#include <cstdint>
#include <random>
#include <utility>

#include "kube/base/environment.h"
#include "migrate/cluster/pause.h"
#include "plugin/command/stop_signal.h"

namespace plugin::command {
namespace {

constexpr char kLeaseName[] = "kubectl-prune-populate";

// Two programs of one machine are two candidates.
std::string Identity() {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return kube::base::HostName() + "_" + std::to_string(number);
}

kube::client::LeaderElectionOptions OptionsOf(const std::string& lease_namespace) {
  return {.namespace_ = lease_namespace, .name = kLeaseName, .identity = Identity()};
}

}  // namespace

Leadership::Leadership(const cli::CommonOptions& options, const std::string& lease_namespace,
                       const kube::base::Clock& clock, TellFunction tell)
    : cluster_(options, ClusterAccess::Right::kWrite, clock, tell),
      clock_(clock),
      election_(OptionsOf(lease_namespace), cluster_.session(), std::move(tell)),
      thread_([this] { Run(); }) {}

Leadership::~Leadership() { End(); }

void Leadership::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

bool Leadership::leads() {
  const bool leads = clock_.Now() < leads_until_.load();
  if (!leads) halt_ = true;
  return leads;
}

void Leadership::Halt() {
  leads_until_ = kube::base::Clock::TimePoint::min();
  halt_ = true;
}

// A program that is to end goes on to lead until what it does as the leader has ended.
void Leadership::Run() noexcept {
  try {
    kube::client::Client& client = cluster_.client();
    while (!is_over_) {
      election_.Advance();
      client.Poll(clock_.Now() + migrate::cluster::kTick);
      leads_until_ = election_.leader_until();
      halt_ = !leads() || StopFlag();
    }
    Halt();
    election_.Release();
  } catch (...) {
    Halt();
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

}  // namespace plugin::command
