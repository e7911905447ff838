#include "plugin/command/fleet_console.h"

#include <algorithm>
#include <utility>

#include "plugin/report/fleet_table.h"
#include "plugin/terminal/sweep_progress.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

FleetConsole::FleetConsole(std::size_t clusters, bool is_terminal, terminal::Progress::Write write,
                           const kube::base::Clock& clock)
    : clusters_(clusters), is_terminal_(is_terminal), write_(std::move(write)), clock_(clock) {}

void FleetConsole::WriteLine(const std::string& cluster, const std::string& line) {
  const kube::base::MutexLock lock(mutex_);
  ProgressOf(cluster).WriteLine(cluster + ": " + line);
}

void FleetConsole::Show(const std::string& cluster, const std::string& what,
                        const migrate::cluster::ListProgress& progress) {
  ShowText(cluster, terminal::ProgressText(what, progress));
}

// Without a rate: one live line for all has no time to measure it in.
void FleetConsole::Show(const std::string& cluster, const std::string& what,
                        const migrate::rewrite::SweepProgress& progress) {
  ShowText(cluster, terminal::SweepText(what, progress, /*rate=*/0));
}

void FleetConsole::ShowText(const std::string& cluster, const std::string& text) {
  const kube::base::MutexLock lock(mutex_);
  const std::string done =
      std::to_string(ended_) + " of " + std::to_string(clusters_) + " clusters done; ";
  ProgressOf(cluster).ShowText((is_terminal_ ? done : "") + cluster + ": " + text);
}

void FleetConsole::Ask(const std::vector<std::string>& lines, const std::string& question) {
  const kube::base::MutexLock lock(mutex_);
  terminal::Progress& progress = ProgressOf("");
  for (const std::string& line : lines) progress.WriteLine(line);
  progress.Ask(question);
}

void FleetConsole::EndQuestion() {
  const kube::base::MutexLock lock(mutex_);
  ProgressOf("").WriteLine("");
}

void FleetConsole::End(const std::string& cluster) {
  const kube::base::MutexLock lock(mutex_);
  ++ended_;
  ProgressOf(cluster).Clear();
}

// Two live lines would write over each other.
terminal::Progress& FleetConsole::ProgressOf(const std::string& cluster) {
  std::unique_ptr<terminal::Progress>& progress = progress_[is_terminal_ ? "" : cluster];
  if (!progress) progress = std::make_unique<terminal::Progress>(is_terminal_, write_, clock_);
  return *progress;
}

void DeduplicatedMessages::Add(const std::string& cluster, std::string_view text) {
  for (std::string& line : terminal::LinesOf(text)) {
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
