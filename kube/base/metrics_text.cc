#include "kube/base/metrics_text.h"

namespace kube::base {
namespace {

void AppendEscaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    c == '\n' ? out.append("\\n") : out.append(1, c);
  }
}

}  // namespace

void AppendMetricHead(std::string& out, std::string_view name, std::string_view type,
                      std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void AppendMetricSample(std::string& out, std::string_view name, MetricLabels labels,
                        std::string_view value) {
  out.append(name);
  char before = '{';
  for (const auto& [label, text] : labels) {
    out.append(1, before).append(label).append("=\"");
    AppendEscaped(out, text);
    out += '"';
    before = ',';
  }
  out.append(labels.size() == 0 ? " " : "} ").append(value).append("\n");
}

void AppendMetric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, std::uint64_t value) {
  AppendMetricHead(out, name, type, help);
  AppendMetricSample(out, name, {}, std::to_string(value));
}

}  // namespace kube::base
