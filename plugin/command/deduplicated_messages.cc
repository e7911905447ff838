#include "plugin/command/deduplicated_messages.h"

#include <algorithm>

#include "plugin/report/fleet_table.h"

namespace plugin::command {

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void DeduplicatedMessages::Take(const std::string& cluster, std::string_view text) {
  for (std::string& line : LinesOf(text)) {
    const auto [place, is_new] = places_.emplace(line, remarks_.size());
    if (is_new) remarks_.emplace_back(std::move(line), std::vector<std::string>());
    remarks_[place->second].second.push_back(cluster);
  }
}

std::string DeduplicatedMessages::Print(std::size_t all) const {
  std::string out;
  for (const auto& [line, clusters] : remarks_) {
    const bool is_of_all = all > 1 && clusters.size() == all;
    out += is_of_all ? "all clusters" : report::ClusterNames(clusters, /*all=*/true);
    out += ": " + line + "\n";
  }
  return out;
}

}  // namespace plugin::command
