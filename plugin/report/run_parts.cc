#include "plugin/report/run_parts.h"

#include <algorithm>

namespace plugin::report {

using migrate::report::Outcome;

Tone ToneOfOutcome(Outcome outcome) {
  if (outcome == Outcome::kDone) return Tone::kGood;
  return outcome == Outcome::kInterrupted ? Tone::kWarning : Tone::kBad;
}

Result ResultOfOutcome(Outcome outcome) {
  if (outcome == Outcome::kDone) return Result::kPassed;
  return outcome == Outcome::kFailures ? Result::kFailed : Result::kError;
}

Tone WorstOf(const std::vector<Section>& sections) {
  Tone worst = Tone::kGood;
  for (const Section& section : sections) worst = std::max(worst, section.tone);
  return worst;
}

}  // namespace plugin::report
