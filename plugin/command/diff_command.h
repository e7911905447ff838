#pragma once

#include <string>
#include <vector>

#include "migrate/inspect/object_diff.h"
#include "plugin/flags/command.h"
#include "plugin/flags/options.h"

namespace plugin::command {

struct DiffOptions {
  flags::CommonOptions common;
  flags::InputOptions input;  ///< without `crds`
  std::vector<migrate::inspect::DiffTarget> targets;
  std::string crd_selector;
  flags::ObjectOptions objects;
  std::string version;                 ///< empty: the storage version
  std::vector<std::string> mutations;  ///< files of mutation trees
  std::string backup;  ///< shows what restore would change by this file; empty: what pruning does
  bool show_managed_fields = false;
};

/// Has a diff program compare objects with what pruning leaves of them. Its exit code: 0 no
/// differences, 1 differences, 2 an error, or what could be compared is not all.
class DiffCommand final : public flags::CommandWith<DiffOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;
};

}  // namespace plugin::command
