#pragma once

#include <cstdint>
#include <string>

namespace migrate::report {

/// What it takes to write an object, in seconds, where no other write is in flight and nothing of
/// it changes. Each is what an API server of 1.20 and etcd on two cores take, unless measured.
struct WriteCost {
  double object = 0.003;  ///< whatever its size
  double byte = 0.3e-6;   ///< of its JSON
  bool is_measured = false;

  /// For one pass over so many objects, which have so many bytes in all.
  double SecondsFor(std::uint64_t objects, std::uint64_t bytes) const {
    return static_cast<double>(objects) * object + static_cast<double>(bytes) * byte;
  }
};

/// The passes of a migration over all objects of a CRD.
struct MigrationPasses {
  std::uint64_t objects = 0, bytes = 0;
  bool rewrites_before = false;  ///< also before pruning is turned on
  bool verifies = true;          ///< once more behind each pass that rewrites
  bool one_at_a_time = false;
  double max_rate = 0;  ///< objects a second; 0: no limit
};

/// What the writes of all passes take as a rule, in seconds.
double SecondsOfWrites(const MigrationPasses& passes, const WriteCost& cost);

/// What the reads take that turning pruning on comes with, in seconds: those of the backup, and of
/// some objects until the server is seen to prune. The wait between these reads is in it.
double SecondsOfTurningOn(const MigrationPasses& passes, const WriteCost& cost);

/// "12 s", "3 min", "2 h": rounded up.
std::string DurationText(double seconds);

}  // namespace migrate::report
