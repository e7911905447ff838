#pragma once

#include <string>

#include "migrate/rewrite/sweep.h"

namespace plugin::terminal {

/// A sweep as a line on a terminal:
/// "widgets.demo.example.com  [==========>    ] 1432/2000  71%  1150/s  ETA 1s  rewritten 1340,
/// unchanged 92". `rate` is objects a second, the ETA that of all passes; what is not known is left
/// out.
std::string SweepLine(const std::string& what, const migrate::rewrite::SweepProgress& progress,
                      double rate);

/// The same as a line of a log: "widgets.demo.example.com: 1432 of 2000 objects, 1150/s, ETA 1s:
/// rewritten 1340, unchanged 92".
std::string SweepText(const std::string& what, const migrate::rewrite::SweepProgress& progress,
                      double rate);

/// How many objects have ended in a class; of objects that are only read, how many were.
std::uint64_t DoneOf(const migrate::rewrite::SweepProgress& progress);

/// "rewritten 1340, unchanged 92": the classes that objects are in, "," between them.
std::string ClassesText(const migrate::report::ClassCounts& counts);

}  // namespace plugin::terminal
