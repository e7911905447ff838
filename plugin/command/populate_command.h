#pragma once

#include <string>
#include <vector>

#include "plugin/flags/command.h"
#include "plugin/flags/options.h"

namespace plugin::command {

struct PopulateOptions {
  flags::CommonOptions common;
  flags::InputOptions input;            ///< of templates and namespaces; local
  std::vector<std::string> namespaces;  ///< names; none: all of the files
  flags::OutputFormat output = flags::OutputFormat::kYaml;
};

/// Prints the objects that namespaces get by NamespaceTemplates. Its exit code: 0 all of them are
/// printed, 1 some object is refused, 2 an error.
class PopulateCommand final : public flags::CommandWith<PopulateOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;
};

}  // namespace plugin::command
