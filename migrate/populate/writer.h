#pragma once

#include <functional>
#include <memory>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/populate/population.h"
#include "migrate/rewrite/exchange.h"
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

}  // namespace migrate::populate
