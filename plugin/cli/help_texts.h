#pragma once

#include <string_view>

/// The help of each command, a file each, as it is printed for a plugin named kubectl-prune.
namespace plugin::cli {

extern const std::string_view kCheck;
extern const std::string_view kCompletion;
extern const std::string_view kDiff;
extern const std::string_view kGuard;
extern const std::string_view kMigrate;
extern const std::string_view kOptions;
extern const std::string_view kPopulate;
extern const std::string_view kRestore;
extern const std::string_view kSuggest;
extern const std::string_view kVersion;

}  // namespace plugin::cli
