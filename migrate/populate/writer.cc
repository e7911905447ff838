#include "migrate/populate/writer.h"

#include <algorithm>
#include <utility>

#include "migrate/cluster/pause.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::populate {

Writer::Writer(const PopulationOptions& options, const kube::client::Session& session,
               OnDone on_done, std::function<void()> on_tick)
    : session_(session),
      on_done_(std::move(on_done)),
      on_tick_(std::move(on_tick)),
      pool_(rewrite::Throttle(options.concurrency, options.max_rate), options.on_line, session,
            options.answer_limit) {}

void Writer::Begin(std::unique_ptr<rewrite::Exchange> exchange) {
  while (!session_.is_stopped() && !pool_.HasRoom()) Step(/*waits=*/true);
  if (session_.is_stopped()) return;
  pool_.Begin(std::move(exchange));
  Step(/*waits=*/false);
}

void Writer::Finish() {
  while (!pool_.is_idle()) Step(/*waits=*/true);
  on_tick_();
}

void Writer::Step(bool waits) {
  if (waits) session_.Poll(std::min(session_.clock.Now() + cluster::kTick, pool_.next_event()));
  pool_.TakeAnswers(on_done_);
  session_.is_stopped() ? pool_.Stop() : pool_.SendDue();
  if (session_.clock.Now() < ticked_ + cluster::kTick) return;
  ticked_ = session_.clock.Now();
  on_tick_();
}

}  // namespace migrate::populate
