#pragma once

#include <string>

#include "plugin/flags/options.h"

/// The values of -o. Each throws UsageError.
namespace plugin::flags {

/// What --output of a command is, in any case of letters but for templates, as in kubectl; where
/// `text` is empty, what the command prints without the flag.
OutputFormat ParseCheckOutput(const std::string& text);
OutputFormat ParseMigrateOutput(const std::string& text, bool local);
OutputFormat ParseVersionOutput(const std::string& text);

/// The template in "jsonpath=TEMPLATE" and its like.
TemplateOutput ParseTemplate(std::string_view command, const std::string& text,
                             bool allow_missing_keys);

}  // namespace plugin::flags
