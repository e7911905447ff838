#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/suggest/suggestion.h"
#include "kube/yaml/yaml.h"
#include "migrate/cluster/private_file.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/suggestion_text.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {

const std::string_view kSuggestHelp =
    R"(Print CRDs that are structural and specify what their objects hold

 Reads the objects of the named CRDs, from a cluster or from files. Prints each CRD so that pruning
takes nothing from these objects. It has the form of apiextensions.k8s.io/v1, without what the
server sets. Fields that objects hold are specified with the types that were seen. A comment beside
each tells in how many objects it is and who writes it. What keeps a schema from being structural
is said otherwise, as far as that keeps its meaning. Nothing is guessed: nothing becomes required,
and no enum, pattern or format is added. Nothing is written to the cluster: read the CRD, then
apply it.

 Without a CRD and without -f it suggests for all CRDs of the cluster that still preserve unknown
fields and need it. CRDs in the files of -f take the place of those of the cluster. With --local no
server is contacted, and objects come from the files too. Of a CRD that prunes already the API
shows no more than its schema has. Its lost fields are found in a backup only.

 What is printed is checked as "check -f" would, against all the objects again. stderr tells the
result, what was fixed, and what is left to a person because no schema can be derived from it.

Examples:
  # What should the CRD of the widgets say?
  kubectl prune suggest widgets > widgets.yaml

  # What would change in the CRD of the cluster?
  kubectl prune suggest widgets -o diff

  # Keep whole subtrees instead of specifying each field in them
  kubectl prune suggest widgets --prefer=preserve

  # What does the CRD of a release lack, by the objects of the cluster?
  kubectl prune suggest -f crds.yaml

  # From files alone, and applied as a patch
  kubectl prune suggest --local -f crds.yaml -f widgets.json -o patch

Options:
{flags}
Exit codes:
  0     by what is suggested no object loses a field or becomes invalid
  1     something is left to a person
  2     something could not be read; what could be suggested is printed all the same

