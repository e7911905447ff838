#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "migrate/check/cluster_check.h"
#include "migrate/check/object_diff.h"
#include "migrate/check/rule_explaining.h"
#include "migrate/check/suggest_making.h"
#include "migrate/guard/guard_handlers.h"
#include "migrate/guard/guarded_crds.h"
#include "migrate/migration/migration.h"
#include "migrate/populate/population_control.h"
#include "migrate/populate/population_webhooks.h"
#include "migrate/restore/restore.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/common_flags.h"
#include "plugin/command/serving_options.h"
#include "plugin/report/check_summary.h"

/// The commands: what the command line of each sets, and the two functions that are a command for
/// cli::CommandWith. Each has its own file. What a library needs to know of a run is in the options
/// of the library, which its flags set directly; beside them is what matters to the command alone.
namespace plugin::command {

/// The commands of this program, in the order of its help. A new one is a row there, options and
/// two functions here, and its file.
cli::CommandRows Commands();

// The help of each, in which "{flags}" stands for that of its flags.
extern const std::string_view kCheckHelp, kCompletionHelp, kDiffHelp, kGuardHelp, kMigrateHelp,
    kPopulateHelp, kRestoreHelp, kSuggestHelp, kVersionHelp;

struct CheckOptions {
  cli::CommonOptions common;
  migrate::check::CheckOptions check;
  bool local = false;  ///< no server is contacted
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  report::FailOn fail_on;
  std::vector<std::string> guard_reports{};  ///< files of `guard --report-file`
  bool no_headers = false;
  bool details = false;  ///< all of it, where a terminal would get the first screen alone
  cli::FleetOptions fleet;
  bool print_transitional = false;  ///< CRDs between two releases, in the place of a report
  /// A rule and an object, in the place of a report; without a rule path: a report.
  migrate::check::ExplainOptions explain{};
};
/// Checks what its options name, and prints the report.
void DeclareFlags(cli::FlagSet& flags, CheckOptions& options);
int RunCommand(CheckOptions& options);

struct CompletionOptions {
  cli::CommonOptions common;
  std::string shell;  ///< one of kShells
};
/// Prints the script that completes command lines in a shell.
void DeclareFlags(cli::FlagSet& flags, CompletionOptions& options);
int RunCommand(CompletionOptions& options);

/// The command line to complete: the words behind `kubectl prune __complete`, each as it is.
/// Nothing for other `words`.
std::optional<std::span<const std::string>> WordsToComplete(std::span<const std::string> words);
/// Prints what the last of `words` may become, as kubectl's completion and the scripts of `kubectl
/// prune completion` read it: a candidate a line, with a tab before its description, then ":" and
/// what the shell shall do (completion_script.cc). Says nothing on stderr, asks nobody, and ends
/// within three seconds whatever the cluster does. Returns the exit code, 0.
int RunComplete(cli::CommandRows commands, std::span<const std::string> words);

struct DiffOptions {
  cli::CommonOptions common;
  migrate::check::DiffOptions diff;
  bool local = false;
  std::vector<std::string> mutations;  ///< files of mutation trees
  std::string backup;  ///< shows what restore would change by this file; empty: what pruning does
};
/// Has a diff program compare objects with what pruning leaves of them. Its exit code: 0 no
/// differences, 1 differences, 2 an error, or what could be compared is not all.
void DeclareFlags(cli::FlagSet& flags, DiffOptions& options);
int RunCommand(DiffOptions& options);

struct GuardOptions {
  cli::CommonOptions common;
  migrate::guard::GuardSelection selection;
  migrate::guard::GuardOptions guard;
  std::vector<std::string> filenames;  ///< of the CRDs
  bool recursive = false;
  ServingOptions serving;
  std::vector<std::string> mutations;  ///< files of mutation trees
  std::string report_file;             ///< empty: the report is served alone
};
/// Serves webhooks that tell, until a signal ends it, who writes what pruning would remove. Its
/// exit code: 0 ended by a signal, 2 it could not begin.
void DeclareFlags(cli::FlagSet& flags, GuardOptions& options);
int RunCommand(GuardOptions& options);

struct MigrateOptions {
  cli::CommonOptions common;
  migrate::migration::MigrationOptions migration;
  /// Prints the custom resources of files as the server would store them with pruning on: its exit
  /// code is 0, 1 if the server would not store some object, 2 if some file could not be read, or
  /// none holds a CRD. Objects without a CRD are left out with a note.
  bool local = false;
  /// With --local kYaml or kJson; else kTable (for people), kJson, kYaml, kName or kTemplate.
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  bool show_managed_fields = false;          ///< with --local
  std::vector<std::string> mutations;        ///< files of mutation trees
  bool yes = false;                          ///< turns pruning on without asking
  std::string dry_run_warning;  ///< how a deprecated form should be written; empty: it was none
  std::string retry_from;       ///< a file; empty: not given
  cli::FleetOptions fleet;
};
/// Rewrites the custom resources that its options name, and prints the report.
void DeclareFlags(cli::FlagSet& flags, MigrateOptions& options);
int RunCommand(MigrateOptions& options);

struct PopulateOptions {
  cli::CommonOptions common;
  bool local = false;                  ///< prints the objects by the templates of files
  std::vector<std::string> filenames;  ///< of templates and namespaces, where they are local
  bool recursive = false;
  terminal::OutputFormat output = terminal::OutputFormat::kYaml;  ///< of local ones
  bool once = false;
  bool diff = false;            ///< shows what `once` would change
  std::string dry_run_warning;  ///< as that of migrate
  /// Of a service; its `population` counts for all.
  migrate::populate::ControlOptions control;

