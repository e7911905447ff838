#pragma once

#include <string>
#include <vector>

#include "plugin/cli/flag_set.h"
#include "plugin/cli/options.h"

/// Flags that several commands have, and where their values go.
namespace plugin::cli {

/// Flags of kubectl that change nothing here: no cache is kept, no log is buffered, no line of it
/// belongs to a file of Go, and no profile is taken.
struct IgnoredValues {
  std::string cache_dir, log_flush_frequency, vmodule, profile_output;
};

/// Values that are read further once all flags are known.
struct RawValues {
  bool help = false;
  std::string output;
  bool all_namespaces = false;
  std::string request_timeout;
  std::string patience;  ///< empty: of a command that has none
  std::vector<std::string> as_user_extra;
  bool allow_missing_keys = true;
  std::string profile = "none";
  IgnoredValues ignored;
};

/// Declares the flags that every command has.
void AddCommonFlags(FlagSet& flags, CommonOptions& options, RawValues& raw);

/// The flag of the commands that read much, for which they have patience without it too.
void AddPatienceFlag(FlagSet& flags, RawValues& raw);

/// Flags that several commands have: where CRDs and objects come from, which of them count, and how
/// a report is printed. They set `options` and, where a value must be read further, `raw`
/// (finish_options.h).
void AddInputFlags(FlagSet& flags, InputOptions& options);
void AddObjectFlags(FlagSet& flags, ObjectOptions& options, RawValues& raw);
void AddReportFlags(FlagSet& flags, RawValues& raw);

}  // namespace plugin::cli
