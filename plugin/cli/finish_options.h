#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "plugin/cli/command_flags.h"
#include "plugin/cli/flag_set.h"
#include "plugin/cli/options.h"

/// Completes and validates what flags set that several commands have. Each throws UsageError;
/// `command` is what the error points to the help of.
namespace plugin::cli {

/// The flags that every command has: durations, levels and the combinations that kubectl refuses.
void Finish(std::string_view command, CommonOptions& options, const RawValues& raw);

/// -A goes before -n, and no page is asked for by a size below 1, as in kubectl.
void Finish(std::string_view command, ObjectOptions& options,
            const kube::client::ConnectionFlags& connection, const FlagSet& flags,
            const RawValues& raw);

/// -f is there where it is needed, and names something.
void RequireFiles(std::string_view command, const InputOptions& input, const FlagSet& flags);

/// In files there is nothing to choose among: all their objects count.
void RefuseIfLocal(std::string_view command, const InputOptions& input,
                   const ObjectOptions& objects, const std::string& crd_selector);

/// A duration as Go reads it, which is not negative; `flag` is named as in InvalidArgument.
std::chrono::nanoseconds ParseDuration(std::string_view command, std::string_view flag,
                                       const std::string& text);

/// Two flags by their names, and whether each was given: not both.
void RefuseBoth(std::string_view command, bool a, std::string_view a_name, bool b,
                std::string_view b_name);

/// `flag` is named as in InvalidArgument.
void ValidateLabelSelector(std::string_view command, std::string_view flag,
                           const std::string& selector);

}  // namespace plugin::cli
