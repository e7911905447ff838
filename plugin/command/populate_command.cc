#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/population_files.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/diff_folders.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/population_service.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/population_lines.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

constexpr int kNotAllCompared = 2;

// `changes` is who is given them, without a write; the null pointer: what is asked for is done.
migrate::report::PopulationReport PopulateCluster(PopulateOptions& options,
                                                  migrate::check::ChangeTaker* changes) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  migrate::populate::PopulationOptions& population = options.control.population;
  const bool only_reads =
      changes != nullptr || population.dry_run == migrate::report::DryRun::kClient;
  using Right = ClusterAccess::Right;
  ClusterAccess cluster(options.common, only_reads ? Right::kRead : Right::kWrite, clock,
                        write_line);
  std::vector<std::string>& names = population.namespaces;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  if (changes != nullptr) population.dry_run = migrate::report::DryRun::kServer;
  population.changes = changes;
  population.on_line = write_line;
  population.on_progress = [&progress](std::size_t done, std::size_t expected) {
    progress.Show("namespaces", migrate::rewrite::SweepProgress{
                                    .listed = done, .expected = expected, .counts = {}});
  };
  auto report = migrate::populate::Populate(population, cluster.session());
  progress.Clear();
  return report;
}

int RunOnce(PopulateOptions& options) {
  if (!options.dry_run_warning.empty()) {
    terminal::WriteStderr("Warning: " + options.dry_run_warning + "\n");
  }
  CatchStopSignals();
  const auto output = report::PrintPopulation(PopulateCluster(options, nullptr));
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

int ShowDifferences(PopulateOptions& options) {
  CatchStopSignals();
  DiffFolders folders;
  const auto report = PopulateCluster(options, &folders);
  if (report.is_interrupted) {
    terminal::WriteStderr(terminal::ErrorText("interrupted: not all objects were read") + "\n");
    return StopExitCode();
  }
  const int code = CompareFolders(folders.live(), folders.merged());
  const auto output = report::PrintPopulation(report);
  terminal::WriteStderr(output.err);
  if (const int stopped = StopExitCode()) return stopped;
  return output.exit_code == 0 ? code : kNotAllCompared;
}

using migrate::populate::Expansion;
using migrate::populate::PopulationFiles;
using migrate::populate::TargetNamespace;

constexpr int kSomeRefused = 1;
constexpr int kPopulateError = 2;

void LogLine(std::string_view kind, const std::string& text) {
  terminal::WriteStderr(std::string(kind).append(": ") + terminal::Printable(text) + "\n");
}

// In the order of the arguments, each once.
std::vector<TargetNamespace> ChooseNamespaces(const std::vector<std::string>& names,
                                              const PopulationFiles& files) {
  if (names.empty()) return files.namespaces;
  std::vector<TargetNamespace> chosen;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    const auto found = std::ranges::find(files.namespaces, name, &TargetNamespace::name);
    if (found != files.namespaces.end()) {
      chosen.push_back(*found);
    } else if (!files.unreadable_namespaces.contains(name)) {
      chosen.push_back(migrate::populate::NamespaceNamed(name));
      if (!files.namespaces.empty()) {
        LogLine("note", name + " is in none of the files, so it is taken for one without labels");
      }
    }
  }
  return chosen;
}

/// A run over files: what it prints, and how it ends.
class LocalPopulation {
 public:
  explicit LocalPopulation(const PopulateOptions& options)
      : options_(options),
        files_(migrate::populate::ReadPopulationFiles(options.filenames, options.recursive)),
        writer_(options.output) {}

  int Run() {
    const auto namespaces = ChooseNamespaces(options_.control.population.namespaces, files_);
    for (const TargetNamespace& target : namespaces) Populate(target);
    writer_.Finish();
    ReportFiles(namespaces.empty());
    if (!files_.errors.empty() || files_.templates.empty() || namespaces.empty()) {
      return kPopulateError;
    }
    return has_refused_ ? kSomeRefused : 0;
  }

 private:
  void Populate(const TargetNamespace& target) {
    kube::json::Arena arena;
    const Expansion expansion = migrate::populate::Expand(
        target, files_.templates, migrate::populate::IsKnownClusterScoped, arena);
    for (const auto& object : expansion.objects) writer_.Write(object.value);
    const std::string standing =
        migrate::populate::DescribeStanding(target.name, expansion.standing);
    if (!standing.empty()) LogLine("note", standing);
    ReportUnselected(target.name, expansion);
    ReportDisabled(expansion.left_alone);
    for (const auto& replaced : expansion.replaced) {
      LogLine("Warning", target.name + ": " + migrate::populate::Describe(replaced));
    }
    for (const auto& held : expansion.held) {
      LogLine("Warning", target.name + ": " + migrate::populate::Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      LogLine("error", target.name + ": left out " + key.ToString() + " of the template " +
                           template_name + ": " + why);
      has_refused_ = true;
    }
  }

  void ReportUnselected(const std::string& name, const Expansion& expansion) const {
    const bool is_populated = expansion.standing == Expansion::Standing::kPopulated;
    if (!is_populated || files_.templates.empty()) return;
    if (expansion.templates.empty() && expansion.left_alone.empty()) {
      LogLine("note", "no template selects " + name);
    }
  }

  // Once each, whatever the namespaces.
  void ReportDisabled(const std::vector<std::string>& templates) {
    for (const std::string& name : templates) {
      if (!told_disabled_.insert(name).second) continue;
      LogLine("note", migrate::populate::DescribeDisabled(name));
    }
  }

  void ReportFiles(bool has_no_namespaces) const {
    for (const migrate::report::UnknownKind& other : files_.others) {
      LogLine("note", std::to_string(other.objects) + " of kind " + other.kind + " (" +
                          other.api_version +
                          ") left out: neither a NamespaceTemplate nor a Namespace");
    }
    for (const std::string& warning : files_.warnings) LogLine("Warning", warning);
    for (const std::string& hint : files_.hints) LogLine("Warning", hint);
    for (const std::string& error : files_.errors) LogLine("error", error);
    if (!files_.errors.empty()) return;
    if (files_.templates.empty()) LogLine("error", "the files of -f hold no NamespaceTemplate");
    if (has_no_namespaces) {
      LogLine("error", "the files of -f hold no Namespace; name one that is to be populated");
    }
  }

  const PopulateOptions& options_;
  const PopulationFiles files_;
  ManifestWriter writer_;
  bool has_refused_ = false;
  std::set<std::string> told_disabled_;
};

}  // namespace

int RunCommand(PopulateOptions& options) {
  options.control.population.version = kVersion;
  options.control.population.time_of_day = TimeOfDayText;
  if (options.local) return LocalPopulation(options).Run();
  if (options.once) return RunOnce(options);
  if (options.diff) return ShowDifferences(options);
  ServePopulation(options);
  return 0;
}

}  // namespace plugin::command
