#pragma once

#include <atomic>
#include <cstddef>

namespace kube::serve {

/// The memory, in bytes, that all requests of a server may take together. What a container has to
/// be given is total() and what the program takes beside it: its own data, and about 100 KiB for
/// each connection.
struct MemoryLimits {
  std::size_t bodies = 48 * 1024 * 1024;   ///< that are being read, or were and wait for their turn
  std::size_t work = 120 * 1024 * 1024;    ///< ServerOptions::weigh of requests that are answered
  std::size_t answers = 16 * 1024 * 1024;  ///< that are being sent

  constexpr std::size_t total() const { return bodies + work + answers; }
};

/// One part of that memory. It is counted, not handed out. For several threads at once.
///
/// Large requests, of more than a 256th of it, leave an eighth to small ones, so that these go on
/// beside any number of those.
class MemoryPool {
 public:
  explicit MemoryPool(std::size_t size) : size_(size) {}

  /// Whether a request may ever have so much.
  bool CouldHave(std::size_t bytes) const { return bytes <= LimitFor(bytes); }
  /// Makes what a request has `wanted` instead of `held`; false, and nothing is changed, where
  /// others have that memory.
  bool TryChange(std::size_t held, std::size_t wanted);
  /// The same, also where that is more than there is.
  void Change(std::size_t held, std::size_t wanted) { taken_ += wanted - held; }

  std::size_t taken() const { return taken_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t LimitFor(std::size_t wanted) const;

  const std::size_t size_;
  std::atomic<std::size_t> taken_{0};
};

/// The part of the work that one request has: at first nothing, then what was foretold of it, and
/// more as it goes. For one thread at a time. Gives all of it back at its end.
class WorkShare {
 public:
  explicit WorkShare(MemoryPool& pool) : pool_(pool) {}
  WorkShare(const WorkShare&) = delete;
  WorkShare& operator=(const WorkShare&) = delete;
  ~WorkShare() { pool_.Change(held_, 0); }

  /// Takes so much more; false, and nothing is changed, where others have that memory.
  bool TakeMore(std::size_t bytes);
  /// Whether it may ever have so much more.
  bool CouldTake(std::size_t bytes) const { return pool_.CouldHave(held_ + bytes); }

 private:
  MemoryPool& pool_;
  std::size_t held_ = 0;
};

}  // namespace kube::serve
