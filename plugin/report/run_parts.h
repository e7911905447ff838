#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "plugin/report/page.h"

/// What the pages of commands that write have in common.
namespace plugin::report {

Tone ToneOfOutcome(migrate::report::Outcome outcome);
Result ResultOfOutcome(migrate::report::Outcome outcome);

/// Of a page: good where all of it is.
Tone WorstOf(const std::vector<Section>& sections);

/// A segment for each class that has objects; `tone_of(class)`.
template <typename Class, std::size_t kClasses, typename ToneOfClass>
Bar BarOf(const migrate::report::CountsBy<Class, kClasses>& counts, ToneOfClass tone_of) {
  Bar bar{counts.Total()};
  std::uint64_t from = 0;
  counts.ForEach([&](Class c, std::uint64_t count) {
    bar.segments.push_back({std::string(ClassName(c)), from, count, tone_of(c)});
    from += count;
  });
  return bar;
}

/// How many CRDs and objects there are, and how many of these of each class.
template <typename Class, std::size_t kClasses, typename ToneOfClass>
std::vector<Tally> TalliesOf(std::uint64_t crds,
                             const migrate::report::CountsBy<Class, kClasses>& counts,
                             ToneOfClass tone_of) {
  std::vector<Tally> tallies = {{crds == 1 ? "CRD" : "CRDs", crds},
                                {counts.Total() == 1 ? "object" : "objects", counts.Total()}};
  counts.ForEach([&](Class c, std::uint64_t count) {
    tallies.push_back({std::string(ClassName(c)), count, tone_of(c)});
  });
  return tallies;
}

}  // namespace plugin::report
