#pragma once

#include <string>
#include <vector>

#include "kube/suggest/observed_schema.h"
#include "plugin/cli/command.h"
#include "plugin/cli/options.h"

namespace plugin::command {

struct SuggestOptions {
  cli::CommonOptions common;
  cli::InputOptions input;
  std::string crd_selector;
  cli::ObjectOptions objects;
  kube::suggest::Prefer prefer = kube::suggest::Prefer::kFields;
  terminal::OutputFormat output = terminal::OutputFormat::kYaml;
};

/// Prints CRDs that are structural and specify what their objects hold. Its exit code: 0 each is
/// proven by a check, 1 something is left to a person, 2 an error.
class SuggestCommand final : public cli::CommandWith<SuggestOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  std::string prefer_;
};

}  // namespace plugin::command
