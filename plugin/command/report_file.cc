#include "plugin/command/report_file.h"

#include <chrono>
#include <utility>

#include "kube/base/result.h"
#include "migrate/cluster/private_file.h"

namespace plugin::command {
namespace {

constexpr std::chrono::seconds kReportPause(10);

}  // namespace

ReportFile::ReportFile(std::string path, const kube::base::Clock& clock, PrintFunction print,
                       TellFunction tell)
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
