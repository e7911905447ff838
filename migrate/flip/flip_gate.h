#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "migrate/report/migration_report.h"

namespace migrate::flip {

/// Whom a run has to wait for on its way to the flip, which is for all objects, where others back
/// up and rewrite some of them.
class FlipGate {
 public:
  enum class Way : std::uint8_t {
    kGoOn,        ///< with what was asked about
    kBackUpAnew,  ///< what this run has backed up does not count any more
    kIsFlipped,   ///< somebody else has turned pruning on
    kEnd,         ///< this run ends: `outcome` and `error` say how
  };
  struct Answer {
    Way way = Way::kGoOn;
    report::Outcome outcome = report::Outcome::kDone;
    std::string error{};
    /// With kIsFlipped: of the CRD behind the flip. The version is empty where nobody knows it.
    std::string resource_version{};
    std::int64_t generation = 0;
  };

  virtual ~FlipGate() = default;

  /// The backup has all objects, or there is to be none. Waits until it may be closed. Meanwhile
  /// `keep_current` is called several times a second, if there is one; false: it cannot be kept
  /// current.
  virtual Answer WaitToClose(const std::function<bool()>& keep_current) = 0;
  /// The backup is on the disk, and noted. `backup`: its path; empty: there is none. Waits until
  /// it is this run that turns pruning on, or somebody else has.
  virtual Answer WaitToFlip(const std::string& backup) = 0;
  /// Is asked right before this run turns pruning on. A text: it is not for this run any more, and
  /// why.
  virtual std::optional<std::string> FindLoss() = 0;
  /// This run has turned pruning on, and noted it; `resource_version` is that of the CRD then.
  virtual void OnFlip(const std::string& resource_version) = 0;
};

}  // namespace migrate::flip
