#include "plugin/flags/output_format.h"

#include <cctype>
#include <initializer_list>

#include "kube/go/go_format.h"
#include "plugin/flags/usage_error.h"

namespace plugin::flags {
namespace {

using kube::go::GoQuote;

std::string ToLower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct NamedFormat {
  std::string_view name;
  OutputFormat format;
};

constexpr NamedFormat kJsonFormat{"json", OutputFormat::kJson};
constexpr NamedFormat kJsonPathFormat{"jsonpath", OutputFormat::kTemplate};
constexpr NamedFormat kJsonPathAsJsonFormat{"jsonpath-as-json", OutputFormat::kTemplate};
constexpr NamedFormat kJsonPathFileFormat{"jsonpath-file", OutputFormat::kTemplate};
constexpr NamedFormat kNameFormat{"name", OutputFormat::kName};
constexpr NamedFormat kYamlFormat{"yaml", OutputFormat::kYaml};

// In any case of letters, but for templates, as kubectl. `formats` are sorted by name. Empty is
// `otherwise`.
OutputFormat ParseOutput(std::string_view command, const std::string& text, OutputFormat otherwise,
                         std::initializer_list<NamedFormat> formats) {
  if (text.empty()) return otherwise;
  const std::string name = text.substr(0, text.find('='));
  const std::string wanted = ToLower(text);
  std::string allowed;
  for (const NamedFormat& named : formats) {
    const bool is_template = named.format == OutputFormat::kTemplate;
    if (named.name == (is_template ? name : wanted)) return named.format;
    allowed.append(allowed.empty() ? "" : ",").append(named.name);
  }
  throw UsageError(command, "unable to match a printer suitable for the output format " +
                                GoQuote(text) + ", allowed formats are: " + allowed);
}

}  // namespace

OutputFormat ParseCheckOutput(const std::string& text) {
  return ParseOutput("check", text, OutputFormat::kTable,
                     {kJsonFormat,
                      kJsonPathFormat,
                      kJsonPathAsJsonFormat,
                      kJsonPathFileFormat,
                      kNameFormat,
                      {"table", OutputFormat::kTable},
                      {"wide", OutputFormat::kWide},
                      kYamlFormat});
}

OutputFormat ParseMigrateOutput(const std::string& text, bool local) {
  if (local) {
    return ParseOutput("migrate", text, OutputFormat::kYaml, {kJsonFormat, kYamlFormat});
  }
  return ParseOutput("migrate", text, OutputFormat::kTable,
                     {kJsonFormat, kJsonPathFormat, kJsonPathAsJsonFormat, kJsonPathFileFormat,
                      kNameFormat, kYamlFormat});
}

OutputFormat ParseVersionOutput(const std::string& text) {
  if (text.empty()) return OutputFormat::kTable;
  if (text != "json" && text != "yaml") {
    throw UsageError("version", "--output must be 'yaml' or 'json'");
  }
  return text == "json" ? OutputFormat::kJson : OutputFormat::kYaml;
}

TemplateOutput ParseTemplate(std::string_view command, const std::string& text,
                             bool allow_missing_keys) {
  const std::size_t equals = text.find('=');
  const std::string format = text.substr(0, equals);
  std::string value;
  if (equals != std::string::npos) value = text.substr(equals + 1);
  if (value.empty()) throw UsageError(command, "template format specified but no template given");
  TemplateOutput result;
  (format == kJsonPathFileFormat.name ? result.file : result.text) = std::move(value);
  result.as_json = format == kJsonPathAsJsonFormat.name;
  result.allow_missing_keys = allow_missing_keys;
  return result;
}

}  // namespace plugin::flags
