#include "plugin/command/command_table.h"

#include <vector>

#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage.h"
#include "plugin/command/check_command.h"
#include "plugin/command/complete_command.h"
#include "plugin/command/diff_command.h"
#include "plugin/command/guard_command.h"
#include "plugin/command/migrate_command.h"
#include "plugin/command/populate_command.h"
#include "plugin/command/restore_command.h"
#include "plugin/command/suggest_command.h"
#include "plugin/command/version_command.h"

namespace plugin::command {
namespace {

using cli::ArgumentKind;
using cli::Make;

}  // namespace

cli::CommandRows Commands() {
  static const cli::CommandRow kRows[] = {
      {.name = "check",
       .summary = "Report structural problems and the fields that pruning would remove",
       .usage = cli::kCheck,
       .make = cli::Make<CheckCommand>,
       .arguments = cli::ArgumentKind::kCrd,
       .outputs = cli::kCheckOutputs},
      {.name = "completion",
       .summary = "Print a script that completes command lines",
       .usage = cli::kCompletion,
       .make = cli::Make<CompletionCommand>,
       .arguments = cli::ArgumentKind::kShell},
      {.name = "diff",
       .summary = "Show what pruning changes in each object",
       .usage = cli::kDiff,
       .make = cli::Make<DiffCommand>,
       .arguments = cli::ArgumentKind::kCrdOrObject},
      {.name = "guard",
       .summary = "Warn of requests, or refuse them, that write what pruning would remove",
       .usage = cli::kGuard,
       .make = cli::Make<GuardCommand>,
       .arguments = cli::ArgumentKind::kCrd},
      {.name = "migrate",
       .summary = "Rewrite every custom resource, so that etcd holds it pruned",
       .usage = cli::kMigrate,
       .make = cli::Make<MigrateCommand>,
       .arguments = cli::ArgumentKind::kCrd,
       .outputs = cli::kMigrateOutputs},
      {.name = "options",
       .summary = "Print the global options, which all commands take",
       .usage = cli::kOptions},
      {.name = "populate",
       .summary = "Keep namespaces as NamespaceTemplates say",
       .usage = cli::kPopulate,
       .make = cli::Make<PopulateCommand>,
       .arguments = cli::ArgumentKind::kNamespace,
       .outputs = cli::kPopulateOutputs},
      {.name = "restore",
       .summary = "Put back what pruning took from the objects of a backup",
       .usage = cli::kRestore,
       .make = cli::Make<RestoreCommand>,
       .arguments = cli::ArgumentKind::kFileThenCrdOrObject,
       .outputs = cli::kRestoreOutputs},
      {.name = "suggest",
       .summary = "Print CRDs that are structural and specify what their objects hold",
       .usage = cli::kSuggest,
       .make = cli::Make<SuggestCommand>,
       .arguments = cli::ArgumentKind::kCrd,
       .outputs = cli::kSuggestOutputs},
      {.name = "version",
       .summary = "Print the versions of this program and of the server",
       .usage = cli::kVersion,
       .make = cli::Make<VersionCommand>,
       .outputs = cli::kVersionOutputs},
      {.name = "help",
       .summary = "Print the help of a command",
       .usage = "",
       .arguments = cli::ArgumentKind::kCommand}};
  return kRows;
}

std::string HelpOf(const cli::CommandRow* command) {
  if (command && !command->usage.empty()) return cli::Usage(command->usage);
  std::vector<cli::CommandSummary> summaries;
  for (const cli::CommandRow& row : Commands()) summaries.push_back({row.name, row.summary});
  return cli::ProgramUsage(summaries);
}

}  // namespace plugin::command
