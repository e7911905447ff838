#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace migrate::cluster {

/// How many threads a run over files uses: one a core, but no more than four.
std::size_t WorkerCount();

/// Runs `work(0)` ... `work(count - 1)`, each in a thread of its own, and meanwhile `produce` in
/// the calling one; waits for all of them. Throws again what one of them threw, `produce` first.
///
/// Where the system has no room for so many threads there are fewer, but at least one. The threads
/// have stacks for JSON of the deepest nesting that is read. `work` must end even if `produce`
/// throws.
void RunWorkers(std::size_t count, const std::function<void(std::size_t)>& work,
                const std::function<void()>& produce);

/// The same without a producer, all or none: where the system has no room for so many threads
/// `work` is not called, and kube::base::Error is thrown. So they may wait for each other.
void RunAllWorkers(std::size_t count, const std::function<void(std::size_t)>& work);

/// How much text a batch holds before workers get it.
inline constexpr std::size_t kBatchBytes = 256 * 1024;
/// One in work and one waiting; whoever fills batches has one more.
inline constexpr std::size_t kBatchesAWorker = 2;

/// Hands batches from one producer to several workers. Holds a fixed number of batches, so that a
/// producer that is ahead waits: memory stays small whatever the size of the input.
///
/// A Batch can be made without arguments, and Clear() empties it for its next use.
template <typename Batch>
class BatchQueue {
 public:
  explicit BatchQueue(std::size_t capacity) {
    for (std::size_t i = 0; i < capacity; ++i) empty_.push_back(std::make_unique<Batch>());
  }

  /// For the producer: an empty batch; waits for one. Null pointer after Abort().
  std::unique_ptr<Batch> TakeEmpty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !empty_.empty() || aborted_; });
    if (aborted_) return nullptr;
    std::unique_ptr<Batch> batch = std::move(empty_.back());
    empty_.pop_back();
    return batch;
  }
  void Put(std::unique_ptr<Batch> batch) {
    const std::lock_guard lock(mutex_);
    full_.push_back(std::move(batch));
    changed_.notify_all();
  }
  /// Says that nothing more will be put.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// For workers: a batch that was put, in the order of putting; waits for one. Null pointer when
  /// there will be none.
  std::unique_ptr<Batch> TakeFull() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !full_.empty() || closed_ || aborted_; });
    if (full_.empty() || aborted_) return nullptr;
    std::unique_ptr<Batch> batch = std::move(full_.front());
    full_.pop_front();
    return batch;
  }
  /// Gives a batch back for the producer to fill.
  void Recycle(std::unique_ptr<Batch> batch) {
    batch->Clear();
    const std::lock_guard lock(mutex_);
    empty_.push_back(std::move(batch));
    changed_.notify_all();
  }
  /// Ends the run for both sides: one of them cannot go on. What is put from then on is dropped.
  void Abort() {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Batch>> empty_;
  std::deque<std::unique_ptr<Batch>> full_;
  bool closed_ = false, aborted_ = false;
};

}  // namespace migrate::cluster
