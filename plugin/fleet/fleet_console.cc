#include "plugin/fleet/fleet_console.h"

#include <utility>

namespace plugin::fleet {

FleetConsole::FleetConsole(std::size_t clusters, bool is_terminal, terminal::Progress::Write write,
                           const kube::system::Clock& clock)
    : clusters_(clusters), is_terminal_(is_terminal), write_(std::move(write)), clock_(clock) {}

void FleetConsole::WriteLine(const std::string& cluster, const std::string& line) {
  const std::scoped_lock lock(mutex_);
  ProgressOf(cluster).WriteLine(cluster + ": " + line);
}

void FleetConsole::Show(const std::string& cluster, const std::string& what,
                        const migrate::lists::ListProgress& progress) {
  const std::scoped_lock lock(mutex_);
  std::string text = cluster + ": " + terminal::ProgressText(what, progress);
  if (is_terminal_) {
    text = std::to_string(ended_) + " of " + std::to_string(clusters_) + " clusters done; " + text;
  }
  ProgressOf(cluster).ShowText(text);
}

void FleetConsole::End(const std::string& cluster) {
  const std::scoped_lock lock(mutex_);
  ++ended_;
  ProgressOf(cluster).Clear();
}

// Two live lines would write over each other.
terminal::Progress& FleetConsole::ProgressOf(const std::string& cluster) {
  std::unique_ptr<terminal::Progress>& progress = progress_[is_terminal_ ? "" : cluster];
  if (!progress) progress = std::make_unique<terminal::Progress>(is_terminal_, write_, clock_);
  return *progress;
}

}  // namespace plugin::fleet
