#pragma once

#include <string>

namespace plugin::terminal {

/// What a command prints (-o).
enum class OutputFormat {
  kTable,
  kWide,
  kJson,
  kYaml,
  kName,
  kTemplate,
  kHtml,
  kJunit,
  kMarkdown,
  kDiff,
  kPatch
};

/// A template of -o jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or jsonpath-file=FILE.
struct TemplateOutput {
  std::string text;  ///< empty until the file is read (plugin/report/report_forms.h)
  std::string file;  ///< where the template is; empty: in `text`
  bool as_json = false;
  bool allow_missing_keys = true;
};

}  // namespace plugin::terminal
