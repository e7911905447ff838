#pragma once

#include <string>
#include <vector>

#include "kube/crd/suggest/observed_schema.h"
#include "plugin/flags/command.h"
#include "plugin/flags/options.h"

namespace plugin::command {

struct SuggestOptions {
  flags::CommonOptions common;
  flags::InputOptions input;
  std::string crd_selector;
  flags::ObjectOptions objects;
  kube::crd::suggest::Prefer prefer = kube::crd::suggest::Prefer::kFields;
  flags::OutputFormat output = flags::OutputFormat::kYaml;
};

/// Prints CRDs that are structural and specify what their objects hold. Its exit code: 0 each is
/// proven by a check, 1 something is left to a person, 2 an error.
class SuggestCommand final : public flags::CommandWith<SuggestOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  std::string prefer_;
};

}  // namespace plugin::command
