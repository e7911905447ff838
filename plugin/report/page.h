#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "migrate/report/program_name.h"

namespace plugin::report {

// What a report says to people, whatever the command: what each command found is brought into this
// form once, and each format prints the form. All texts may hold anything that a CRD or an object
// can hold: who prints them makes them harmless.

/// How good something is. In a page a colour, always beside a word.
enum class Tone { kGood, kPlain, kWarning, kBad };

/// What CI is told of a section.
enum class Result { kPassed, kFailed, kError, kSkipped };

struct Fact {
  std::string name, value;
};

/// How many there are of something, for the top of a page.
struct Tally {
  std::string name;
  std::uint64_t count = 0;
  Tone tone = Tone::kPlain;
};

/// A part of a bar: `count` of its objects, from the one numbered `from` on.
struct Segment {
  std::string name;
  std::uint64_t from = 0, count = 0;
  Tone tone = Tone::kPlain;
};

/// Objects of a CRD by what becomes of them. Segments may lie over each other where one object can
/// be in both.
struct Bar {
  std::uint64_t total = 0;          ///< 0: nothing was counted, and there is no bar
  std::vector<Segment> segments{};  ///< a later one is drawn over an earlier one
};

enum class CellKind {
  kText,
  kCode,    ///< as it is written somewhere: a path, a name
  kNumber,  ///< decimal, or empty
  kTime,    ///< RFC 3339 in UTC, or empty
};

struct Column {
  std::string title;
  CellKind kind = CellKind::kText;
  std::string heading{};  ///< on a terminal; empty: it is not shown there
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};  ///< as many cells each as there are columns
};

/// A sentence: a note, an error, the next step.
struct Remark {
  Tone tone = Tone::kPlain;
  std::string text;
};

/// How many fields were written last at a time.
struct LastWrite {
  std::string time;  ///< RFC 3339, UTC
  std::uint64_t fields = 0;
};

/// A command that is to be run, and why.
struct Step {
  std::string title;
  std::string command;   ///< empty where it is done
  std::string reason{};  ///< may be empty
  std::string needs{};   ///< what has to be so before; may be empty
  std::string effect{};  ///< what it changes, and how long that takes; may be empty
};

/// All that is said of one CRD.
struct Section {
  std::string name{};
  std::string verdict{};  ///< a word or two
  Tone tone = Tone::kPlain;
  Result result = Result::kPassed;
  std::string answer{};  ///< a sentence
  Bar bar{};
  std::vector<Fact> facts{};
  std::vector<Remark> remarks{};
  std::vector<LastWrite> last_writes{};  ///< sorted by time
  std::vector<Table> tables{};           ///< without those that have no rows
};

struct Page {
  std::string command{};  ///< "check"
  std::string answer{};   ///< the verdict on all of it, a sentence
  Tone tone = Tone::kPlain;
  migrate::report::RunFacts run{};
  double seconds = 0;  ///< that the run took; 0: not known
  std::vector<Tally> tallies{};
  std::vector<Remark> remarks{};
  std::vector<Step> steps{};
  std::vector<Section> sections{};
};

/// The facts of `page.run` that are known, in words.
std::vector<Fact> RunFactsOf(const Page& page);

// What the pages of commands that write have in common.

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
