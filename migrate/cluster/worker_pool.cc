#include "migrate/cluster/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <future>
#include <thread>
#include <vector>

#include "kube/base/result.h"

namespace migrate::cluster {
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

// As many as the system lets.
std::vector<Worker> Start(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back({&work, i, {}, nullptr});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (pthread_create(&workers[i].thread, &attributes, RunWorker, &workers[i]) != 0) {
      workers.resize(i);
    }
  }
  pthread_attr_destroy(&attributes);
  return workers;
}

void Join(const std::vector<Worker>& workers) {
  for (const Worker& worker : workers) pthread_join(worker.thread, nullptr);
}

void Rethrow(const std::vector<Worker>& workers) {
  for (const Worker& worker : workers) {
    if (worker.thrown) std::rethrow_exception(worker.thrown);
  }
}

kube::base::Error TooLittleMemory() {
  return kube::base::Error("cannot start a thread: too little memory");
}

}  // namespace

std::size_t WorkerCount() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostWorkers);
}

void RunWorkers(std::size_t count, const std::function<void(std::size_t)>& work,
                const std::function<void()>& produce) {
  std::vector<Worker> workers = Start(count, work);
  if (workers.empty()) throw TooLittleMemory();
  std::exception_ptr thrown;
  try {
    produce();
  } catch (...) {
    thrown = std::current_exception();
  }
  Join(workers);
  if (thrown) std::rethrow_exception(thrown);
  Rethrow(workers);
}

void RunAllWorkers(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::promise<bool> are_all_there;
  const std::shared_future<bool> may_begin = are_all_there.get_future().share();
  // Each waits for what is known once all were started; a copy, as one future is of one thread.
  const std::function<void(std::size_t)> begin = [&work, may_begin](std::size_t number) {
    const std::shared_future<bool> own = may_begin;
    if (own.get()) work(number);
  };
  std::vector<Worker> workers = Start(count, begin);
  are_all_there.set_value(workers.size() == count);
  Join(workers);
  if (workers.size() < count) throw TooLittleMemory();
  Rethrow(workers);
}

}  // namespace migrate::cluster
