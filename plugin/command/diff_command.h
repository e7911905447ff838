#pragma once

#include <string>
#include <vector>

#include "migrate/check/object_diff.h"
#include "plugin/cli/command.h"
#include "plugin/cli/options.h"

namespace plugin::command {

struct DiffOptions {
  cli::CommonOptions common;
  cli::InputOptions input;  ///< without `crds`
  std::vector<migrate::check::DiffTarget> targets;
  std::string crd_selector;
  cli::ObjectOptions objects;
  std::string version;                 ///< empty: the storage version
  std::vector<std::string> mutations;  ///< files of mutation trees
  std::string backup;  ///< shows what restore would change by this file; empty: what pruning does
  bool show_managed_fields = false;
};

/// Has a diff program compare objects with what pruning leaves of them. Its exit code: 0 no
/// differences, 1 differences, 2 an error, or what could be compared is not all.
class DiffCommand final : public cli::CommandWith<DiffOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;
};

}  // namespace plugin::command
