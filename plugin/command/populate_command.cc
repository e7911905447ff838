#include "plugin/command/populate_command.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "kube/base/error.h"
#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/meta/names.h"
#include "kube/system/clock.h"
#include "migrate/populate/cluster_scope.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/population_files.h"
#include "migrate/population/population.h"
#include "plugin/access/cluster_access.h"
#include "plugin/access/stop_signal.h"
#include "plugin/access/version.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/flags/finish_options.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"
#include "plugin/report/text/population_lines.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/progress.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using migrate::populate::Expansion;
using migrate::populate::PopulationFiles;
using migrate::populate::TargetNamespace;

constexpr char kPopulate[] = "populate";
constexpr int kSomeRefused = 1;
constexpr int kPopulateError = 2;

void TellLine(std::string_view kind, const std::string& text) {
  terminal::WriteStderr(std::string(kind).append(": ") + terminal::Printable(text) + "\n");
}

void RefuseInvalidName(const std::string& name) {
  const auto problems = kube::meta::Dns1123LabelProblems(name);
  if (problems.empty()) return;
  throw flags::UsageError(kPopulate, "invalid namespace " + kube::go::GoQuote(name) + ": [" +
                                         kube::base::Join(problems, " ") + "]");
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
        TellLine("note", name + " is in none of the files, so it is taken for one without labels");
      }
    }
  }
  return chosen;
}

void TellStanding(const std::string& name, Expansion::Standing standing) {
  switch (standing) {
    case Expansion::Standing::kPopulated:
      return;
    case Expansion::Standing::kOptedOut:
      return TellLine("note", name + " has the label " + migrate::populate::kOptOutLabel +
                                  "=true, so what it has stays as it is");
    case Expansion::Standing::kSystem:
      return TellLine("note", name + " is never populated");
  }
}

/// A run over files: what it prints, and how it ends.
class LocalPopulation {
 public:
  explicit LocalPopulation(const PopulateOptions& options)
      : options_(options),
        files_(migrate::populate::ReadPopulationFiles(options.input.filenames,
                                                      options.input.recursive)),
        writer_(options.output) {}

