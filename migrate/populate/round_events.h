#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "migrate/populate/expansion.h"
#include "migrate/populate/single_write.h"
#include "migrate/report/population_report.h"

namespace migrate::populate {

/// Gathers of rounds what is told in each namespace by Events: what was done in one Event, and each
/// problem in one. What is as it was the last time the namespace was looked at is not told again.
class RoundEvents {
 public:
  // What a round tells (RoundNews).
  void TakeExpansion(const std::string& namespace_, const Expansion& expansion);
  void TakeObject(const report::PopulatedObject& object);

  /// Those of the round, by namespace; `uids` are those of the namespaces that were looked at.
  std::vector<PopulationEvent> Take(const std::map<std::string, std::string>& uids);
  /// It is gone.
  void Forget(const std::string& namespace_) { told_.erase(namespace_); }

 private:
  struct Problem {
    std::string reason, text;
    auto operator<=>(const Problem&) const = default;
  };
  struct News {
    std::vector<std::string> applied{}, pruned{};
    std::vector<Problem> problems{};
  };

  std::map<std::string, News> news_;
  std::map<std::string, std::set<std::size_t>> told_;  // hashes of problems
};

}  // namespace migrate::populate
