#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plugin/cli/options.h"

/// The values of -o. Each throws UsageError.
namespace plugin::cli {

/// What -o of each command may be, sorted, templates with their "=". Parsed and completed, but for
/// that of migrate --local, whose completion is that of migrate.
inline constexpr std::string_view kCheckOutputs[] = {
    "html",           "json",  "jsonpath=", "jsonpath-as-json=",
    "jsonpath-file=", "junit", "markdown",  "name",
    "table",          "wide",  "yaml"};
inline constexpr std::string_view kMigrateOutputs[] = {
    "html",     "json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "junit",
    "markdown", "name", "yaml"};
inline constexpr std::string_view kLocalMigrateOutputs[] = {"json", "yaml"};
inline constexpr std::string_view kPopulateOutputs[] = {"json", "yaml"};
inline constexpr std::string_view kRestoreOutputs[] = {
    "html", "json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "junit", "markdown",
    "name", "wide", "yaml"};
inline constexpr std::string_view kSuggestOutputs[] = {"diff", "json", "patch", "yaml"};
inline constexpr std::string_view kVersionOutputs[] = {"json", "yaml"};

/// What --output of a command is, in any case of letters but for templates, as in kubectl; where
/// `text` is empty, what the command prints without the flag.
terminal::OutputFormat ParseCheckOutput(const std::string& text);
terminal::OutputFormat ParseMigrateOutput(const std::string& text, bool local);
terminal::OutputFormat ParsePopulateOutput(const std::string& text);
terminal::OutputFormat ParseRestoreOutput(const std::string& text);
terminal::OutputFormat ParseSuggestOutput(const std::string& text);
terminal::OutputFormat ParseVersionOutput(const std::string& text);

/// The template in "jsonpath=TEMPLATE" and its like.
terminal::TemplateOutput ParseTemplate(std::string_view command, const std::string& text,
                                       bool allow_missing_keys);

}  // namespace plugin::cli
