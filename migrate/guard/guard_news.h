#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "kube/base/clock.h"
#include "migrate/guard/guarded_crds.h"
#include "migrate/guard/writer_tally.h"
#include "migrate/report/guard_report.h"

namespace migrate::guard {

/// Tells people how a guard fares, each thing once: which CRDs are guarded, and which no longer
/// are; what nothing can be foretold of; whether the API server asks, which nobody else can tell;
/// that the report has no place for all. For one thread.
class GuardNews {
 public:
  /// Takes a line, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// What it is given must outlive it.
  GuardNews(const GuardedCrds& crds, const WriterTally& tally, const kube::base::Clock& clock,
            LogFunction tell);

  /// To be called once it is known what the cluster has.
  void Begin();
  /// To be called several times a second from then on.
  void Advance();

 private:
  void ReportCrds();
  void ReportCrd(const report::GuardedUse& crd);
  void ReportAsking();

  const GuardedCrds& crds_;
  const WriterTally& tally_;
  const kube::base::Clock& clock_;
  const LogFunction tell_;
  bool has_begun_ = false;
  std::uint64_t revision_ = 0;  // of what was told last
  std::map<std::string, report::GuardedUse> told_crds_;
  kube::base::Clock::TimePoint asking_due_{};
  bool is_asking_told_ = false, is_left_out_told_ = false;
};

}  // namespace migrate::guard
