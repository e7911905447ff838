#include "plugin/report/page.h"

namespace plugin::report {

std::vector<Fact> RunFactsOf(const Page& page) {
  std::vector<Fact> facts;
  const auto add = [&facts](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({name, value});
  };
  add("Cluster", page.run.cluster);
  add("Context", page.run.context);
  add("Time", page.run.time);
  add("Version", page.run.version);
  return facts;
}

}  // namespace plugin::report
