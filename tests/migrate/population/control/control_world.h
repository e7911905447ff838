#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "kube/json/json.h"
#include "migrate/populate/webhooks/known_population.h"
#include "migrate/population/control/population_control.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::population::control {
/// What the tests of PopulationControl share.
namespace control_test {

using namespace std::chrono_literals;
using namespace population_test;

inline const std::string kTemplatePath =
    "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/";
inline const std::string kWidgetPath = "/apis/demo.example.com/v1/namespaces/";

/// A cluster whose namespaces are kept as templates say, by the hands of its clock.
struct ControlWorld : World {
  ControlWorld() {
    control_options.leads = [this] { return leads; };
    control_options.tell = [this](const std::string& line) { lines.push_back(line); };
    control_options.time_of_day = [] { return "2026-01-01T00:00:00Z"; };
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
  void Run(kube::system::Clock::Duration time, kube::system::Clock::Duration tick = 100ms) {
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
  /// Namespace, reason and message of the Events since then: "a Populated: applied ...".
  Names Events() const {
    Names texts;
    const auto& all = cluster.server.requests();
    for (std::size_t i = first_request; i < all.size(); ++i) {
      if (all[i].target.find("/events?") == std::string::npos) continue;
      kube::json::Document event;
      REQUIRE_FALSE(event.Parse(all[i].body));
      const kube::json::Value& root = event.root();
      texts.push_back(std::string(root.Find("metadata")->FindText("namespace"))
                          .append(" ")
                          .append(root.FindText("reason"))
                          .append(": ")
                          .append(root.FindText("message")));
    }
    return texts;
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

  ControlOptions control_options;
  bool leads = true;
  std::atomic<bool> halt = false;
  PopulationCounts counts;
  populate::webhooks::KnownPopulation known;
  std::unique_ptr<PopulationControl> control;
};

inline std::string ApplyOf(const std::string& namespace_, const std::string& name) {
  return "PATCH " + kWidgetPath + namespace_ + "/widgets/" + name + kManager;
}
inline std::string PatchOfTemplate(const std::string& name, const std::string& part = "") {
  return "PATCH " + kTemplatePath + name + part + kManager;
}
inline std::string EventIn(const std::string& namespace_) {
  return "POST /api/v1/namespaces/" + namespace_ + "/events" + kManager;
}
inline std::string LabelPatchOf(const std::string& namespace_) {
  return "PATCH /api/v1/namespaces/" + namespace_ + kManager;
}

}  // namespace control_test
}  // namespace migrate::population::control
