#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/check/object_diff.h"
#include "plugin/cli/options.h"

namespace plugin::command {

/// CRD or CRD/NAME, with or without "crd/" before it. Throws UsageError of `command`, in the words
/// of kubectl (cli-runtime pkg/resource/builder.go).
migrate::check::DiffTarget ParseObjectTarget(std::string_view command, const std::string& argument);

/// Who names objects does not select them too. Throws UsageError of `command`, in kubectl's words.
void RefuseSelectorsOfNamed(std::string_view command,
                            const std::vector<migrate::check::DiffTarget>& targets,
                            const cli::ObjectOptions& objects);

}  // namespace plugin::command
