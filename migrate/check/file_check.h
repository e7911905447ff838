#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/meta/field_choice.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

struct FileCheckOptions {
  std::vector<std::string> filenames{};  ///< values of -f
  bool recursive = false;
  std::vector<std::string> crd_names{};     ///< only these, in any form kubectl knows; empty: all
  std::vector<std::string> ignored_crds{};  ///< leave these out
  bool skip_objects = false;
  bool show_objects = false;
  std::optional<kube::meta::FieldChoice> opened{};           ///< CrdCheckOptions
  kube::base::Release release = kube::base::kNewestRelease;  ///< of the server that is meant
};

/// Checks the CRDs in files and, by them, the custom resources in the same files (check --local).
///
/// CRDs may stand anywhere in the input. Where several have the same name, objects are checked
/// against each. Throws kube::base::Error for a path that does not exist and for a name that no
/// CRD, or more than one, answers to; everything else that is wrong with the input is in the
/// report.
report::CheckReport CheckFiles(const FileCheckOptions& options);

}  // namespace migrate::check
