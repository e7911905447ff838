#pragma once

#include <string>
#include <string_view>

#include "migrate/report/check_report.h"
#include "migrate/report/migration_report.h"

/// The words that tables and reports have in common.
namespace plugin::terminal {

/// As the report spells it, e.g. "loses-fields".
std::string_view VerdictName(migrate::report::Verdict verdict);

/// What a line of a dry run ends in, as kubectl's: " (dry run)", " (server dry run)"; empty of any
/// other run.
std::string_view DryRunSuffix(migrate::report::DryRun dry_run);

/// `what` as kubectl tells an error: after "error: ", but the server's own words and why it cannot
/// be reached bare (kubectl pkg/cmd/util/helpers.go).
std::string ErrorText(const std::string& what);

/// The file of a report as a command is to name it: FILE in the place of the standard input, which
/// is read already.
std::string FileArgument(const std::string& source);

/// `text` as one word of a shell: in single quotes where it has to be.
std::string ShellWord(const std::string& text);

/// True where there is nothing to tell about `crd` but that it prunes already.
bool IsQuiet(const migrate::report::CrdReport& crd);

}  // namespace plugin::terminal
