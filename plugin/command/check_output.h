#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/meta/field_choice.h"
#include "migrate/report/check_report.h"
#include "plugin/cli/fleet_flags.h"
#include "plugin/cli/options.h"
#include "plugin/report/check_table.h"

namespace plugin::command {

/// Which findings make the exit code 1.
struct FailOn {
  bool blocked = true;
  bool loses_fields = true;
  bool invalid = true;
  bool migration_needed = false;
};

struct CheckOptions {
  cli::CommonOptions common;
  cli::InputOptions input;
  std::string crd_selector;  ///< which CRDs of the cluster; empty: all
  cli::ObjectOptions objects;
  terminal::OutputFormat output = terminal::OutputFormat::kTable;
  terminal::TemplateOutput output_template;  ///< only with kTemplate
  bool show_objects = false;
  std::optional<kube::meta::FieldChoice> opened;  ///< absent: no row is
  bool skip_objects = false;
  bool all_objects = false;
  std::string state_dir;  ///< empty: the default
  FailOn fail_on;
  std::vector<std::string> guard_reports{};  ///< files of `guard --report-file`
  std::vector<std::string> ignore;           ///< CRDs to leave out, named as `input.crds`
  bool no_headers = false;
  cli::FleetOptions fleet;
  kube::base::Release server_release = kube::base::kNewestRelease;  ///< with --local
  bool print_transitional = false;  ///< CRDs between two releases, in the place of a report
};

/// What goes where, and how the program ends.
struct CheckOutput {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0 clean, 1 findings that --fail-on counts, 2 an error
};

/// How a program ends that found this, 0, 1 or 2.
int ExitCode(const migrate::report::CheckReport& report, const CheckOptions& options);

/// What is told on stderr of `report`, as whole lines: what could not be read, and, where `options`
/// want no sections, what they would have said of it.
std::string PrintErrors(const migrate::report::CheckReport& report, const CheckOptions& options);

/// True where what was found is explained below its rows.
bool ShowsSections(const CheckOptions& options);

/// How tables are to look. `now` is what ages are counted to.
report::CheckTableOptions TableOptions(const CheckOptions& options, std::chrono::sys_seconds now);

/// The CRD as -o name has it.
std::string NameOf(const migrate::report::CrdReport& crd);

/// Prints `report` as `options` say. `now` is what ages are counted to.
CheckOutput PrintCheck(const migrate::report::CheckReport& report, const CheckOptions& options,
                       std::chrono::sys_seconds now);

}  // namespace plugin::command
