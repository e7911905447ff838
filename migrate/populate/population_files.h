#pragma once

#include <string>
#include <vector>

#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"
#include "migrate/report/check_report.h"

namespace migrate::populate {

/// The NamespaceTemplates and Namespaces of files.
struct PopulationFiles {
  std::vector<NamespaceTemplate> templates;  ///< by name, each once
  std::vector<TargetNamespace> namespaces;   ///< by name, each once
  /// What is neither, by apiVersion and kind.
  std::vector<report::UnknownKind> others;
  /// What came twice, of which the last one counts, and unknown fields.
  std::vector<std::string> warnings;
  std::vector<std::string> errors;  ///< "file:line:column: why", in the order of reading
  std::vector<std::string> hints;   ///< as report::CheckReport::file_hints
};

/// Reads the files of -f. Throws kube::base::Error for a path that does not exist; what else is
/// wrong is in the result.
PopulationFiles ReadPopulationFiles(const std::vector<std::string>& filenames, bool recursive);

}  // namespace migrate::populate
