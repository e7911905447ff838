#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kube/clock.h"
#include "migrate/list_reader.h"

namespace plugin {

/// Tells on stderr how far a run has come: on a terminal in one line that is written over, from the
/// first second on; elsewhere in a line every ten seconds.
class Progress {
 public:
  using Write = std::function<void(std::string_view)>;

  /// `clock` must outlive it.
  Progress(bool is_terminal, Write write, const kube::Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  /// `what` is being read: "objects".
  void Show(const std::string& what, const migrate::ListProgress& progress);
  /// Writes a line of its own, not over the live one.
  void WriteLine(const std::string& line);
  /// Takes the live line away.
  void Clear();

 private:
  bool is_terminal_;
  Write write_;
  const kube::Clock& clock_;
  kube::Clock::TimePoint next_;  // not before
  bool has_line_ = false;
};

/// "reading objects: 12000 of 20000, 3 of 10 lists done"; shorter where less is known.
std::string ProgressText(const std::string& what, const migrate::ListProgress& progress);

}  // namespace plugin
