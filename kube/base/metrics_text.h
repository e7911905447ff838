#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

/// Metrics in Prometheus's text format (version 0.0.4). All append whole lines to `out`.
namespace kube::base {

/// The names of labels and their values, which may be any text.
using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// What the samples behind it are of; `type` is "counter", "gauge" or "histogram".
void AppendMetricHead(std::string& out, std::string_view name, std::string_view type,
                      std::string_view help);
/// `value` is a number as Prometheus reads it.
void AppendMetricSample(std::string& out, std::string_view name, MetricLabels labels,
                        std::string_view value);
/// A metric with one sample and no labels, head and all.
void AppendMetric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, std::uint64_t value);

}  // namespace kube::base
