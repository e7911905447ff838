#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"

namespace migrate::populate {

/// Which namespaces are to be looked at, and when. No I/O.
///
/// New ones come first: somebody waits for them. One in which something failed waits a second
/// before the next try, and twice as long each further time, up to five minutes; what changes in
/// between ends the wait.
class DueNamespaces {
 public:
  using TimePoint = kube::base::Clock::TimePoint;

  /// It is new. Not an error if it was there.
  void AddNew(const std::string& name);
  /// Something has changed by which it has to be looked at.
  void Add(const std::string& name);
  /// It is gone.
  void Forget(const std::string& name);

  /// Those that are due, `most` of them at the most, new ones first, then those where something has
  /// changed; they are no longer due.
  std::vector<std::string> Take(std::size_t most, TimePoint now);
  /// One that was taken has been looked at. Does nothing where it has become due meanwhile, or is
  /// gone and was not taken.
  void NoteDone(const std::string& name, bool is_unfinished, TimePoint now);

  /// When the next one is due: `now` or before where some are; absent: none will be by itself.
  std::optional<TimePoint> next() const;
  /// How many are due at `now`.
  std::size_t CountDue(TimePoint now) const;
  /// How many wait for another try.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::set<std::string> new_, changed_;
  std::map<std::string, TimePoint> waiting_;  // for another try
  std::map<std::string, int> failures_;       // one after the other
};

}  // namespace migrate::populate
