#include "plugin/report/guard_writers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "plugin/report/guard_report_json.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::GuardReport;
using migrate::report::WriterUse;

auto KeyOf(const WriterUse& use) { return std::tie(use.path, use.user, use.manager); }

void Merge(const WriterUse& use, WriterUse& into) {
  into.requests += use.requests;
  into.added += use.added;
  into.denied += use.denied;
  into.moved += use.moved;
  into.first_seen = std::min(into.first_seen, use.first_seen);
  if (use.last_seen <= into.last_seen) return;
  into.last_seen = use.last_seen;
  into.version = use.version;
  into.example_object = use.example_object;
  into.example_path = use.example_path;
}

std::vector<WriterUse> WritersOf(const std::string& crd, const std::vector<GuardReport>& guards) {
  std::vector<WriterUse> all, writers;
  for (const GuardReport& guard : guards) {
    std::ranges::copy_if(guard.writers, std::back_inserter(all),
                         [&crd](const WriterUse& use) { return use.crd == crd; });
  }
  std::ranges::stable_sort(
      all, [](const WriterUse& a, const WriterUse& b) { return KeyOf(a) < KeyOf(b); });
  for (WriterUse& use : all) {
    if (!writers.empty() && KeyOf(writers.back()) == KeyOf(use)) {
      Merge(use, writers.back());
    } else {
      writers.push_back(std::move(use));
    }
  }
  return writers;
}

}  // namespace

std::vector<GuardReport> ReadGuardReports(const std::vector<std::string>& filenames) {
  std::vector<GuardReport> reports;
  for (const std::string& filename : std::set<std::string>(filenames.begin(), filenames.end())) {
    const auto text = kube::base::ReadFileText(filename);
    if (!text) throw kube::base::Error("cannot read the guard's report: " + text.error().message);
    auto report = ReadGuardReport(*text);
    if (!report) {
      throw kube::base::Error("cannot use \"" + filename +
                              "\" as a guard's report: " + report.error());
    }
    reports.push_back(*std::move(report));
  }
  return reports;
}

void AddGuardWriters(const std::vector<GuardReport>& guards, migrate::report::CheckReport& report) {
  for (CrdReport& crd : report.crds) crd.guard_writers = WritersOf(crd.name, guards);
}

}  // namespace plugin::report
