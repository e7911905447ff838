#include "migrate/report/migration_time.h"

#include <algorithm>
#include <cmath>

namespace migrate::report {
namespace {

// A write that changes something takes 1.8 times as long as one that changes nothing, as those that
// verify.
constexpr double kChanging = 1.8;
// With many objects more than one is in flight (ConcurrencySearch), which is so much faster.
constexpr std::uint64_t kMany = 200;
constexpr double kGainOfMany = 1.7;
// After pruning is on, kNoticed and nearly always no more, beside reads: each round reads a few
// objects.
constexpr double kWaitSeconds = 5;
constexpr std::uint64_t kRounds = 5, kReadInRound = 5;
// What a read takes of what a write does.
constexpr double kReading = 1.0 / 7;

}  // namespace

double SecondsOfWrites(const MigrationPasses& passes, const WriteCost& cost) {
  const double gain = passes.objects < kMany || passes.one_at_a_time ? 1 : kGainOfMany;
  const double slowest =
      passes.max_rate > 0 ? static_cast<double>(passes.objects) / passes.max_rate : 0;
  const double once = cost.SecondsFor(passes.objects, passes.bytes) / gain;
  const double verifying = std::max(slowest, once);
  const double rewriting = std::max(slowest, kChanging * once);
  const double pass = rewriting + (passes.verifies ? verifying : 0);
  return pass + (passes.rewrites_before ? rewriting + verifying : 0);
}

double SecondsOfTurningOn(const MigrationPasses& passes, const WriteCost& cost) {
  if (passes.objects == 0) return kWaitSeconds;
  // Both matter where objects are large.
  const double listing = static_cast<double>(passes.bytes) * cost.byte;
  const double each =
      cost.SecondsFor(passes.objects, passes.bytes) / static_cast<double>(passes.objects);
  const std::uint64_t reads = kRounds * std::min(passes.objects, kReadInRound);
  return kWaitSeconds + kReading * (listing + static_cast<double>(reads) * each);
}

std::string DurationText(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  const auto whole = [](double value) {
    return std::to_string(std::max(1L, std::lround(std::ceil(value))));
  };
  if (seconds < 2 * kMinute) return whole(seconds) + " s";
  if (seconds < 2 * kHour) return whole(seconds / kMinute) + " min";
  return whole(seconds / kHour) + " h";
}

}  // namespace migrate::report
