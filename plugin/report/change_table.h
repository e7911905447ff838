#pragma once

#include <string>
#include <string_view>

#include "migrate/report/check_report.h"
#include "plugin/report/table.h"

namespace plugin::report {

/// Appends what the proposal `crd` changes that may break somebody: how much of it touches objects,
/// and a table. Those that touch most objects come first, those of which nobody can tell before
/// those that touch none. `all`: every change, harmless ones as well; else the first. Appends
/// nothing where nothing may break. `title` is printable.
void AppendChangeTable(std::string& out, std::string_view title,
                       const migrate::report::CrdReport& crd, bool all, const Screen& screen = {});

/// What changes, in words: `enum: ["Legacy"] removed`, "maximum: none -> <= 10".
std::string ChangeWords(const migrate::report::ChangeUse& change);

}  // namespace plugin::report
