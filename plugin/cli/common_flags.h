#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/connection.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/pager.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/throttle.h"
#include "plugin/cli/flag_set.h"
#include "plugin/terminal/output_format.h"

/// Flags that several commands have, and what they set. Nothing is read or contacted here. What a
/// function is given must live until FlagSet::Finish.
namespace plugin::cli {

/// What the flags set that every command has.
struct CommonOptions {
  kube::client::ConnectionFlags connection;
  int verbosity = 0;  ///< -v, kubectl's log level
  /// The server must be of the version whose rules are foretold (plugin/command/cluster_access.h).
  bool match_server_version = false;
  bool warnings_as_errors = false;  ///< a Warning header of the server makes the exit code 2
  /// How long what only reads is tried again; zero: not at all (kube::client::ClientOptions).
  std::chrono::nanoseconds patience{};
};

/// For which requests a command has patience (--patience).
enum class Patience { kNone, kReads, kWrites };

void AddCommonFlags(FlagSet& flags, CommonOptions& options, bool& help, Patience patience);

// Where CRDs and objects come from.

/// -f and -R.
void AddFileFlags(FlagSet& flags, std::vector<std::string>& filenames, bool& recursive,
                  std::string_view help);
/// The same and --local, of CRDs and custom resources.
void AddInputFlags(FlagSet& flags, std::vector<std::string>& filenames, bool& recursive,
                   bool& local);
/// -f is there where it is needed, and names something.
void RequireFiles(const FlagSet& flags, const std::vector<std::string>& filenames, bool local);

// Which of them count.

/// How help speaks of objects: as what is done with them, "Read", and how they are chosen. `chunks`
/// is the help of --chunk-size; empty: its usual one.
struct ObjectWords {
  std::string verb = "Read", how{};
  std::string_view chunks{};
};
/// `objects` is whole with Finish: -A goes before -n, and no page is asked for by a size below 1,
/// as in kubectl.
void AddObjectFlags(FlagSet& flags, const CommonOptions& common,
                    migrate::cluster::ObjectSelection& objects, const ObjectWords& words = {});
void AddCrdSelectorFlag(FlagSet& flags, std::string& selector, std::string_view help = "");
/// In files there is nothing to choose among: all their objects count.
void RefuseIfLocal(const FlagSet& flags, bool local,
                   const migrate::cluster::ObjectSelection& objects,
                   const std::string& crd_selector);

/// CRD or CRD/NAME, with or without "crd/" before it. Throws UsageError, in the words of kubectl
/// (cli-runtime pkg/resource/builder.go).
migrate::check::DiffTarget ParseObjectTarget(const FlagSet& flags, const std::string& argument);
/// Who names objects does not select them too. Throws UsageError, in kubectl's words.
void RefuseSelectorsOfNamed(const FlagSet& flags,
                            const std::vector<migrate::check::DiffTarget>& targets,
                            const migrate::cluster::ObjectSelection& objects);

// What is printed.

/// The formats of a command that prints a report: those of all of them, and `more`.
template <typename... Names>
constexpr auto ReportOutputs(Names... more) {
  constexpr auto kOfReports =
      std::ranges::count(terminal::kFormatNames, true, &terminal::FormatName::is_of_reports);
  std::array<std::string_view, kOfReports + sizeof...(more)> outputs{};
  std::size_t count = 0;
  for (const terminal::FormatName& row : terminal::kFormatNames) {
    if (row.is_of_reports || ((row.name == more) || ...)) outputs[count++] = row.name;
  }
  return outputs;
}

/// What -o of a command may be, sorted, templates with their "=".
inline constexpr auto kCheckOutputs = ReportOutputs("table", "wide");
inline constexpr auto kMigrateOutputs = ReportOutputs();
inline constexpr auto kRestoreOutputs = ReportOutputs("wide");
inline constexpr std::string_view kSuggestOutputs[] = {"diff", "json", "patch", "yaml"};
inline constexpr std::string_view kYamlOrJson[] = {"json", "yaml"};

/// -o of one of `outputs`, in any case of letters, as in kubectl. An empty one is as good as none:
/// `output` keeps its value.
Flag& AddOutputFlag(FlagSet& flags, terminal::OutputFormat& output,
                    std::span<const std::string_view> outputs, std::string_view help);
/// The same where it may be a template (jsonpath=TEMPLATE and its like), and
/// --allow-missing-template-keys. `outputs` may depend on other flags.
using OutputsFunction = std::function<std::span<const std::string_view>()>;
void AddReportFlags(FlagSet& flags, terminal::OutputFormat& output,
                    terminal::TemplateOutput& output_template, const OutputsFunction& outputs,
                    std::string_view help);

// How objects are written.

/// `warning` is how a deprecated form should be written; empty: it was none.
void AddDryRunFlag(FlagSet& flags, migrate::report::DryRun& dry_run, std::string& warning,
                   std::string_view help);
void AddMaxRateFlag(FlagSet& flags, double& max_rate, std::string_view help);
void AddConcurrencyFlag(FlagSet& flags, std::optional<std::size_t>& concurrency,
                        std::string_view help);
/// --lease-namespace and --lease-timeout.
void AddLeaseFlags(FlagSet& flags, migrate::migration::LeaseOptions& lease);
/// A port, or 0.
void RequirePort(const FlagSet& flags, std::string_view flag, int port);

// Several clusters side by side.

struct FleetOptions {
  /// Names and patterns of contexts, and @FILE; empty: the command works on one cluster, or none.
  std::vector<std::string> contexts{};
  int parallel = 10;  ///< how many clusters at once, at least 1
};
/// `verb` is what is done with them, "Check", and `done` the same, "checked".
void AddFleetFlags(FlagSet& flags, FleetOptions& options, const std::string& verb,
                   const std::string& done);
/// Throws UsageError for a number of clusters below 1, a fleet without a name, and beside a fleet
/// for each flag that says of a single cluster where it is or who we are there.
void FinishFleet(const FlagSet& flags, const FleetOptions& options,
                 const kube::client::ConnectionFlags& connection);
/// Throws UsageError for files of -f that can be read but once, by the first cluster alone.
void RequireFilesForMany(const FlagSet& flags, const std::vector<std::string>& filenames);

}  // namespace plugin::cli
