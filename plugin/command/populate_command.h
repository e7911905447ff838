#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/flags/command.h"
#include "plugin/flags/options.h"
#include "plugin/flags/write_flags.h"
#include "plugin/population/population_service.h"

namespace plugin::command {

struct PopulateOptions {
  flags::CommonOptions common;
  flags::InputOptions input;            ///< of templates and namespaces, where they are local
  std::vector<std::string> namespaces;  ///< names; none: all of the files, or of the cluster
  flags::OutputFormat output = flags::OutputFormat::kYaml;  ///< of local ones

  // Without --local, migrate/population/population.h says what they mean:
  bool once = false;
  bool diff = false;  ///< shows what `once` would change
  flags::DryRunChoice dry_run;
  std::optional<int> concurrency{};
  double max_rate = 0;
  bool trusts_creator = false;

  population::PopulationServiceOptions service{};  ///< without --local, --once and --diff
};

/// Keeps namespaces as NamespaceTemplates say, with --once brings them there, with --diff has a
/// diff program show what that would change, and with --local prints the objects that they get. Its
/// exit code: 0 all of them are applied, or printed, or a signal has ended what would go on; 1 some
/// object, or template, is left out; 2 an error. Of --diff it is that of DiffCommand.
class PopulateCommand final : public flags::CommandWith<PopulateOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  struct RawOptions {
    std::string dry_run = "none", max_rate{}, reach{};
    std::string resync = "0", initialization_timeout = "30s";
    std::vector<std::string> webhooks{}, ignored_failures{}, opt_out_accounts{};
    bool persistent = false;
  };

  void FinishService(const flags::FlagSet& flag_set);
  void FinishWebhooks(migrate::populate::webhooks::WebhookOptions& webhooks);

  RawOptions raw_;
};

}  // namespace plugin::command
