#include "plugin/cli/output_flag.h"

#include <algorithm>
#include <iterator>

#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "plugin/cli/usage_error.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;

terminal::OutputFormat FormatOf(std::string_view output) {
  if (output.ends_with('=')) return terminal::OutputFormat::kTemplate;
  if (output == "json") return terminal::OutputFormat::kJson;
  if (output == "yaml") return terminal::OutputFormat::kYaml;
  if (output == "diff") return terminal::OutputFormat::kDiff;
  if (output == "html") return terminal::OutputFormat::kHtml;
  if (output == "junit") return terminal::OutputFormat::kJunit;
  if (output == "markdown") return terminal::OutputFormat::kMarkdown;
  if (output == "patch") return terminal::OutputFormat::kPatch;
  if (output == "name") return terminal::OutputFormat::kName;
  return output == "wide" ? terminal::OutputFormat::kWide : terminal::OutputFormat::kTable;
}

// In any case of letters, but for templates, as kubectl. Empty is `otherwise`.
terminal::OutputFormat ParseOutput(std::string_view command, const std::string& text,
                                   terminal::OutputFormat otherwise,
                                   std::span<const std::string_view> outputs) {
  if (text.empty()) return otherwise;
  const std::string name = text.substr(0, text.find('='));
  const std::string wanted = kube::base::ToLower(text);
  std::string allowed;
  for (std::string_view output : outputs) {
    const terminal::OutputFormat format = FormatOf(output);
    const bool is_template = format == terminal::OutputFormat::kTemplate;
    if (is_template) output.remove_suffix(1);
    if (output == (is_template ? name : wanted)) return format;
    allowed.append(allowed.empty() ? "" : ",").append(output);
  }
  throw UsageError(command, "unable to match a printer suitable for the output format " +
                                GoQuote(text) + ", allowed formats are: " + allowed);
}

}  // namespace

terminal::OutputFormat ParseCheckOutput(const std::string& text) {
  return ParseOutput("check", text, terminal::OutputFormat::kTable, kCheckOutputs);
}

terminal::OutputFormat ParseMigrateOutput(const std::string& text, bool local) {
  return local ? ParseOutput("migrate", text, terminal::OutputFormat::kYaml, kLocalMigrateOutputs)
               : ParseOutput("migrate", text, terminal::OutputFormat::kTable, kMigrateOutputs);
}

terminal::OutputFormat ParsePopulateOutput(const std::string& text) {
  return ParseOutput("populate", text, terminal::OutputFormat::kYaml, kPopulateOutputs);
}

terminal::OutputFormat ParseRestoreOutput(const std::string& text) {
  return ParseOutput("restore", text, terminal::OutputFormat::kTable, kRestoreOutputs);
}

terminal::OutputFormat ParseSuggestOutput(const std::string& text) {
  return ParseOutput("suggest", text, terminal::OutputFormat::kYaml, kSuggestOutputs);
}

terminal::OutputFormat ParseVersionOutput(const std::string& text) {
  if (text.empty()) return terminal::OutputFormat::kTable;
  if (std::ranges::find(kVersionOutputs, text) == std::end(kVersionOutputs)) {
    throw UsageError("version", "--output must be 'yaml' or 'json'");
  }
  return FormatOf(text);
}

terminal::TemplateOutput ParseTemplate(std::string_view command, const std::string& text,
                                       bool allow_missing_keys) {
  const std::size_t equals = text.find('=');
  const std::string format = text.substr(0, equals);
  std::string value;
  if (equals != std::string::npos) value = text.substr(equals + 1);
  if (value.empty()) throw UsageError(command, "template format specified but no template given");
  terminal::TemplateOutput result;
  (format == "jsonpath-file" ? result.file : result.text) = std::move(value);
  result.as_json = format == "jsonpath-as-json";
  result.allow_missing_keys = allow_missing_keys;
  return result;
}

}  // namespace plugin::cli
