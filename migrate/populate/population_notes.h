#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/population.h"
#include "migrate/populate/population_state.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/exchange_pool.h"

namespace migrate::populate {

/// Takes what could not be noted, and whether that is as the template has changed, or is gone.
using NoteErrorFunction = std::function<void(const std::string& error, bool is_changed)>;

/// Says in each template that is not left alone what it has by the outcomes of all namespaces: its
/// ApplySet and its status; in each that is refused, why, as of `now`, RFC 3339; and of one that is
/// only disabled that it is not refused. Nothing is sent for one that says so already. `on_error`
/// takes what could not be noted. False: that is to be done again.
bool NoteInTemplates(PopulationState& state, const TemplateWriter& writer, const std::string& now,
                     const NoteErrorFunction& on_error, const kube::client::Session& session);

/// A write that is sent once, as what it says is not worth another try. No I/O.
class SingleWrite final : public rewrite::Exchange {
 public:
  SingleWrite(std::string about, kube::client::ApiRequest request)
      : about_(std::move(about)), request_(std::move(request)) {}

  kube::client::ApiRequest Request() const override { return request_; }
  Step OnAnswer(std::string_view, const std::optional<kube::client::CallError>& error,
                kube::json::Document&, kube::base::Clock::TimePoint) override;

  /// The name of what it is about.
  const std::string& about() const { return about_; }
  /// Absent: the server has taken it.
  const std::optional<kube::client::CallError>& error() const { return error_; }

 private:
  const std::string about_;
  const kube::client::ApiRequest request_;
  std::optional<kube::client::CallError> error_;
};

/// An Event of a namespace, in it, or of a NamespaceTemplate, which is in none: in `default`, where
/// a server wants such.
struct PopulationEvent {
  enum class About : std::uint8_t { kNamespace, kTemplate };

  About about = About::kNamespace;
  std::string name, uid;
  bool is_warning = false;
  std::string reason;   ///< "Populated"
  std::string message;  ///< cut to what a server takes
};

/// Creates the Event (core/v1), as of `time`, RFC 3339.
kube::client::ApiRequest EventRequest(const PopulationEvent& event, const std::string& time);

/// Sets the label that says that the namespace was populated (kPopulatedLabel), on the
/// one with this uid alone.
kube::client::ApiRequest PopulatedLabelRequest(const std::string& namespace_,
                                               const std::string& uid);

/// Gathers of rounds what is told in each namespace by Events: what was done in one Event, and each
/// problem in one. What is as it was the last time the namespace was looked at is not told again.
class RoundEvents {
 public:
  // What a round tells (RoundNews).
  void HandleExpansion(const std::string& namespace_, const Expansion& expansion);
  void HandleObject(const report::PopulatedObject& object);

  /// Those of the round, by namespace; `uids` are those of the namespaces that were looked at.
  std::vector<PopulationEvent> Take(const std::map<std::string, std::string>& uids);
  /// It is gone.
  void Forget(const std::string& namespace_) { told_.erase(namespace_); }

 private:
  struct Problem {
    std::string reason, text;
    auto operator<=>(const Problem&) const = default;
  };
  struct News {
    std::vector<std::string> applied{}, pruned{};
    std::vector<Problem> problems{};
  };

  std::map<std::string, News> news_;
  std::map<std::string, std::set<std::size_t>> told_;  // hashes of problems
};

/// Says what became of namespaces and templates: of a namespace that it was populated, by a label,
/// and what was done there and has failed, by Events; of a template, by an Event, why it is
/// refused.
class PopulationNotes {
 public:
  struct Options {
    /// Namespaces that have what they are to have get the label, once no initializer is pending or
    /// `is_overdue`.
    bool marks_populated = false;
    std::function<bool(const ClusterNamespace&)> is_overdue{};
    /// Takes a line for people, without a line break.
    std::function<void(const std::string&)> tell{};
    /// Is called several times a second while it waits for the server.
    std::function<void()> on_tick{};
  };

  /// `population` says how fast; it, and what `session` refers to, must outlive it.
  PopulationNotes(Options options, const PopulationOptions& population,
                  const kube::client::Session& session);

  /// Takes what a round tells.
  RoundEvents& events() { return events_; }
  /// Writes what is to be said of these after a round over them, but keeps the Events of what went
  /// well. One whose label cannot be set is unfinished: all that is created there is asked about
  /// until it is.
  void Send(const std::vector<std::string>& namespaces, PopulationState& state);
  /// Since when the oldest of the Events is kept; absent: none is.
  std::optional<kube::base::Clock::TimePoint> kept_since() const { return kept_since_; }
  /// Creates `most` of the Events that were kept, as of the time of their rounds.
  void SendKept(std::size_t most);
  /// Forgets those that are kept.
  void DropKept();
  /// Creates an Event of each template that is refused, for a reason that was not told yet.
  void SendRefusals(const PopulationInput& input);
  void SendEvent(const PopulationEvent& event);

 private:
  using Writes = std::vector<std::unique_ptr<SingleWrite>>;
  using FailureFunction = std::function<void(const std::string& namespace_name)>;

  bool IsToBeMarked(const std::string& name, const PopulationState& state) const;
  void SendEvents(Writes events);
  void SendAll(Writes writes, const std::string& trouble, bool& is_told,
               const FailureFunction& on_failure);

  const Options options_;
  const PopulationOptions& population_;
  const kube::client::Session session_;
  RoundEvents events_;
  Writes kept_;
  std::map<std::string, std::string> told_refusals_;  // by template
  std::optional<kube::base::Clock::TimePoint> kept_since_;
  bool is_label_trouble_told_ = false, is_event_trouble_told_ = false;  // while it lasts
};

}  // namespace migrate::populate
