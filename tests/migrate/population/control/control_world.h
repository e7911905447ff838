#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "kube/json/json.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population_control.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
/// What the tests of PopulationControl share.
namespace control_test {

using namespace std::chrono_literals;
using namespace population_test;

inline const std::string kTemplatePath =
    "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/";
inline const std::string kWidgetPath = "/apis/demo.example.com/v1/namespaces/";

inline constexpr char kConfigurationCrd[] = R"({
    "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"namespaceinitializationconfigurations.policy.kubectl-prune.dev"},
    "spec":{"group":"policy.kubectl-prune.dev","scope":"Cluster",
      "names":{"plural":"namespaceinitializationconfigurations",
               "kind":"NamespaceInitializationConfiguration"},
      "versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
        "type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

/// A cluster whose namespaces are kept as templates say, by the hands of its clock.
struct ControlWorld : World {
  ControlWorld() {
    cluster.server.Add(kConfigurationCrd);
    control_options.leads = [this] { return leads; };
    control_options.now = [this] { return time_of_day; };
    control_options.tell = [this](const std::string& line) { lines.push_back(line); };
  }

  void Begin() {
    control_options.population = options;
    kube::client::Session round_session = cluster.session();
    round_session.stop = &halt;
    control = std::make_unique<PopulationControl>(control_options, counts, &known,
                                                  cluster.session(), round_session);
    REQUIRE(control->Begin());
  }
  /// As the program does.
  void Run(kube::base::Clock::Duration time, kube::base::Clock::Duration tick = 100ms) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      if (!control->is_busy()) cluster.client.Poll(std::min(end, cluster.clock.Now() + tick));
      control->Advance();
    }
  }
  /// Until nothing more is to be done; what was asked until then is not told of any more.
  void Settle() {
    Begin();
    Run(3s);
    ForgetRequests();
  }
  void ForgetRequests() { first_request = cluster.server.requests().size(); }

  /// Requests since then that read something, but for watches.
  Names Reads() const {
    Names reads = Requests("GET");
    std::erase_if(reads, [](const auto& line) { return line.find("watch=1") != line.npos; });
    return reads;
  }
  Names Watches() const {
    Names watches = Requests("GET");
    std::erase_if(watches, [](const auto& line) { return line.find("watch=1") == line.npos; });
    return watches;
  }
  void Label(const std::string& namespace_, const std::string& key, const std::string& value) {
    const auto answer =
        Send("PATCH", "/api/v1/namespaces/" + namespace_, "application/merge-patch+json",
             R"({"metadata":{"labels":{")" + key +
                 "\":" + (value.empty() ? "null" : "\"" + value + "\"") + "}}}");
    REQUIRE(answer.status == 200);
  }
  std::string LabelOf(const std::string& namespace_, const std::string& key) const {
    const kube::json::Value* labels =
        cluster.server.Stored("namespaces", namespace_)->Find("metadata")->Find("labels");
    return labels == nullptr ? "" : std::string(labels->FindText(key));
  }

  /// One that selects all namespaces.
  void PutConfiguration(const std::string& name, const std::string& initializer,
                        const std::string& selector = "{}") {
    cluster.server.Add(R"({"apiVersion":"policy.kubectl-prune.dev/v1alpha1",)"
                       R"("kind":"NamespaceInitializationConfiguration","metadata":{"name":")" +
                       name + R"("},"spec":{"namespaces":{"labelSelector":)" + selector +
                       R"(},"initializers":[{"name":")" + initializer + R"("}]}})");
  }

  ControlOptions control_options;
  std::chrono::sys_seconds time_of_day{std::chrono::seconds(1767225600)};  // 2026-01-01T00:00:00Z
  bool leads = true;
  std::atomic<bool> halt = false;
  PopulationCounts counts;
  KnownPopulation known;
  std::unique_ptr<PopulationControl> control;
};

inline std::string ApplyOf(const std::string& namespace_, const std::string& name) {
  return "PATCH " + kWidgetPath + namespace_ + "/widgets/" + name + kManager;
}
inline std::string PatchOfTemplate(const std::string& name, const std::string& part = "") {
  return "PATCH " + kTemplatePath + name + part + kManager;
}
inline std::string LabelPatchOf(const std::string& namespace_) {
  return "PATCH /api/v1/namespaces/" + namespace_ + kManager;
}

}  // namespace control_test
}  // namespace migrate::populate
