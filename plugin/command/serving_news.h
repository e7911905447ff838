#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/serve/server.h"

namespace plugin::command {

/// Writes a line to stderr, whatever is in it. For several threads at once.
void Log(const std::string& line);

/// Writes webhook configurations to stdout, once in a run: kubectl apply reads its input to the
/// end, so stdout ends with them.
void PrintOnce(const std::string& configurations);

/// When to tell of a count that grows: once it does, and every ten minutes at most.
class NewsOfCount {
 public:
  /// Whether to tell now; what is told is told.
  bool IsDue(std::uint64_t count, kube::base::Clock::TimePoint now);

 private:
  std::uint64_t told_ = 0;
  std::optional<kube::base::Clock::TimePoint> told_at_;
};

/// Requests that were turned away: where an API server sent them, nobody has looked at a write.
///
/// One thread looks, about once a second; several may print metrics at once.
class TurnedAwayNews {
 public:
  /// `tell` takes a line for people.
  explicit TurnedAwayNews(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

  /// Tells if there are more, every ten minutes at most.
  void Note(const kube::serve::ServerCounts& counts, kube::base::Clock::TimePoint now);

  /// As of the last look, in Prometheus's text format:
  ///
  ///     admission_requests_turned_away_total{reason="busy"} 3
  std::string PrintMetrics() const;

 private:
  const std::function<void(const std::string&)> tell_;
  NewsOfCount news_;
  std::array<std::atomic<std::uint64_t>, kube::serve::kTurnedAwayNames.size()> counts_{};
};

/// The file of a report that changes while a command goes on: written at the beginning, every ten
/// seconds if there is something new, and at the end. Each time it is whole, as a file that only we
/// may read. For one thread.
class ReportFile {
 public:
  using PrintFunction = std::function<std::string()>;
  /// Takes a line, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// An empty `path`: there is no such file. `clock` must outlive it.
  ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
             LogFunction tell);

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
  const LogFunction tell_;
  kube::base::Clock::TimePoint due_{};
  std::uint64_t written_revision_ = 0;
  std::string told_problem_;  // while it lasts
};

}  // namespace plugin::command
