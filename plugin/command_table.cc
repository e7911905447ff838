#include "plugin/command_table.h"

#include <vector>

#include "plugin/command/check_command.h"
#include "plugin/command/diff_command.h"
#include "plugin/command/guard_command.h"
#include "plugin/command/migrate_command.h"
#include "plugin/command/populate_command.h"
#include "plugin/command/restore_command.h"
#include "plugin/command/suggest_command.h"
#include "plugin/command/version_command.h"
#include "plugin/completion/completion_command.h"
#include "plugin/flags/output_format.h"
#include "plugin/usage/texts.h"
#include "plugin/usage/usage.h"

namespace plugin {
namespace {

using flags::ArgumentKind;
using flags::Make;

}  // namespace

flags::CommandRows Commands() {
  static const flags::CommandRow kRows[] = {
      {.name = "check",
       .summary = "Report structural problems and the fields that pruning would remove",
       .usage = usage::kCheck,
       .make = Make<command::CheckCommand>,
       .arguments = ArgumentKind::kCrd,
       .outputs = flags::kCheckOutputs},
      {.name = "completion",
       .summary = "Print a script that completes command lines",
       .usage = usage::kCompletion,
       .make = Make<completion::CompletionCommand>,
       .arguments = ArgumentKind::kShell},
      {.name = "diff",
       .summary = "Show what pruning changes in each object",
       .usage = usage::kDiff,
       .make = Make<command::DiffCommand>,
       .arguments = ArgumentKind::kCrdOrObject},
      {.name = "guard",
       .summary = "Warn of requests, or refuse them, that write what pruning would remove",
       .usage = usage::kGuard,
       .make = Make<command::GuardCommand>,
       .arguments = ArgumentKind::kCrd},
      {.name = "migrate",
       .summary = "Rewrite every custom resource, so that etcd holds it pruned",
       .usage = usage::kMigrate,
       .make = Make<command::MigrateCommand>,
       .arguments = ArgumentKind::kCrd,
       .outputs = flags::kMigrateOutputs},
      {.name = "options",
       .summary = "Print the global options, which all commands take",
       .usage = usage::kOptions},
      {.name = "populate",
       .summary = "Keep namespaces as NamespaceTemplates say",
       .usage = usage::kPopulate,
       .make = Make<command::PopulateCommand>,
       .arguments = ArgumentKind::kNamespace,
       .outputs = flags::kPopulateOutputs},
      {.name = "restore",
       .summary = "Put back what pruning took from the objects of a backup",
       .usage = usage::kRestore,
       .make = Make<command::RestoreCommand>,
       .arguments = ArgumentKind::kFileThenCrdOrObject,
       .outputs = flags::kRestoreOutputs},
      {.name = "suggest",
       .summary = "Print CRDs that are structural and specify what their objects hold",
       .usage = usage::kSuggest,
       .make = Make<command::SuggestCommand>,
       .arguments = ArgumentKind::kCrd,
       .outputs = flags::kSuggestOutputs},
      {.name = "version",
       .summary = "Print the versions of this program and of the server",
       .usage = usage::kVersion,
       .make = Make<command::VersionCommand>,
       .outputs = flags::kVersionOutputs},
      {.name = "help",
       .summary = "Print the help of a command",
       .usage = "",
       .arguments = ArgumentKind::kCommand}};
  return kRows;
}

std::string HelpOf(const flags::CommandRow* command) {
  if (command && !command->usage.empty()) return usage::Usage(command->usage);
  std::vector<usage::CommandSummary> summaries;
  for (const flags::CommandRow& row : Commands()) summaries.push_back({row.name, row.summary});
  return usage::ProgramUsage(summaries);
}

}  // namespace plugin
