#include "plugin/command/fleet_check.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/base/result.h"
#include "kube/client/curl_transport.h"
#include "kube/client/kubeconfig.h"
#include "migrate/cluster/worker_pool.h"
#include "plugin/command/check_output.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/context_choice.h"
#include "plugin/command/fleet_console.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/side_by_side.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/check_report_json.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/pages.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/upgrade_plan.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

migrate::report::CheckReport CheckCluster(
    const CheckOptions& options, const std::function<void(const std::string&)>& write_line) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  auto report = migrate::check::CheckCluster(options.check, cluster.session());
  const report::PlanFiles files = {.filenames = options.check.filenames,
                                   .recursive = options.check.recursive,
                                   .connection = ConnectionWords(options.common.connection)};
  report::UpgradePlan plan = report::FindUpgradePlan(report, files);
  report.steps = std::move(plan.steps);
  report.steps_done = std::move(plan.done);
  WarnOfMissingNamespace(options.check.objects.namespace_, cluster, write_line);
  report.run = cluster.FactsAt(TimeOfDay());
  return report;
}

namespace {

using kube::json::Arena;
using migrate::report::CrdReport;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

// What is handed on to kubectl: a CRD that several clusters have is named once.
std::string PrintCheckedNames(const FleetReport& report) {
  std::set<std::string> names;
  for (const FleetCluster& cluster : report.clusters) {
    for (const CrdReport& crd : cluster.check.crds) names.insert(report::TypedName(crd.name));
  }
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

std::string PrintRemarks(const FleetReport& report, const CheckOptions& options) {
  DeduplicatedMessages remarks;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) remarks.Add(cluster.name, PrintErrors(cluster.check, options));
  }
  return remarks.Print(report.clusters.size());
}

std::string PrintFleetErrors(const FleetReport& report, const CheckOptions& options) {
  std::string err;
  if (!ShowsSections(options)) {
    for (const std::string& line : terminal::LinesOf(report::FleetErrors(report))) {
      err += "error: " + line + "\n";
    }
  }
  return err + PrintRemarks(report, options);
}

}  // namespace

report::Output PrintFleet(const FleetReport& report, const CheckOptions& options,
                          std::chrono::sys_seconds now) {
  const report::ReportForms forms = {
      .json =
          [&](Arena& arena) { return report::ToJson(report, options.check.show_objects, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return PrintCheckedNames(report); },
      .table = [&] { return PrintTable(report, options, now); }};
  return {.out = report::PrintForm(forms, options.output, options.output_template),
          .err = PrintFleetErrors(report, options),
          .exit_code = WorstExitCode(report.clusters)};
}

namespace {

/// One run of CheckFleet.
class FleetCheck {
 public:
  FleetCheck(const CheckOptions& options, const std::vector<std::string>& contexts,
             const kube::client::Kubeconfig& kubeconfig)
      : options_(options),
        kubeconfig_(kubeconfig),
        parallel_(std::min(static_cast<std::size_t>(options.fleet.parallel), contexts.size())),
        console_(contexts.size(), terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock_) {
    for (const std::string& context : contexts) report_.clusters.push_back({.name = context});
  }

  FleetReport Run() {
    RunSideBySide(report_.clusters.size(), parallel_,
                  [this](std::size_t i) { Check(report_.clusters[i]); });
    report_.differences = migrate::report::FindDifferences(report_.clusters);
    // One that the selector leaves out is not missing.
    if (!options_.check.crd_selector.empty()) migrate::report::ForgetMissing(report_.differences);
    report_.run = LocalFactsAt(TimeOfDay());
    return std::move(report_);
  }

 private:
  void Check(FleetCluster& cluster) {
    try {
      if (StopFlag()) throw kube::base::Error("interrupted");
      const std::string why = WhyNowhere(cluster.name, kubeconfig_);
      if (!why.empty()) throw kube::base::Error(why);
      cluster.check = CheckCluster(OptionsOf(cluster), [&](const std::string& line) {
        console_.WriteLine(cluster.name, line);
      });
      cluster.exit_code = ExitCode(cluster.check, options_);
    } catch (const std::exception& error) {
      cluster.error = error.what();
      cluster.is_interrupted = StopFlag();
      cluster.exit_code = kFailedExitCode;
    }
    console_.End(cluster.name);
  }

  CheckOptions OptionsOf(FleetCluster& cluster) {
    CheckOptions options = options_;
    options.common.connection.context = cluster.name;
    options.check.on_progress = [this, &cluster](const std::string& what, const auto& counts) {
      console_.Show(cluster.name, what, counts);
    };
    options.check.on_schemas = [&cluster](const std::string& crd,
                                          const migrate::report::CrdSchemas& schemas) {
      cluster.schemas[crd] = schemas;
    };
    // The cores are for all of them: more threads would only take memory.
    options.check.workers = std::max<std::size_t>(migrate::cluster::WorkerCount() / parallel_, 1);
    return options;
  }

  const CheckOptions& options_;
  const kube::client::Kubeconfig& kubeconfig_;
  const std::size_t parallel_;
  const kube::base::SystemClock clock_;
  FleetConsole console_;
  FleetReport report_;
};

}  // namespace

FleetReport CheckFleet(const CheckOptions& options) {
  const kube::client::Kubeconfig kubeconfig = kube::client::LoadKubeconfig(
      options.common.connection.kubeconfig, kube::base::ProcessEnvironment());
  const std::vector<std::string> contexts =
      ChooseContexts(ReadPatterns(options.fleet.contexts), kubeconfig);
  kube::client::CurlTransport::PrepareForThreads();
  CatchStopSignals();
  return FleetCheck(options, contexts, kubeconfig).Run();
}

}  // namespace plugin::command