  // Of a service:
  bool leader_elect = true;
  std::string lease_namespace = "kube-system";
  int metrics_port = 0;  ///< for HTTP; 0: nobody is told
  /// Absent: no webhooks are served.
  std::optional<migrate::populate::WebhookOptions> webhooks{};
  ServingOptions serving{};
};
/// Keeps namespaces as NamespaceTemplates say, with --once brings them there, with --diff has a
/// diff program show what that would change, and with --local prints the objects that they get. Its
/// exit code: 0 all of them are applied, or printed, or a signal has ended what would go on; 1 some
/// object, or template, is left out; 2 an error. Of --diff it is that of diff.
void DeclareFlags(cli::FlagSet& flags, PopulateOptions& options);
int RunCommand(PopulateOptions& options);

struct RestoreOptions {
  cli::CommonOptions common;
  migrate::restore::RestoreOptions restore;
  /// kTable (for people), kWide (the same, object by object), kJson, kYaml, kName or kTemplate.
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  std::string dry_run_warning;               ///< as that of migrate
};
/// Puts back what pruning took from the objects of a backup, and prints the report.
void DeclareFlags(cli::FlagSet& flags, RestoreOptions& options);
int RunCommand(RestoreOptions& options);

struct SuggestOptions {
  cli::CommonOptions common;
  migrate::check::SuggestOptions suggest;
  bool local = false;
  terminal::OutputFormat output = terminal::OutputFormat::kYaml;
};
/// Prints CRDs that are structural and specify what their objects hold. Its exit code: 0 each is
/// proven by a check, 1 something is left to a person, 2 an error.
void DeclareFlags(cli::FlagSet& flags, SuggestOptions& options);
int RunCommand(SuggestOptions& options);

struct VersionOptions {
  cli::CommonOptions common;
  bool client = false;                                             ///< ask no server
  terminal::OutputFormat output = terminal::OutputFormat::kTable;  ///< kTable, kJson or kYaml
};
/// Prints the version of this program and its commit, and the version of the server unless only the
/// client's is asked for. Fails, after the client's version is printed, where the server does not
/// tell its own.
void DeclareFlags(cli::FlagSet& flags, VersionOptions& options);
int RunCommand(VersionOptions& options);

/// What a program is told apart by.
struct ClientVersion {
  std::string_view version;              ///< "v0.1.0"
  std::string_view commit{};             ///< that it was built from; empty: not known
  bool has_uncommitted_changes = false;  ///< it was built from something else beside
};
/// What `version` prints for such a program. `server` is what the server answers for /version; the
/// null pointer where it is not known. As JSON and YAML the client's fields have the names that the
/// server's have: gitCommit (absent where it is not known), gitTreeState (clean, dirty, or
/// unknown), gitVersion.
std::string PrintVersion(const ClientVersion& client, const kube::json::Value* server,
                         terminal::OutputFormat format);

}  // namespace plugin::command
