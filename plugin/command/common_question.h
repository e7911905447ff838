#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/mutex.h"
#include "migrate/report/migration_report.h"

namespace plugin::command {

/// What the migration of a cluster may not do without being agreed to.
struct Request {
  std::string cluster;
  std::string question;  ///< as the migration of a single cluster asks it
  std::string crd{};     ///< where it is about pruning
  /// What turning pruning on was foretold to do; absent where that is not the question.
  std::optional<migrate::report::ForetoldLoss> loss{};
};

/// Lets the migrations of several clusters, each in a thread of its own, be answered by a person at
/// once: nobody is answered before each of them has asked, or has ended. For any thread.
class CommonQuestion {
 public:
  /// Answers each of the requests, which are sorted by cluster; `ended` are the clusters, sorted,
  /// that have asked nothing and will not. Is called in one thread at a time, while all others
  /// wait. What it throws is no to all.
  using Ask = std::function<std::vector<bool>(const std::vector<Request>& requests,
                                              const std::vector<std::string>& ended)>;

  /// `clusters` is how many will ask or end.
  CommonQuestion(std::size_t clusters, Ask ask);

  /// Waits for all others, and for the answer.
  bool Confirm(Request request);
  /// This one will not ask any more. To be called once for each cluster, whatever became of it; may
  /// be what the others have waited for, and takes as long as their answer then.
  void End(const std::string& cluster);

 private:
  kube::base::Mutex mutex_;

  void AskIfAllAreThere() REQUIRES(mutex_);
  void Answer() REQUIRES(mutex_);

  std::condition_variable answered_;
  std::size_t clusters_ GUARDED_BY(mutex_);  // that have not ended
  const Ask ask_;
  std::vector<Request> requests_ GUARDED_BY(mutex_);
  std::vector<std::string> ended_ GUARDED_BY(mutex_);
  std::vector<bool> answers_
      GUARDED_BY(mutex_);  // to the requests of the last round, in the order of their arrival
  std::size_t round_ GUARDED_BY(mutex_) = 0;
};

}  // namespace plugin::command
