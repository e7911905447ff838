#include "plugin/command/suggest_command.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/yaml/yaml.h"
#include "migrate/check/suggest_making.h"
#include "migrate/cluster/file_name.h"
#include "migrate/cluster/private_file.h"
#include "plugin/cli/finish_options.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/external_diff.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/suggestion_text.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using migrate::check::CrdSuggestion;
using migrate::check::SuggestReport;

constexpr int kLeftToPerson = 1;
constexpr int kSuggestError = 2;

SuggestReport SuggestLive(const SuggestOptions& options) {
  const kube::base::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock, write_line);
  SuggestReport report = migrate::check::SuggestForCluster(
      {.crd_names = options.input.crds,
       .crd_selector = options.crd_selector,
       .filenames = options.input.filenames,
       .recursive = options.input.recursive,
       .namespace_ = options.objects.namespace_,
       .label_selector = options.objects.selector,
       .field_selector = options.objects.field_selector,
       .chunk_size = options.objects.chunk_size,
       .prefer = options.prefer,
       .on_files_read = CatchStopSignals,
       .on_progress = [&progress](const auto& what,
                                  const auto& counts) { progress.Show(what, counts); }},
      cluster.session());
  WarnOfMissingNamespace(options.objects.namespace_, cluster, write_line);
  return report;
}

SuggestReport SuggestLocal(const SuggestOptions& options) {
  return migrate::check::SuggestForFiles({.filenames = options.input.filenames,
                                          .recursive = options.input.recursive,
                                          .crd_names = options.input.crds,
                                          .prefer = options.prefer});
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
  for (const std::string& note : report.notes)
    terminal::WriteStderr("note: " + terminal::Printable(note) + "\n");
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

void SuggestCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  cli::AddInputFlags(flag_set, options_.input);
  cli::AddPatienceFlag(flag_set, raw);
  cli::AddObjectFlags(flag_set, options_.objects, raw);
  flag_set.String("crd-selector", 0, options_.crd_selector);
  flag_set.String("output", 'o', raw.output);
  flag_set.String("prefer", 0, prefer_);
}

void SuggestCommand::SetArguments(std::vector<std::string> arguments) {
  options_.input.crds = std::move(arguments);
}

void SuggestCommand::Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) {
  cli::Finish("suggest", options_.objects, options_.common.connection, flag_set, raw);
  cli::ValidateLabelSelector("suggest", "--crd-selector", options_.crd_selector);
  cli::RefuseIfLocal("suggest", options_.input, options_.objects, options_.crd_selector);
  cli::RequireFiles("suggest", options_.input, flag_set);
  options_.output = cli::ParseSuggestOutput(raw.output);
  if (prefer_ == "preserve") {
    options_.prefer = kube::suggest::Prefer::kPreserve;
  } else if (flag_set.IsGiven("prefer") && prefer_ != "fields") {
    throw cli::UsageError(
        "suggest", "invalid --prefer value (" + prefer_ + "), must be \"fields\" or \"preserve\"");
  }
}

int SuggestCommand::Run() {
  const SuggestReport report =
      options_.input.local ? SuggestLocal(options_) : SuggestLive(options_);
  if (report.is_stopped) {
    terminal::WriteStderr(terminal::ErrorText("interrupted: not all objects were read") + "\n");
    return StopExitCode();
  }
  const int code = Print(report, options_.output);
  PrintWords(report);
  if (const int stopped = StopExitCode()) return stopped;
  return code != 0 ? code : ExitCodeOf(report);
}

}  // namespace plugin::command
