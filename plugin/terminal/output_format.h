#pragma once

#include <string>
#include <string_view>

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

/// A format as -o has it, a template with its "=".
struct FormatName {
  std::string_view name;
  OutputFormat format;
  bool is_of_reports = true;  ///< of each command that prints a report
};

/// Sorted as they are listed to a person.
inline constexpr FormatName kFormatNames[] = {{"diff", OutputFormat::kDiff, false},
                                              {"html", OutputFormat::kHtml},
                                              {"json", OutputFormat::kJson},
                                              {"jsonpath=", OutputFormat::kTemplate},
                                              {"jsonpath-as-json=", OutputFormat::kTemplate},
                                              {"jsonpath-file=", OutputFormat::kTemplate},
                                              {"junit", OutputFormat::kJunit},
                                              {"markdown", OutputFormat::kMarkdown},
                                              {"name", OutputFormat::kName},
                                              {"patch", OutputFormat::kPatch, false},
                                              {"table", OutputFormat::kTable, false},
                                              {"wide", OutputFormat::kWide, false},
                                              {"yaml", OutputFormat::kYaml}};

/// A template of -o jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or jsonpath-file=FILE.
struct TemplateOutput {
  std::string text;  ///< empty until the file is read (plugin/report/report_forms.h)
  std::string file;  ///< where the template is; empty: in `text`
  bool as_json = false;
  bool allow_missing_keys = true;
};

}  // namespace plugin::terminal
