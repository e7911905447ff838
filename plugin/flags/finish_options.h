#pragma once

#include <string_view>

#include "plugin/flags/command_flags.h"
#include "plugin/flags/options.h"

/// Completes and validates what the flags of a command set. Each throws UsageError.
namespace plugin::flags {

/// `command` is what the error points to the help of.
void Finish(std::string_view command, CommonOptions& options, const RawValues& raw);

void Finish(CheckOptions& options, const RawValues& raw);
void Finish(DiffOptions& options, const RawValues& raw);
void Finish(MigrateOptions& options, const RawValues& raw);
void Finish(VersionOptions& options, const RawValues& raw);
void Finish(CompletionOptions& options, const RawValues& raw);

}  // namespace plugin::flags
