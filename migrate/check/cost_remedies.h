#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/cost_limits.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// The limits that help where the rules of a CRD cost too much (kube/crd/cost_limits.h), of all of
/// its versions. Immutable: several threads may measure.
class CostRemedies {
 public:
  /// Tries what helps. `old`: the CRD that is replaced; the null pointer: none. `server`: its
  /// release. Keeps copies of both CRDs.
  CostRemedies(const kube::crd::Crd& crd, const kube::crd::Crd* old, kube::base::Release server);

  /// Notes in `held` how much of what is to be limited `object` has, where that is more.
  void Measure(const kube::json::Value& object, kube::crd::HeldSizes& held) const;

  /// Puts into `report` what helps, by what objects were seen to have: its cost_limits, and the
  /// hints of the problems that rules cost too much.
  void AddTo(report::CrdReport& report, const kube::crd::HeldSizes& held) const;

 private:
  using Limits = std::vector<kube::crd::SizeLimit>;
  /// Of each version of the CRD.
  std::vector<Limits> FindLimits(const kube::crd::HeldSizes& held) const;

  const kube::crd::Crd crd_;
  const std::optional<kube::crd::Crd> old_;
  const kube::base::Release server_;
  const std::vector<Limits> limits_;  // without a look at objects
};

/// True for what the server says of rules that cost too much.
bool IsOfRuleCost(const report::Problem& problem);

}  // namespace migrate::check
