#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/cli/command.h"
#include "plugin/cli/options.h"
#include "plugin/cli/write_flags.h"
#include "plugin/command/population_service.h"

namespace plugin::command {

struct PopulateOptions {
  cli::CommonOptions common;
  cli::InputOptions input;              ///< of templates and namespaces, where they are local
  std::vector<std::string> namespaces;  ///< names; none: all of the files, or of the cluster
  terminal::OutputFormat output = terminal::OutputFormat::kYaml;  ///< of local ones

  // Without --local, migrate/populate/population.h says what they mean:
  bool once = false;
  bool diff = false;  ///< shows what `once` would change
  cli::DryRunChoice dry_run;
  std::optional<int> concurrency{};
  double max_rate = 0;
  bool trusts_creator = false;

  PopulationServiceOptions service{};  ///< without --local, --once and --diff
};

/// Keeps namespaces as NamespaceTemplates say, with --once brings them there, with --diff has a
/// diff program show what that would change, and with --local prints the objects that they get. Its
/// exit code: 0 all of them are applied, or printed, or a signal has ended what would go on; 1 some
/// object, or template, is left out; 2 an error. Of --diff it is that of DiffCommand.
class PopulateCommand final : public cli::CommandWith<PopulateOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  struct RawOptions {
    std::string dry_run = "none", max_rate{}, reach{};
    std::string resync = "0", initialization_timeout = "30s";
    std::vector<std::string> webhooks{}, ignored_failures{}, opt_out_accounts{};
    bool persistent = false;
  };

  void FinishService(const cli::FlagSet& flag_set);
  void FinishWebhooks(migrate::populate::WebhookOptions& webhooks);

  RawOptions raw_;
};

/// Prints what namespaces get by the templates of files (`populate --local`), and tells what is
/// left out. Returns the exit code of PopulateCommand.
int PrintLocalPopulation(const PopulateOptions& options);

}  // namespace plugin::command
