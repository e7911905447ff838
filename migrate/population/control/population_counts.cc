#include "migrate/population/control/population_counts.h"

#include <initializer_list>
#include <string_view>

namespace migrate::population::control {
namespace {

using report::PopulationClass;

constexpr PopulationClass kAll[] = {PopulationClass::kApplied, PopulationClass::kUnchanged,
                                    PopulationClass::kPruned,  PopulationClass::kGone,
                                    PopulationClass::kKept,    PopulationClass::kRefused,
                                    PopulationClass::kFailed};

std::string_view NameOf(PopulationClass population_class) {
  switch (population_class) {
    case PopulationClass::kApplied:
      return "applied";
    case PopulationClass::kUnchanged:
      return "unchanged";
    case PopulationClass::kPruned:
      return "pruned";
    case PopulationClass::kGone:
      return "gone";
    case PopulationClass::kKept:
      return "kept";
    case PopulationClass::kRefused:
      return "refused";
    case PopulationClass::kFailed:
      return "failed";
  }
  return "";
}

std::string Head(std::string_view name, std::string_view help, std::string_view type) {
  std::string text = "# HELP ";
  text.append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  return text.append(" ").append(type).append("\n");
}

std::string Gauge(std::string_view name, std::string_view help, std::size_t value) {
  return Head(name, help, "gauge").append(name).append(" ") + std::to_string(value) + "\n";
}

}  // namespace

void PopulationCounts::Set(const Gauges& gauges) {
  namespaces_ = gauges.namespaces;
  templates_ = gauges.templates;
  due_ = gauges.due;
  unfinished_ = gauges.unfinished;
  leads_ = gauges.leads;
  is_blind_ = gauges.is_blind;
}

void PopulationCounts::Count(PopulationClass population_class) {
  ++objects_.at(static_cast<std::size_t>(population_class));
}

std::string PopulationCounts::PrintMetrics() const {
  std::string text =
      Gauge("populate_namespaces", "Namespaces of the cluster.", namespaces_) +
      Gauge("populate_templates", "NamespaceTemplates of the cluster.", templates_) +
      Gauge("populate_namespaces_due", "Namespaces that are to be looked at now.", due_) +
      Gauge("populate_namespaces_unfinished", "Namespaces in which something failed.",
            unfinished_) +
      Gauge("populate_leader", "1 where this replica populates, 0 where another one does.",
            leads_ ? 1 : 0) +
      Gauge("populate_blind", "1 while changes of the cluster are not seen.", is_blind_ ? 1 : 0);
  constexpr std::string_view kRounds = "populate_rounds_total";
  text += Head(kRounds, "How often namespaces were looked at.", "counter");
  text.append(kRounds).append(" ").append(std::to_string(rounds_)).append("\n");
  constexpr std::string_view kObjects = "populate_objects_total";
  text += Head(kObjects, "Objects, by what became of them.", "counter");
  for (const PopulationClass each : kAll) {
    text.append(kObjects).append("{result=\"").append(NameOf(each)).append("\"} ");
    text.append(std::to_string(objects_.at(static_cast<std::size_t>(each)))).append("\n");
  }
  return text;
}

}  // namespace migrate::population::control
