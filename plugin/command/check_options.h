#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/meta/field_choice.h"
#include "plugin/cli/fleet_flags.h"
#include "plugin/cli/options.h"

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

}  // namespace plugin::command
