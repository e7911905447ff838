#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/rewrite/sweep.h"

namespace plugin::terminal {

/// Tells on stderr how far a run has come: on a terminal in one line that is written over, from the
/// first second on; elsewhere in a line every ten seconds.
class Progress {
 public:
  using Write = std::function<void(std::string_view)>;

  /// `clock` must outlive it.
  Progress(bool is_terminal, Write write, const kube::base::Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  /// `what` is being read: "objects".
  void Show(const std::string& what, const migrate::cluster::ListProgress& progress);
  /// `what` is being rewritten, or verified: "widgets.demo.example.com".
  void Show(const std::string& what, const migrate::rewrite::SweepProgress& progress);
  /// What is going on is `text`, one line.
  void ShowText(const std::string& text);
  /// Writes a line of its own, not over the live one.
  void WriteLine(const std::string& line);
  /// Writes a question, and leaves the line to the answer.
  void Ask(const std::string& question);
  /// Takes the live line away.
  void Clear();

 private:
  /// Since when a sweep is watched, for its rate.
  struct SweepStart {
    std::string what;
    kube::base::Clock::TimePoint time;
    std::uint64_t done = 0;
  };

  bool IsDue();
  void Put(const std::string& text);
  double RateOf(const std::string& what, std::uint64_t done);

  bool is_terminal_;
  Write write_;
  const kube::base::Clock& clock_;
  kube::base::Clock::TimePoint next_;  // not before
  bool has_line_ = false;
  SweepStart sweep_;
};

/// "reading objects: 12000 of 20000, 3 of 10 lists done"; shorter where less is known.
std::string ProgressText(const std::string& what, const migrate::cluster::ListProgress& progress);

}  // namespace plugin::terminal
