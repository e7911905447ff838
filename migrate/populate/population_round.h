#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/population.h"
#include "migrate/populate/population_state.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/exchange_pool.h"

namespace migrate::populate {

/// Keeps objects on their way to the server, as many as it takes (rewrite::Throttle).
class Writer {
 public:
  using OnDone = rewrite::ExchangePool::OnDone;

  /// `on_done` is told what became of each, `on_tick` several times a second that time passes. All
  /// must outlive it.
  Writer(const PopulationOptions& options, const kube::client::Session& session, OnDone on_done,
         std::function<void()> on_tick);

  /// Waits until there is room. Does nothing where the session is stopped.
  void Begin(std::unique_ptr<rewrite::Exchange> exchange);
  /// Waits until all are done; where the session is stopped, until what is in flight is.
  void Finish();

 private:
  void Step(bool waits);

  const kube::client::Session session_;
  const OnDone on_done_;
  const std::function<void()> on_tick_;
  rewrite::ExchangePool pool_;
  kube::base::Clock::TimePoint ticked_{};
};

/// What a round tells. All may be called at any time while it lasts.
struct RoundNews {
  std::function<void(const std::string& namespace_, const Expansion&)> on_expansion;
  std::function<void(const report::PopulatedObject&)> on_object;
  std::function<void(const std::string& error)> on_error;
  /// True for what is another one by now, as far as whoever calls knows: the namespace, or the
  /// template. It is left to the next round. May be empty: nobody knows.
  std::function<bool(const std::string& namespace_, const std::string& template_name)> is_changed;
  /// How many objects are done, and how many there are so far; several times a second.
  std::function<void(std::size_t done, std::size_t expected)> on_progress;
};

/// Brings these namespaces to what templates say, in this order, as Populate does: those that are
/// being deleted, and those that `state` does not know, are passed over. Afterwards `state` has
/// their outcomes, and knows what was made and deleted; so a round after it lists nothing anew.
///
/// The session being stopped, the outcome of a namespace is that something is left to be done. With
/// PopulationOptions::comes_again a round ends after some seconds: a namespace that it has not come
/// to has no outcome.
void RunRound(const std::vector<std::string>& namespaces, const PopulationOptions& options,
              PopulationState& state, const RoundNews& news, const kube::client::Session& session);

}  // namespace migrate::populate
