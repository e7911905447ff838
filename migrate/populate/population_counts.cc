#include "migrate/populate/population_counts.h"

#include <string_view>

#include "kube/base/metrics_text.h"

namespace migrate::populate {

using report::PopulationClass;

void PopulationCounts::Set(const Gauges& gauges) {
  namespaces_ = gauges.namespaces;
  templates_ = gauges.templates;
  due_ = gauges.due;
  unfinished_ = gauges.unfinished;
  refused_ = gauges.refused;
  leads_ = gauges.leads;
  is_blind_ = gauges.is_blind;
}

void PopulationCounts::Count(PopulationClass population_class) {
  ++objects_.at(static_cast<std::size_t>(population_class));
}

std::string PopulationCounts::PrintMetrics() const {
  std::string out;
  const auto gauge = [&out](std::string_view name, std::string_view help, std::size_t value) {
    kube::base::AppendMetric(out, name, "gauge", help, value);
  };
  gauge("populate_namespaces", "Namespaces of the cluster.", namespaces_);
  gauge("populate_templates", "NamespaceTemplates of the cluster.", templates_);
  gauge("populate_templates_refused", "NamespaceTemplates that are refused.", refused_);
  gauge("populate_namespaces_due", "Namespaces that are to be looked at now.", due_);
  gauge("populate_namespaces_unfinished", "Namespaces in which something failed.", unfinished_);
  gauge("populate_leader", "1 where this replica populates, 0 where another one does.", leads_);
  gauge("populate_blind", "1 while changes of the cluster are not seen.", is_blind_);
  kube::base::AppendMetric(out, "populate_rounds_total", "counter",
                           "How often namespaces were looked at.", rounds_);
  constexpr std::string_view kObjects = "populate_objects_total";
  kube::base::AppendMetricHead(out, kObjects, "counter", "Objects, by what became of them.");
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    kube::base::AppendMetricSample(out, kObjects,
                                   {{"result", ClassName(static_cast<PopulationClass>(i))}},
                                   std::to_string(objects_.at(i)));
  }
  return out;
}

}  // namespace migrate::populate
