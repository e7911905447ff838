#include "migrate/batch_queue.h"

#include <utility>

namespace migrate {

BatchQueue::BatchQueue(std::size_t capacity) {
  for (std::size_t i = 0; i < capacity; ++i) empty_.push_back(std::make_unique<Batch>());
}

std::unique_ptr<Batch> BatchQueue::TakeEmpty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !empty_.empty() || aborted_; });
  if (aborted_) return nullptr;
  std::unique_ptr<Batch> batch = std::move(empty_.back());
  empty_.pop_back();
  return batch;
}

void BatchQueue::Put(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(mutex_);
  full_.push_back(std::move(batch));
  changed_.notify_all();
}

void BatchQueue::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::unique_ptr<Batch> BatchQueue::TakeFull() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !full_.empty() || closed_ || aborted_; });
  if (full_.empty() || aborted_) return nullptr;
  std::unique_ptr<Batch> batch = std::move(full_.front());
  full_.pop_front();
  return batch;
}

void BatchQueue::Recycle(std::unique_ptr<Batch> batch) {
  // One huge object must not hold its memory for the rest of the run.
  constexpr std::size_t kKeptBytes = 2 * 1024 * 1024;
  if (batch->text.capacity() > kKeptBytes) *batch = Batch();
  batch->text.clear();
  batch->documents.clear();
  const std::lock_guard lock(mutex_);
  empty_.push_back(std::move(batch));
  changed_.notify_all();
}

void BatchQueue::Abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  changed_.notify_all();
}

}  // namespace migrate