  int Run() {
    const auto namespaces = ChooseNamespaces(options_.namespaces, files_);
    for (const TargetNamespace& target : namespaces) Populate(target);
    writer_.Finish();
    TellFiles(namespaces.empty());
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
    TellStanding(target.name, expansion.standing);
    TellUnselected(target.name, expansion);
    TellDisabled(expansion.left_alone);
    for (const auto& replaced : expansion.replaced) {
      TellLine("Warning", target.name + ": " + migrate::populate::Describe(replaced));
    }
    for (const auto& held : expansion.held) {
      TellLine("Warning", target.name + ": " + migrate::populate::Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      TellLine("error", target.name + ": left out " + key.ToString() + " of the template " +
                            template_name + ": " + why);
      has_refused_ = true;
    }
  }

  void TellUnselected(const std::string& name, const Expansion& expansion) const {
    const bool is_populated = expansion.standing == Expansion::Standing::kPopulated;
    if (!is_populated || files_.templates.empty()) return;
    if (expansion.templates.empty() && expansion.left_alone.empty()) {
      TellLine("note", "no template selects " + name);
    }
  }

  // Once each, whatever the namespaces.
  void TellDisabled(const std::vector<std::string>& templates) {
    for (const std::string& name : templates) {
      if (!told_disabled_.insert(name).second) continue;
      TellLine("note", "the template " + name + " has the label " + migrate::populate::kApplyLabel +
                           "=disable, so what was made of it stays as it is");
    }
  }

  void TellFiles(bool has_no_namespaces) const {
    for (const migrate::report::UnknownKind& other : files_.others) {
      TellLine("note", std::to_string(other.objects) + " of kind " + other.kind + " (" +
                           other.api_version +
                           ") left out: neither a NamespaceTemplate nor a Namespace");
    }
    for (const std::string& warning : files_.warnings) TellLine("Warning", warning);
    for (const std::string& hint : files_.hints) TellLine("Warning", hint);
    for (const std::string& error : files_.errors) TellLine("error", error);
    if (!files_.errors.empty()) return;
    if (files_.templates.empty()) TellLine("error", "the files of -f hold no NamespaceTemplate");
    if (has_no_namespaces) {
      TellLine("error", "the files of -f hold no Namespace; name one that is to be populated");
    }
  }

  const PopulateOptions& options_;
  const PopulationFiles files_;
  ManifestWriter writer_;
  bool has_refused_ = false;
  std::set<std::string> told_disabled_;
};

migrate::population::PopulationOptions MakePopulationOptions(const PopulateOptions& options) {
  migrate::population::PopulationOptions result;
  const std::set<std::string> each_once(options.namespaces.begin(), options.namespaces.end());
  result.namespaces.assign(each_once.begin(), each_once.end());
  result.dry_run = options.dry_run.strategy;
  result.version = access::kVersion;
  result.concurrency = static_cast<std::size_t>(options.concurrency);
  result.max_rate = options.max_rate;
  return result;
}

migrate::report::PopulationReport PopulateCluster(const PopulateOptions& options) {
  const kube::system::SystemClock clock;
  terminal::Progress progress(terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock);
  const auto write_line = [&progress](const std::string& line) { progress.WriteLine(line); };
  const bool only_reads = options.dry_run.strategy == migrate::report::DryRun::kClient;
  using Right = access::ClusterAccess::Right;
  access::ClusterAccess cluster(options.common, only_reads ? Right::kRead : Right::kWrite, clock,
                                write_line);
  auto population = MakePopulationOptions(options);
  population.on_line = write_line;
  population.on_progress = [&progress](std::size_t done, std::size_t expected) {
    progress.Show("namespaces", migrate::sweep::SweepProgress{
                                    .listed = done, .expected = expected, .counts = {}});
  };
  auto report = migrate::population::Populate(population, cluster.session());
  progress.Clear();
  return report;
}

int RunOnce(const PopulateOptions& options) {
  if (!options.dry_run.warning.empty()) {
    terminal::WriteStderr("Warning: " + options.dry_run.warning + "\n");
  }
  access::CatchStopSignals();
  const auto output = report::text::PrintPopulation(PopulateCluster(options));
  terminal::WriteStdout(output.out);
  terminal::WriteStderr(output.err);
  const int stopped = access::StopExitCode();
  return stopped == 0 ? output.exit_code : stopped;
}

// Of what is in files nothing is written, and what is in a cluster is not printed.
void RefuseOfOther(const PopulateOptions& options, const flags::FlagSet& flag_set) {
  flags::RefuseBoth(kPopulate, options.once, "--once", options.input.local, "--local");
  for (const char* name : {"filename", "output", "recursive"}) {
    flags::RefuseBoth(kPopulate, options.once, "--once", flag_set.IsGiven(name),
                      std::string("--") + name);
  }
  for (const char* name : {"concurrency", "dry-run", "max-rate"}) {
    flags::RefuseBoth(kPopulate, options.input.local, "--local", flag_set.IsGiven(name),
                      std::string("--") + name);
  }
}

}  // namespace

void PopulateCommand::AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) {
  flags::AddPatienceFlag(flag_set, raw);
  flags::AddInputFlags(flag_set, options_.input);
  flag_set.String("output", 'o', raw.output);
  flag_set.Bool("once", 0, options_.once);
  flag_set.OptionalString("dry-run", raw_dry_run_, std::string(flags::kBareDryRun));
  flag_set.Int("concurrency", 0, options_.concurrency);
  flag_set.String("max-rate", 0, raw_max_rate_);
}

void PopulateCommand::TakeArguments(std::vector<std::string> arguments) {
  options_.namespaces = std::move(arguments);
}

void PopulateCommand::Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) {
  if (flag_set.IsGiven("namespace")) {
    throw flags::UsageError(kPopulate,
                            "--namespace has no meaning here; name namespaces as arguments");
  }
  RefuseOfOther(options_, flag_set);
  const bool has_local = options_.input.local && flag_set.IsGiven("filename");
  if (!options_.once && !has_local) {
    throw flags::UsageError(kPopulate,
                            "populate needs --once, or --local and -f: name what is to be done");
  }
  if (!options_.once) flags::RequireFiles(kPopulate, options_.input, flag_set);
  for (const std::string& name : options_.namespaces) RefuseInvalidName(name);
  options_.output = flags::ParsePopulateOutput(raw.output);
  options_.dry_run = flags::ParseDryRun(kPopulate, raw_dry_run_);
  options_.max_rate = flags::ParseMaxRate(kPopulate, raw_max_rate_);
  flags::RequireConcurrency(kPopulate, options_.concurrency);
}

int PopulateCommand::Run() {
  return options_.once ? RunOnce(options_) : LocalPopulation(options_).Run();
}

}  // namespace plugin::command
