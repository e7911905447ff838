#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kube/base/clock.h"

namespace plugin::command {

/// The file of a report that changes while a command goes on: written at the beginning, every ten
/// seconds if there is something new, and at the end. Each time it is whole, as a file that only we
/// may read. For one thread.
class ReportFile {
 public:
  using PrintFunction = std::function<std::string()>;
  /// Takes a line, without a line break.
  using TellFunction = std::function<void(const std::string&)>;

  /// An empty `path`: there is no such file. `clock` must outlive it.
  ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
             TellFunction tell);

  /// `revision` is another number once the report has changed. Throws kube::base::Error where the
  /// file cannot be written.
  void WriteFirst(std::uint64_t revision);
  /// To be called several times a second.
  /// What cannot be written is told once while it lasts, and tried again: a full disk ends no run.
  void WriteIfDue(std::uint64_t revision);
  void WriteLast();

 private:
  void WriteNow() const;
  bool TryToWrite();

  const std::string path_;
  const kube::base::Clock& clock_;
  const PrintFunction print_;
  const TellFunction tell_;
  kube::base::Clock::TimePoint due_{};
  std::uint64_t written_revision_ = 0;
  std::string told_problem_;  // while it lasts
};

}  // namespace plugin::command
