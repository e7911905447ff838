#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/mutex.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/rewrite/sweep.h"
#include "plugin/terminal/progress.h"

namespace plugin::command {

/// What is told on stderr of the clusters of a fleet while they are worked on, each line behind the
/// name of its cluster: "prod-a: reading objects: 12000 of 20000". On a terminal progress is one
/// live line for all, elsewhere each cluster has its line every ten seconds. For any thread.
class FleetConsole {
 public:
  /// `clusters` is how many there are. `clock` must outlive it.
  FleetConsole(std::size_t clusters, bool is_terminal, terminal::Progress::Write write,
               const kube::base::Clock& clock);

  void WriteLine(const std::string& cluster, const std::string& line);
  /// `what` of the cluster is being read.
  void Show(const std::string& cluster, const std::string& what,
            const migrate::cluster::ListProgress& progress);
  /// `what` of the cluster is being rewritten, or verified.
  void Show(const std::string& cluster, const std::string& what,
            const migrate::rewrite::SweepProgress& progress);
  /// Writes `lines`, of no cluster alone, and behind them a question, and leaves the line to the
  /// answer.
  void Ask(const std::vector<std::string>& lines, const std::string& question);
  /// Ends the line of a question that has got no answer.
  void EndQuestion();
  /// The cluster has nothing more to tell.
  void End(const std::string& cluster);

 private:
  kube::base::Mutex mutex_;

  void ShowText(const std::string& cluster, const std::string& text);
  terminal::Progress& ProgressOf(const std::string& cluster) REQUIRES(mutex_);

  const std::size_t clusters_;
  std::size_t ended_ GUARDED_BY(mutex_) = 0;
  const bool is_terminal_;
  const terminal::Progress::Write write_;
  const kube::base::Clock& clock_;
  std::map<std::string, std::unique_ptr<terminal::Progress>> progress_
      GUARDED_BY(mutex_);  // by cluster; one of all
};

/// Lines about clusters, each with those that it is said of: what is wrong with files is of all.
class DeduplicatedMessages {
 public:
  /// `text`, line by line, is said of `cluster`.
  void Add(const std::string& cluster, std::string_view text);

  /// Each line once, in the order in which they were first said, behind whom it is said of:
  /// "prod-a, prod-b: LINE", or "all clusters: LINE" where there are `all` of them.
  std::string Print(std::size_t all) const;

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks_;
};

}  // namespace plugin::command
