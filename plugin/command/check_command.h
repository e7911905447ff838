#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/field_choice.h"
#include "migrate/report/check_report.h"
#include "plugin/flags/command.h"
#include "plugin/flags/options.h"

namespace plugin::command {

/// Which findings make the exit code 1.
struct FailOn {
  bool blocked = true;
  bool loses_fields = true;
  bool invalid = true;
  bool migration_needed = false;
};

struct CheckOptions {
  flags::CommonOptions common;
  flags::InputOptions input;
  std::string crd_selector;  ///< which CRDs of the cluster; empty: all
  flags::ObjectOptions objects;
  flags::OutputFormat output = flags::OutputFormat::kTable;
  flags::TemplateOutput output_template;  ///< only with kTemplate
  bool show_objects = false;
  std::optional<kube::meta::FieldChoice> opened;  ///< absent: no row is
  bool skip_objects = false;
  bool all_objects = false;
  std::string state_dir;  ///< empty: the default
  FailOn fail_on;
  std::vector<std::string> guard_reports{};  ///< files of `guard --report-file`
  std::vector<std::string> ignore;           ///< CRDs to leave out, named as `input.crds`
  bool no_headers = false;
  bool print_transitional = false;  ///< CRDs between two releases, in the place of a report
};

/// Checks what its options name, and prints the report.
class CheckCommand final : public flags::CommandWith<CheckOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;

 private:
  std::vector<std::string> fail_on_, expand_;
};

/// What goes where, and how the program ends.
struct CheckOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 clean, 1 findings that --fail-on counts, 2 an error
};

/// Prints `report` as `options` say. `now` is what ages are counted to.
CheckOutput PrintCheck(const migrate::report::CheckReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now);

}  // namespace plugin::command
