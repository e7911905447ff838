#pragma once

#include <condition_variable>
#include <mutex>

// Which mutex guards what, as clang checks it (-Wthread-safety); for other compilers a comment. A
// member GUARDED_BY a mutex is read and written with that mutex held alone, a function that
// REQUIRES it is called so.
#ifdef __clang__
#define THREAD_ANNOTATION(annotation) __attribute__((annotation))
#else
#define THREAD_ANNOTATION(annotation)
#endif
#define GUARDED_BY(mutex) THREAD_ANNOTATION(guarded_by(mutex))
#define REQUIRES(mutex) THREAD_ANNOTATION(requires_capability(mutex))

namespace kube::base {

/// A std::mutex, which has no annotations in libstdc++.
class THREAD_ANNOTATION(capability("mutex")) Mutex {
 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a mutex from here to the end of the block.
class THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) THREAD_ANNOTATION(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() THREAD_ANNOTATION(release_capability()) {}

  /// Lets others have the mutex until `condition` is notified, or for no reason: what is waited for
  /// has to be asked for before and after it.
  void Wait(std::condition_variable& condition) { condition.wait(lock_); }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace kube::base
