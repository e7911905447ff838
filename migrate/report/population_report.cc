#include "migrate/report/population_report.h"

#include <array>

namespace migrate::report {

std::string_view ClassName(PopulationClass population_class) {
  constexpr std::array<std::string_view, kPopulationClasses> kNames = {
      "applied", "unchanged", "pruned", "gone", "kept", "refused", "failed"};
  return kNames.at(static_cast<std::size_t>(population_class));
}

}  // namespace migrate::report
