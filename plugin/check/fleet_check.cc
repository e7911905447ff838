#include "plugin/check/fleet_check.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "kube/base/error.h"
#include "kube/config/kubeconfig.h"
#include "kube/http/curl_transport.h"
#include "kube/system/clock.h"
#include "kube/system/environment.h"
#include "migrate/lists/worker_pool.h"
#include "plugin/access/run_facts.h"
#include "plugin/access/stop_signal.h"
#include "plugin/check/check_output.h"
#include "plugin/check/check_run.h"
#include "plugin/fleet/context_choice.h"
#include "plugin/fleet/fleet_console.h"
#include "plugin/fleet/side_by_side.h"
#include "plugin/terminal/output.h"

namespace plugin::check {
namespace {

using migrate::report::FleetCluster;
using migrate::report::FleetReport;

constexpr int kErrorExitCode = 2;

/// One run of CheckFleet.
class FleetCheck {
 public:
  FleetCheck(const CheckOptions& options, const std::vector<std::string>& contexts,
             const kube::config::Kubeconfig& kubeconfig)
      : options_(options),
        kubeconfig_(kubeconfig),
        parallel_(std::min(static_cast<std::size_t>(options.fleet.parallel), contexts.size())),
        console_(contexts.size(), terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock_) {
    for (const std::string& context : contexts) report_.clusters.push_back({.name = context});
  }

  FleetReport Run() {
    fleet::RunSideBySide(report_.clusters.size(), parallel_,
                         [this](std::size_t i) { Check(report_.clusters[i]); });
    report_.differences = migrate::report::FindDifferences(report_.clusters);
    // One that the selector leaves out is not missing.
    if (!options_.crd_selector.empty()) migrate::report::ForgetMissing(report_.differences);
    report_.run = access::LocalFactsAt(access::TimeOfDay());
    return std::move(report_);
  }

 private:
  void Check(FleetCluster& cluster) {
    try {
      if (access::StopFlag()) throw kube::base::Error("interrupted");
      const std::string why = fleet::WhyNowhere(cluster.name, kubeconfig_);
      if (!why.empty()) throw kube::base::Error(why);
      cluster.check = CheckCluster(OptionsOf(cluster), SurroundingsOf(cluster));
      cluster.exit_code = ExitCode(cluster.check, options_);
    } catch (const std::exception& error) {
      cluster.error = error.what();
      cluster.is_interrupted = access::StopFlag();
      cluster.exit_code = kErrorExitCode;
    }
    console_.End(cluster.name);
  }

  CheckOptions OptionsOf(const FleetCluster& cluster) const {
    CheckOptions options = options_;
    options.common.connection.context = cluster.name;
    return options;
  }

  // The cores are for all of them: more threads would only take memory.
  CheckSurroundings SurroundingsOf(FleetCluster& cluster) {
    const std::string& name = cluster.name;
    return {.write_line = [this, name](const std::string& line) { console_.WriteLine(name, line); },
            .on_progress = [this, name](const std::string& what,
                                        const auto& counts) { console_.Show(name, what, counts); },
            .on_schemas =
                [&cluster](const std::string& crd, const migrate::report::CrdSchemas& schemas) {
                  cluster.schemas[crd] = schemas;
                },
            .workers = std::max<std::size_t>(migrate::lists::WorkerCount() / parallel_, 1)};
  }

  const CheckOptions& options_;
  const kube::config::Kubeconfig& kubeconfig_;
  const std::size_t parallel_;
  const kube::system::SystemClock clock_;
  fleet::FleetConsole console_;
  FleetReport report_;
};

}  // namespace

FleetReport CheckFleet(const CheckOptions& options) {
  const kube::config::Kubeconfig kubeconfig = kube::config::LoadKubeconfig(
      options.common.connection.kubeconfig, kube::system::ProcessEnvironment());
  const std::vector<std::string> contexts =
      fleet::ChooseContexts(fleet::ReadPatterns(options.fleet.contexts), kubeconfig);
  kube::http::CurlTransport::PrepareForThreads();
  access::CatchStopSignals();
  return FleetCheck(options, contexts, kubeconfig).Run();
}

}  // namespace plugin::check
