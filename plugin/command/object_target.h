#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrate/inspect/object_diff.h"
#include "plugin/flags/options.h"

namespace plugin::command {

/// CRD or CRD/NAME, with or without "crd/" before it. Throws UsageError of `command`, in the words
/// of kubectl (cli-runtime pkg/resource/builder.go).
migrate::inspect::DiffTarget ParseObjectTarget(std::string_view command,
                                               const std::string& argument);

/// Who names objects does not select them too. Throws UsageError of `command`, in kubectl's words.
void RefuseSelectorsOfNamed(std::string_view command,
                            const std::vector<migrate::inspect::DiffTarget>& targets,
                            const flags::ObjectOptions& objects);

}  // namespace plugin::command
