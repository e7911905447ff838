#include "plugin/flags/output_format.h"

#include <algorithm>
#include <iterator>

#include "kube/base/ascii.h"
#include "kube/go/go_format.h"
#include "plugin/flags/usage_error.h"

namespace plugin::flags {
namespace {

using kube::go::GoQuote;

OutputFormat FormatOf(std::string_view output) {
  if (output.ends_with('=')) return OutputFormat::kTemplate;
  if (output == "json") return OutputFormat::kJson;
  if (output == "yaml") return OutputFormat::kYaml;
  if (output == "diff") return OutputFormat::kDiff;
  if (output == "html") return OutputFormat::kHtml;
  if (output == "junit") return OutputFormat::kJunit;
  if (output == "markdown") return OutputFormat::kMarkdown;
  if (output == "patch") return OutputFormat::kPatch;
  if (output == "name") return OutputFormat::kName;
  return output == "wide" ? OutputFormat::kWide : OutputFormat::kTable;
}

// In any case of letters, but for templates, as kubectl. Empty is `otherwise`.
OutputFormat ParseOutput(std::string_view command, const std::string& text, OutputFormat otherwise,
                         std::span<const std::string_view> outputs) {
  if (text.empty()) return otherwise;
  const std::string name = text.substr(0, text.find('='));
  const std::string wanted = kube::base::ToLower(text);
  std::string allowed;
  for (std::string_view output : outputs) {
    const OutputFormat format = FormatOf(output);
    const bool is_template = format == OutputFormat::kTemplate;
    if (is_template) output.remove_suffix(1);
    if (output == (is_template ? name : wanted)) return format;
    allowed.append(allowed.empty() ? "" : ",").append(output);
  }
  throw UsageError(command, "unable to match a printer suitable for the output format " +
                                GoQuote(text) + ", allowed formats are: " + allowed);
}

}  // namespace

OutputFormat ParseCheckOutput(const std::string& text) {
  return ParseOutput("check", text, OutputFormat::kTable, kCheckOutputs);
}

OutputFormat ParseMigrateOutput(const std::string& text, bool local) {
  return local ? ParseOutput("migrate", text, OutputFormat::kYaml, kLocalMigrateOutputs)
               : ParseOutput("migrate", text, OutputFormat::kTable, kMigrateOutputs);
}

OutputFormat ParsePopulateOutput(const std::string& text) {
  return ParseOutput("populate", text, OutputFormat::kYaml, kPopulateOutputs);
}

OutputFormat ParseRestoreOutput(const std::string& text) {
  return ParseOutput("restore", text, OutputFormat::kTable, kRestoreOutputs);
}

OutputFormat ParseSuggestOutput(const std::string& text) {
  return ParseOutput("suggest", text, OutputFormat::kYaml, kSuggestOutputs);
}

OutputFormat ParseVersionOutput(const std::string& text) {
  if (text.empty()) return OutputFormat::kTable;
  if (std::ranges::find(kVersionOutputs, text) == std::end(kVersionOutputs)) {
    throw UsageError("version", "--output must be 'yaml' or 'json'");
  }
  return FormatOf(text);
}

TemplateOutput ParseTemplate(std::string_view command, const std::string& text,
                             bool allow_missing_keys) {
  const std::size_t equals = text.find('=');
  const std::string format = text.substr(0, equals);
  std::string value;
  if (equals != std::string::npos) value = text.substr(equals + 1);
  if (value.empty()) throw UsageError(command, "template format specified but no template given");
  TemplateOutput result;
  (format == "jsonpath-file" ? result.file : result.text) = std::move(value);
  result.as_json = format == "jsonpath-as-json";
  result.allow_missing_keys = allow_missing_keys;
  return result;
}

}  // namespace plugin::flags
