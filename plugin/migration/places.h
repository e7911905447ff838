#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace plugin::migration {

/// Room for so many to work at once: whoever waits for a person leaves its place to others. For any
/// thread.
class Places {
 public:
  explicit Places(std::size_t count) : free_(count) {}

  /// Waits for a place.
  void Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }

  void Leave() {
    const std::scoped_lock lock(mutex_);
    ++free_;
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
};

}  // namespace plugin::migration
