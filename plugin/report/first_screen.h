#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"
#include "plugin/report/check_table.h"

/// What a check says first to a person at a terminal: the answer, where to begin, and the CRDs that
/// need something. Whatever the cluster holds, it fits a screen.
namespace plugin::report {

inline constexpr std::size_t kFirstScreenLines = 40;

/// How many lines of a terminal `text` takes; its colours take no room.
std::size_t LinesOn(std::string_view text, std::size_t width);

/// At most kFirstScreenLines lines of options.screen.width characters each, in this order:
///  - what could not be read, and the answer in one sentence;
///  - the CRD of which most can be lost or that blocks most, with the commands that show it, or the
///    first steps of the plan;
///  - a table of the CRDs that need something, in the same order, as many as there is room for;
///  - how many need nothing, the first notes, and where the details are.
/// A CRD needs nothing if it is no finding (IsFinding) and is quiet (terminal::IsQuiet), but for
/// what etcd may still hold, which is a note. A command is whole, or not there.
std::string PrintFirstScreen(const migrate::report::CheckReport& report,
                             const CheckTableOptions& options);

/// The same of several clusters; each row names its own.
std::string PrintFirstScreen(const migrate::report::FleetReport& report,
                             const CheckTableOptions& options);

/// What it begins with: what could not be read, and the answer, without its full stop. A page opens
/// with that, too.
std::string AnswerOf(const migrate::report::CheckReport& report);
std::string AnswerOf(const migrate::report::FleetReport& report);

}  // namespace plugin::report
