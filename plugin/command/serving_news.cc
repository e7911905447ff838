#include "plugin/command/serving_news.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "kube/base/metrics_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/cluster/private_file.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

void Log(const std::string& line) { terminal::WriteStderr(terminal::Printable(line) + "\n"); }

void PrintOnce(const std::string& configurations) {
  terminal::WriteStdout(configurations);
  terminal::EndStdout();
  Log("note: the configurations are for this run: it neither changes nor removes them, and the "
      "authority of a self-signed certificate ends with it");
}

bool NewsOfCount::IsDue(std::uint64_t count, kube::base::Clock::TimePoint now) {
  constexpr std::chrono::minutes kPause(10);
  if (count == told_ || (told_at_ && now - *told_at_ < kPause)) return false;
  told_ = count;
  told_at_ = now;
  return true;
}

void TurnedAwayNews::Note(const kube::serve::ServerCounts& counts,
                          kube::base::Clock::TimePoint now) {
  std::ranges::copy(counts.turned_away, counts_.begin());
  const std::uint64_t all =
      std::accumulate(counts.turned_away.begin(), counts.turned_away.end(), std::uint64_t{0});
  if (!news_.IsDue(all, now)) return;
  tell_("Warning: " + kube::base::Count(all, "request") +
        " turned away so far, as there was no memory or no time for them. If an API server sent "
        "them, writes passed unseen, or failed, as the failurePolicy says; the metric "
        "admission_requests_turned_away_total has the reasons");
}

std::string TurnedAwayNews::PrintMetrics() const {
  constexpr std::string_view kName = "admission_requests_turned_away_total";
  std::string out;
  kube::base::AppendMetricHead(out, kName, "counter",
                               "Requests that were not looked at, by why. Where failurePolicy is "
                               "Ignore, their writes passed.");
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    kube::base::AppendMetricSample(out, kName, {{"reason", kube::serve::kTurnedAwayNames[i]}},
                                   std::to_string(counts_[i]));
  }
  return out;
}

namespace {

constexpr std::chrono::seconds kReportPause(10);

}  // namespace

ReportFile::ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
                       LogFunction tell)
    : path_(std::move(path)), clock_(clock), print_(std::move(print)), tell_(std::move(tell)) {}

void ReportFile::WriteFirst(std::uint64_t revision) {
  WriteNow();
  written_revision_ = revision;
  due_ = clock_.Now() + kReportPause;
}

void ReportFile::WriteIfDue(std::uint64_t revision) {
  if (clock_.Now() < due_) return;
  due_ = clock_.Now() + kReportPause;
  if (written_revision_ != revision && TryToWrite()) written_revision_ = revision;
}

void ReportFile::WriteLast() { TryToWrite(); }

void ReportFile::WriteNow() const {
  if (!path_.empty()) migrate::cluster::ReplacePrivateFileIn(path_, print_());
}

// False: it could not be written.
bool ReportFile::TryToWrite() {
  try {
    WriteNow();
    told_problem_.clear();
  } catch (const kube::base::Error& error) {
    if (std::exchange(told_problem_, error.what()) != error.what()) tell_(error.what());
  }
  return told_problem_.empty();
}

}  // namespace plugin::command
