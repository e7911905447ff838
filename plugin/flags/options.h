#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/config/connection_flags.h"
#include "migrate/inspect/object_diff.h"
#include "migrate/report/migration_report.h"
#include "plugin/flags/flag_syntax.h"
#include "plugin/flags/usage_error.h"

/// The command line as a value that can run. Nothing is read or contacted here.
namespace plugin::flags {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName, kTemplate };

/// A template of -o jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or jsonpath-file=FILE.
struct TemplateOutput {
  std::string text;  ///< empty until the file is read (plugin/template_output.h)
  std::string file;  ///< where the template is; empty: in `text`
  bool as_json = false;
  bool allow_missing_keys = true;
};

/// Flags that every command has.
struct CommonOptions {
  kube::config::ConnectionFlags connection;
  int verbosity = 0;  ///< -v, kubectl's log level
  /// The server must be of the version whose rules are foretold (plugin/version.h).
  bool match_server_version = false;
  bool warnings_as_errors = false;  ///< a Warning header of the server makes the exit code 2
};

/// Where CRDs and custom resources are read from.
struct InputOptions {
  std::vector<std::string> crds;       ///< as named on the command line; empty: all
  std::vector<std::string> filenames;  ///< -f: files, folders, "-" for stdin
  bool recursive = false;              ///< -R: folders below the folders of -f too
  bool local = false;                  ///< no server is contacted
};

/// Which objects of the cluster count. Selectors are of kubectl's grammar, and empty where all do.
struct ObjectOptions {
  std::string namespace_;  ///< empty: all; that of the context does not count
  std::string selector;    ///< -l
  std::string field_selector;
  std::int64_t chunk_size = 500;  ///< objects a request; 0: all at once
  bool chunk_size_is_given = false;
};

/// Which findings make the exit code 1.
struct FailOn {
  bool blocked = true;
  bool loses_fields = true;
  bool migration_needed = false;
};

struct CheckOptions {
  CommonOptions common;
  InputOptions input;
  std::string crd_selector;  ///< which CRDs of the cluster; empty: all
  ObjectOptions objects;
  OutputFormat output = OutputFormat::kTable;
  TemplateOutput output_template;  ///< only with kTemplate
  bool show_objects = false;
  bool skip_objects = false;
  bool all_objects = false;
  FailOn fail_on;
  std::vector<std::string> ignore;  ///< CRDs to leave out, named as `input.crds`
  bool no_headers = false;
};

struct DiffOptions {
  CommonOptions common;
  InputOptions input;  ///< without `crds`
  std::vector<migrate::inspect::DiffTarget> targets;
  std::string crd_selector;
  ObjectOptions objects;
  std::string version;  ///< empty: the storage version
  bool show_managed_fields = false;
};

struct MigrateOptions {
  CommonOptions common;
  InputOptions input;
  /// With --local kYaml or kJson; else kTable (for people), kJson, kYaml, kName or kTemplate.
  OutputFormat output = OutputFormat::kTable;
  TemplateOutput output_template;    ///< only with kTemplate
  bool show_managed_fields = false;  ///< with --local
  bool enable_pruning = false;       ///< with --local: as if preserveUnknownFields were off

  // Without --local, migrate/migration.h says what they mean:
  bool all = false;
  std::string crd_selector;
  ObjectOptions objects;
  bool yes = false;  ///< turns pruning on without asking
  migrate::report::DryRun dry_run = migrate::report::DryRun::kNone;
  std::string dry_run_warning;  ///< how a deprecated form should be written; empty: it was none
  int concurrency = 16;
  double max_rate = 0;
  bool verify = true;
  bool keep_stored_versions = false;
  bool single_pass = false;
  std::string backup_dir;  ///< empty: the default
  bool no_backup = false;
  bool rewrite_unbacked = false;
  std::chrono::nanoseconds settle_timeout = std::chrono::minutes(2);
  std::string state_dir;   ///< empty: the default
  std::string retry_from;  ///< a file; empty: not given
};

struct VersionOptions {
  CommonOptions common;
  bool client = false;                         ///< ask no server
  OutputFormat output = OutputFormat::kTable;  ///< kTable, kJson or kYaml
};

struct HelpOptions {
  std::string command;  ///< empty: the program
};

struct CompletionOptions {
  CommonOptions common;
  std::string shell;  ///< one of kShells
};

/// The words behind `kubectl prune __complete`: a command line whose last word is to be completed.
struct CompleteOptions {
  std::vector<std::string> words;
};

/// What `kubectl prune completion` prints a script for; "kubectl" is kubectl's own completion.
inline constexpr std::string_view kShells[] = {"bash", "fish", "kubectl", "zsh"};

/// The commands, sorted.
inline constexpr std::string_view kCommands[] = {"check",   "completion", "diff",   "help",
                                                 "migrate", "options",    "version"};

using Command = std::variant<CheckOptions, DiffOptions, MigrateOptions, VersionOptions,
                             CompletionOptions, CompleteOptions, HelpOptions>;

/// Reads the command line, `words` being argv without the program's name. No words, or --help, is
/// HelpOptions. Flags are spelled as kubectl takes them (flag_syntax.h); the command may stand
/// behind flags. Throws UsageError.
Command ParseCommandLine(std::span<const std::string> words);

/// The flags of all commands.
std::vector<Flag> AllFlags();

/// The flags of a command; of "" and an unknown one those that all commands have.
std::vector<Flag> FlagsOf(std::string_view command);

/// The flags that every command has, from a command line of `command` that need not be complete.
/// Throws UsageError.
CommonOptions ParseCommonOptions(std::string_view command, std::span<const std::string> words);

}  // namespace plugin::flags
