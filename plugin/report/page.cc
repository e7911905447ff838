#include "plugin/report/page.h"

#include <algorithm>

namespace plugin::report {

std::vector<Fact> RunFactsOf(const Page& page) {
  std::vector<Fact> facts;
  const auto add = [&facts](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({name, value});
  };
  add("Cluster", page.run.cluster);
  add("Context", page.run.context);
  add("Time", page.run.time);
  add("Version", page.run.version);
  return facts;
}

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
