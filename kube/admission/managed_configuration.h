#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/admission/configuration.h"
#include "kube/admission/handler.h"
#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/client/client.h"

namespace kube::admission {

/// What became of a configuration in the cluster.
enum class ConfigurationChange : std::uint8_t {
  kNone,       ///< there was nothing to do
  kCreated,    ///< it was not there
  kReplaced,   ///< its webhooks of ours are those of the handlers now
  kPutBack,    ///< they are so again: what an earlier call had made was taken away
  kLedBack,    ///< they are so again: what an earlier call had made led somewhere else
  kTakenAway,  ///< some of them, or all, are there no more
};

/// Why it could not be brought to what it should be.
struct ConfigurationProblem {
  enum class Kind : std::uint8_t {
    kForbidden,  ///< a right is missing: no use to try again
    kContended,  ///< somebody else changed it each time
    kOther,      ///< invalid, no answer, ...
  };
  Kind kind;
  std::string message;  ///< for people, with the next step where it is known
};

/// One configuration object that a program keeps for itself while it runs. Several programs, and
/// people, may share it: webhooks whose name ends in ".NAME" are ours, all others stay as they are
/// and in their order, behind them come ours.
///
/// Needs the verbs get, create and patch; where no handler is of the kind, and none was, get. The
/// object is never deleted: at the end it has an empty list of webhooks, which the API server takes
/// and asks nobody by.
///
/// For one thread; its calls wait for the cluster.
class ManagedConfiguration {
 public:
  /// `client` must outlive it.
  ManagedConfiguration(client::Client& client, ConfigurationKind kind, std::string name)
      : client_(client), kind_(kind), name_(std::move(name)) {}

  /// Makes the webhooks of ours those of the handlers. Creates the object if it is absent, unless
  /// there is no handler of the kind. Only reads it where it is as an earlier call has left it.
  base::Result<ConfigurationChange, ConfigurationProblem> Apply(const Handlers& handlers,
                                                                const Reach& reach);
  /// At the end: removes the webhooks of ours but for those of persistent handlers, and those that
  /// lead somewhere else than what Apply has made: another program keeps them by now. What stays
  /// stays as it is. kNone: all of it. Works also when the client has been told to stop, within
  /// `grace`.
  base::Result<ConfigurationChange, ConfigurationProblem> Withdraw(
      const Handlers& handlers, base::Clock::Duration grace = std::chrono::seconds(10));

  /// As `kubectl delete` takes it, before the name:
  /// "validatingwebhookconfigurations.admissionregistration.k8s.io".
  std::string ResourceName() const;
  /// True if the last Apply that did not fail has made webhooks.
  bool has_webhooks() const { return made_ && !made_->names.empty(); }

 private:
  struct Made {
    std::string webhooks;  // as text
    std::vector<std::string> names;
    Reach reach;
    std::string resource_version;
  };
  using Outcome = base::Result<ConfigurationChange, ConfigurationProblem>;
  /// The webhooks of ours, of those that the object has now. Borrows from the arena and from these.
  using OurWebhooks = std::function<json::Value(const json::Value& existing, json::Arena&)>;

  Outcome Bring(const OurWebhooks& ours, Made* made);
  static ConfigurationChange RepairOf(const Made& made, const json::Value& object);
  bool HasNoneToTakeAway(const json::Value& object, const OurWebhooks& ours) const;
  client::DocumentResult Read();
  client::DocumentResult Create(const OurWebhooks& ours);
  client::DocumentResult Replace(const json::Value& object, const OurWebhooks& ours);
  client::DocumentResult Send(std::string method, const std::string& name, std::string content_type,
                              std::string body);
  ConfigurationProblem ProblemOf(std::string_view verb, const client::CallError& error) const;

  client::Client& client_;
  ConfigurationKind kind_;
  std::string name_;
  std::string version_ = "v1";  // v1beta1 once the server has turned out not to have it
  base::Clock::Duration grace_{};
  std::optional<Made> made_;  // by the last Apply that did not fail; absent: there was none
};

}  // namespace kube::admission
