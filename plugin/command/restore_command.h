#pragma once

#include <string>
#include <vector>

#include "kube/meta/field_choice.h"
#include "migrate/inspect/object_diff.h"
#include "plugin/flags/command.h"
#include "plugin/flags/restore_options.h"

namespace plugin::command {

/// Puts back what pruning took from the objects of a backup, and prints the report.
class RestoreCommand final : public flags::CommandWith<flags::RestoreOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  std::vector<migrate::inspect::DiffTarget> targets_;
  kube::meta::FieldChoice fields_;
  flags::RawRestoreValues raw_;
};

}  // namespace plugin::command
