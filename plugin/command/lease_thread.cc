#include "plugin/command/lease_thread.h"

#include <cstdint>
#include <exception>
#include <random>

#include "kube/base/environment.h"
#include "migrate/cluster/pause.h"

namespace plugin::command {
namespace {

std::uint64_t ChanceNumber() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

}  // namespace

migrate::migration::Holder OwnHolder() {
  return {.user = kube::base::UserName(kube::base::ProcessEnvironment()),
          .host = kube::base::HostName(),
          .process = kube::base::ProcessNumber(),
          .number = ChanceNumber()};
}

// Its requests and warnings are those of the run once more, which tells them.
LeaseThread::LeaseThread(const ClusterAccess& run, const cli::CommonOptions& options,
                         const kube::base::Clock& clock)
    : cluster_(run, options, [](const std::string&) {}),
      clock_(clock),
      keeper_(cluster_.session()),
      thread_([this] { Run(); }) {}

LeaseThread::~LeaseThread() {
  is_over_ = true;
  cluster_.client().Wake();
  thread_.join();
}

void LeaseThread::Run() noexcept {
  try {
    kube::client::Client& client = cluster_.client();
    for (;;) {
      keeper_.Advance();  // may wait for a server, and what woke it meanwhile will not wake Poll
      if (is_over_) break;
      client.Poll(clock_.Now() + migrate::cluster::kTick);
    }
    keeper_.End();
  } catch (const std::exception& error) {
    keeper_.Break(error.what());
  }
}

}  // namespace plugin::command
