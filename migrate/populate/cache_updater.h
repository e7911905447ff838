#pragma once

#include "kube/base/clock.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population_watch.h"

namespace migrate::populate {

/// Hands on what a watch shows to those who answer webhooks. For the thread of the watch.
class CacheUpdater {
 public:
  /// `known` may be the null pointer: nobody goes by it. All must outlive it.
  CacheUpdater(KnownPopulation* known, PopulationWatch& watch, const kube::base::Clock& clock)
      : known_(known), watch_(watch), clock_(clock) {}

  /// The watch has read all there is.
  void Begin();
  /// To be called several times a second: all that is new, and whether changes are seen at all.
  void Feed();
  /// Something is new. Not each is handed on by itself, as that costs as much as there is. May be
  /// called from within Client::Poll, so that handlers know while something is waited for.
  void FeedSoon();

 private:
  void HandOn();

  KnownPopulation* const known_;
  PopulationWatch& watch_;
  const kube::base::Clock& clock_;
  bool has_begun_ = false;
  kube::base::Clock::TimePoint fed_at_{};
};

}  // namespace migrate::populate
