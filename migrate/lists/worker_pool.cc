#include "migrate/lists/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "kube/base/error.h"

namespace migrate::lists {
namespace {

// Walks over values recurse: at most 10,000 levels (kube::json::kMaxDepth) of a few frames each.
// Memory that a stack does not use is not taken.
constexpr std::size_t kStackBytes = 256 * 1024 * 1024;
constexpr std::size_t kMostWorkers = 4;

struct Worker {
  const std::function<void(std::size_t)>* work;
  std::size_t number;
  pthread_t thread{};
  std::exception_ptr thrown;
};

void* RunWorker(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  try {
    (*worker->work)(worker->number);
  } catch (...) {
    worker->thrown = std::current_exception();
  }
  return nullptr;
}

// Starts as many of the workers as the system lets.
void Start(std::vector<Worker>& workers) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (pthread_create(&workers[i].thread, &attributes, RunWorker, &workers[i]) != 0) {
      workers.resize(i);
    }
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

std::size_t WorkerCount() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostWorkers);
}

void RunWorkers(std::size_t count, const std::function<void(std::size_t)>& work,
                const std::function<void()>& produce) {
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back({&work, i, {}, nullptr});
  Start(workers);
  if (workers.empty()) throw kube::base::Error("cannot start a thread: too little memory");
  std::exception_ptr thrown;
  try {
    produce();
  } catch (...) {
    thrown = std::current_exception();
  }
  for (const Worker& worker : workers) pthread_join(worker.thread, nullptr);
  if (thrown) std::rethrow_exception(thrown);
  for (const Worker& worker : workers) {
    if (worker.thrown) std::rethrow_exception(worker.thrown);
  }
}

}  // namespace migrate::lists
