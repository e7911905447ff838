#include "plugin/command/commands.h"

#include "plugin/cli/help.h"

namespace plugin::command {

cli::CommandRows Commands() {
  static const cli::CommandRow kRows[] = {
      {.name = "check",
       .summary = "Report structural problems and the fields that pruning would remove",
       .help = kCheckHelp,
       .make = cli::Make<CheckOptions>,
       .arguments = cli::ArgumentKind::kCrd,
       .patience = cli::Patience::kReads},
      {.name = "completion",
       .summary = "Print a script that completes command lines",
       .help = kCompletionHelp,
       .make = cli::Make<CompletionOptions>,
       .arguments = cli::ArgumentKind::kShell},
      {.name = "diff",
       .summary = "Show what pruning changes in each object",
       .help = kDiffHelp,
       .make = cli::Make<DiffOptions>,
       .arguments = cli::ArgumentKind::kCrdOrObject,
       .patience = cli::Patience::kReads},
      {.name = "guard",
       .summary = "Warn of requests, or refuse them, that write what pruning would remove",
       .help = kGuardHelp,
       .make = cli::Make<GuardOptions>,
       .arguments = cli::ArgumentKind::kCrd},
      {.name = "migrate",
       .summary = "Rewrite every custom resource, so that etcd holds it pruned",
       .help = kMigrateHelp,
       .make = cli::Make<MigrateOptions>,
       .arguments = cli::ArgumentKind::kCrd,
       .patience = cli::Patience::kWrites},
      {.name = "options",
       .summary = "Print the global options, which all commands take",
       .help = cli::kOptionsHelp},
      {.name = "populate",
       .summary = "Keep namespaces as NamespaceTemplates say",
       .help = kPopulateHelp,
       .make = cli::Make<PopulateOptions>,
       .arguments = cli::ArgumentKind::kNamespace,
       .patience = cli::Patience::kReads},
      {.name = "restore",
       .summary = "Put back what pruning took from the objects of a backup",
       .help = kRestoreHelp,
       .make = cli::Make<RestoreOptions>,
       .arguments = cli::ArgumentKind::kFileThenCrdOrObject,
       .patience = cli::Patience::kWrites},
      {.name = "suggest",
       .summary = "Print CRDs that are structural and specify what their objects hold",
       .help = kSuggestHelp,
       .make = cli::Make<SuggestOptions>,
       .arguments = cli::ArgumentKind::kCrd,
       .patience = cli::Patience::kReads},
      {.name = "version",
       .summary = "Print the versions of this program and of the server",
       .help = kVersionHelp,
       .make = cli::Make<VersionOptions>},
      {.name = "help",
       .summary = "Print the help of a command",
       .help = "",
       .arguments = cli::ArgumentKind::kCommand}};
  return kRows;
}

}  // namespace plugin::command