Usage:
  kubectl prune suggest [CRD...] [-f FILENAME...] [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

void DeclareFlags(cli::FlagSet& flags, SuggestOptions& options) {
  migrate::check::SuggestOptions& suggest = options.suggest;
  flags.Arguments(suggest.crd_names);
  cli::AddObjectFlags(flags, options.common, suggest.objects);
  cli::AddCrdSelectorFlag(flags, suggest.crd_selector);
  cli::AddInputFlags(flags, suggest.filenames, suggest.recursive, options.local);
  flags.Check([&flags, &options] {
    cli::RefuseIfLocal(flags, options.local, options.suggest.objects, options.suggest.crd_selector);
    cli::RequireFiles(flags, options.suggest.filenames, options.local);
  });
  cli::AddOutputFlag(flags, options.output, cli::kSuggestOutputs, R"(
        yaml (with comments), json, diff or patch. diff has a diff program compare the CRD as it is
        with the suggestion; KUBECTL_EXTERNAL_DIFF names another program. patch is a JSON Patch of
        one CRD, for kubectl patch --type=json.)");
  const auto read = [&flags, &suggest](const std::string& text) {
    if (text == "preserve") {
      suggest.prefer = kube::suggest::Prefer::kPreserve;
    } else if (text != "fields") {
      flags.Refuse("invalid --prefer value (" + text + "), must be \"fields\" or \"preserve\"");
    }
  };
  flags.Text("prefer", "'fields'", read, R"(
        How fields are specified: each as deep as it goes (fields), or by one
        x-kubernetes-preserve-unknown-fields at the highest place where all would be lost
        (preserve).)");
}

namespace {

using migrate::check::CrdSuggestion;
using migrate::check::SuggestReport;

constexpr int kLeftToPerson = 1;
constexpr int kSuggestError = 2;

SuggestReport SuggestLive(SuggestOptions& options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  options.suggest.on_files_read = CatchStopSignals;
  options.suggest.on_progress = [&progress](const auto& what, const auto& counts) {
    progress.Show(what, counts);
  };
  SuggestReport report = migrate::check::SuggestForCluster(options.suggest, cluster.session());
  WarnOfMissingNamespace(options.suggest.objects.namespace_, cluster, write_line);
  return report;
}

void PrintYaml(const SuggestReport& report) {
  std::string out;
  for (const CrdSuggestion& crd : report.crds) {
    if (!out.empty()) out += "---\n";
    kube::yaml::PrintTo(out, crd.suggestion.crd, report::CommentsOf(crd));
  }
  terminal::WriteStdout(out);
}

void PrintList(const SuggestReport& report) {
  ManifestWriter writer(terminal::OutputFormat::kJson);
  for (const CrdSuggestion& crd : report.crds) writer.Write(crd.suggestion.crd);
  writer.Finish();
}

void PrintPatch(const CrdSuggestion& crd) {
  kube::json::Arena arena;
  const kube::json::Value patch = kube::suggest::PatchOf(crd.suggestion, crd.crd, arena);
  terminal::WriteStdout(kube::json::Print(patch, kube::json::KeyOrder::kAsWritten) + "\n");
}

void WriteManifest(const std::filesystem::path& folder, const CrdSuggestion& crd,
                   const kube::json::Value& manifest) {
  const std::string name =
      migrate::cluster::FileName("apiextensions.k8s.io.v1.CustomResourceDefinition.." + crd.name());
  std::filesystem::path path = folder / name;
  for (int i = 2; std::filesystem::exists(path); ++i)
    path = folder / (name + "." + std::to_string(i));
  std::ofstream file(path, std::ios::binary);
  file << kube::yaml::Print(manifest);
  file.close();
  if (!file) throw kube::base::Error("cannot write \"" + path.string() + "\"");
}

// A signal that ended the program is its exit code.
int PrintDiff(const SuggestReport& report) {
  const migrate::cluster::TemporaryFolder live("LIVE-"), suggested("SUGGESTED-");
  for (const CrdSuggestion& crd : report.crds) {
    WriteManifest(live.path(), crd, crd.suggestion.before);
    WriteManifest(suggested.path(), crd, crd.suggestion.crd);
  }
  const DiffCommandLine command = MakeDiffCommand(std::getenv("KUBECTL_EXTERNAL_DIFF"),
                                                  live.path().string(), suggested.path().string());
  const int code =
      RunDiffCommand(command.words, [] { return StopExitCode() == kSignalExitCode + SIGTERM; });
  return code > 1 ? code : 0;
}

int Print(const SuggestReport& report, terminal::OutputFormat output) {
  if (output == terminal::OutputFormat::kDiff) return PrintDiff(report);
  if (output == terminal::OutputFormat::kJson) PrintList(report);
  if (output == terminal::OutputFormat::kYaml) PrintYaml(report);
  if (output != terminal::OutputFormat::kPatch) return 0;
  if (report.crds.size() > 1) {
    throw kube::base::Error("a patch is for one CRD, and there are suggestions for " +
                            std::to_string(report.crds.size()) + ": name one");
  }
  for (const CrdSuggestion& crd : report.crds) PrintPatch(crd);
  return 0;
}

void PrintWords(const SuggestReport& report) {
  for (const CrdSuggestion& crd : report.crds) {
    terminal::WriteStderr(report::SuggestionSummary(crd));
  }
  for (const std::string& note : report.notes) terminal::WriteLine("note", note);
  for (const std::string& error : report.errors)
    terminal::WriteStderr(terminal::ErrorText(terminal::Printable(error)) + "\n");
  if (report.crds.empty() && report.errors.empty() && !report.is_stopped) {
    terminal::WriteStderr(
        "nothing to suggest: no object that was read loses a field, and all schemas are "
        "structural\n");
  }
}

int ExitCodeOf(const SuggestReport& report) {
  if (!report.errors.empty()) return kSuggestError;
  const bool are_proven = std::ranges::all_of(report.crds, &CrdSuggestion::is_proven);
  return are_proven ? 0 : kLeftToPerson;
}

}  // namespace

int RunCommand(SuggestOptions& options) {
  if (!options.local) LeadCommandsTo(options.common.connection);
  const SuggestReport report =
      options.local ? migrate::check::SuggestForFiles(options.suggest) : SuggestLive(options);
  if (report.is_stopped) return EndInterrupted();
  const int code = Print(report, options.output);
  PrintWords(report);
  if (const int stopped = StopExitCode()) return stopped;
  return code != 0 ? code : ExitCodeOf(report);
}

}  // namespace plugin::command
