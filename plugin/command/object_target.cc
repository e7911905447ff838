#include "plugin/command/object_target.h"

#include <algorithm>

#include "migrate/check/crd_names.h"
#include "plugin/cli/usage_error.h"

namespace plugin::command {

migrate::check::DiffTarget ParseObjectTarget(std::string_view command,
                                             const std::string& argument) {
  const std::string_view text = migrate::check::WithoutCrdType(argument);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {std::string(text), ""};
  const std::string_view name = text.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) {
    throw cli::UsageError(command,
                          "arguments in resource/name form may not have more than one slash");
  }
  if (slash == 0 || name.empty()) {
    throw cli::UsageError(command,
                          "arguments in resource/name form must have a single resource and name");
  }
  return {std::string(text.substr(0, slash)), std::string(name)};
}

void RefuseSelectorsOfNamed(std::string_view command,
                            const std::vector<migrate::check::DiffTarget>& targets,
                            const cli::ObjectOptions& objects) {
  const bool names_object = std::ranges::any_of(
      targets, [](const migrate::check::DiffTarget& target) { return !target.object.empty(); });
  if (!names_object || (objects.selector + objects.field_selector).empty()) return;
  throw cli::UsageError(command,
                        "selectors and the all flag cannot be used when passing resource/name "
                        "arguments");
}

}  // namespace plugin::command
