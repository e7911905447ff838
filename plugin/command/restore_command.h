#pragma once

#include <string>
#include <vector>

#include "kube/meta/field_choice.h"
#include "migrate/check/object_diff.h"
#include "migrate/report/restore_report.h"
#include "plugin/cli/command.h"
#include "plugin/cli/restore_options.h"

namespace plugin::command {

/// What goes where, and how the program ends.
struct RestoreOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 all is back, 1 some object is not, 2 an error; not of signals
};

/// Prints `report` in the format of `options`; of pages (plugin/report) what stderr gets
/// alone.
RestoreOutput PrintRestore(const migrate::report::RestoreReport& report,
                           const cli::RestoreOptions& options);

/// Puts back what pruning took from the objects of a backup, and prints the report.
class RestoreCommand final : public cli::CommandWith<cli::RestoreOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;

 private:
  std::vector<migrate::check::DiffTarget> targets_;
  kube::meta::FieldChoice fields_;
  cli::RawRestoreValues raw_;
};

}  // namespace plugin::command
