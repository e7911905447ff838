#pragma once

#include <string>
#include <vector>

#include "plugin/flags/flag_set.h"
#include "plugin/flags/migrate_options.h"
#include "plugin/flags/options.h"

/// Which flags a command has, and where their values go.
namespace plugin::flags {

/// Flags of kubectl that change nothing here: no cache is kept, no log is buffered, no line of it
/// belongs to a file of Go, and no profile is taken.
struct IgnoredValues {
  std::string cache_dir, log_flush_frequency, vmodule, profile_output;
};

/// Values that are read further once all flags are known.
struct RawValues {
  bool help = false;
  std::string output;
  std::vector<std::string> fail_on;
  bool has_filename = false, has_fail_on = false;  ///< given, if only as ""
  bool has_chunk_size = false;
  bool all_namespaces = false;
  std::string request_timeout;
  std::vector<std::string> as_user_extra;
  bool allow_missing_keys = true;
  std::string profile = "none";
  IgnoredValues ignored;
  RawMigrateValues migrate;
};

/// Declares the flags that every command has.
void AddCommonFlags(FlagSet& flags, CommonOptions& options, RawValues& raw);

/// Declares all flags of a command. They set `options` and, where a value must be read further,
/// `raw` (finish_options.h).
void AddFlags(FlagSet& flags, CheckOptions& options, RawValues& raw);
void AddFlags(FlagSet& flags, DiffOptions& options, RawValues& raw);
void AddFlags(FlagSet& flags, MigrateOptions& options, RawValues& raw);
void AddFlags(FlagSet& flags, VersionOptions& options, RawValues& raw);
void AddFlags(FlagSet& flags, CompletionOptions& options, RawValues& raw);

}  // namespace plugin::flags
