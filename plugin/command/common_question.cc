#include "plugin/command/common_question.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plugin::command {

CommonQuestion::CommonQuestion(std::size_t clusters, Ask ask)
    : clusters_(clusters), ask_(std::move(ask)) {}

bool CommonQuestion::Confirm(Request request) {
  kube::base::MutexLock lock(mutex_);
  const std::size_t number = requests_.size();
  const std::size_t round = round_;
  requests_.push_back(std::move(request));
  AskIfAllAreThere();
  while (round_ == round) lock.Wait(answered_);
  // The next round does not end before this one has asked again, or ended.
  return answers_.at(number);
}

void CommonQuestion::End(const std::string& cluster) {
  const kube::base::MutexLock lock(mutex_);
  --clusters_;
  ended_.insert(std::ranges::upper_bound(ended_, cluster), cluster);
  AskIfAllAreThere();
}

void CommonQuestion::AskIfAllAreThere() {
  if (requests_.empty() || requests_.size() < clusters_) return;
  Answer();
  requests_.clear();
  ++round_;
  answered_.notify_all();
}

void CommonQuestion::Answer() {
  std::vector<std::size_t> order(requests_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<Request> requests = requests_;  // clang sees no lock in a lambda
  std::ranges::sort(order, {}, [&](std::size_t i) { return requests[i].cluster; });
  std::vector<Request> sorted;
  for (const std::size_t i : order) sorted.push_back(requests_[i]);
  answers_.assign(requests_.size(), false);
  try {
    const std::vector<bool> given = ask_(sorted, ended_);
    for (std::size_t i = 0; i < order.size(); ++i) answers_[order[i]] = given.at(i);
  } catch (...) {
    // Nobody has agreed, and the others must not wait for ever.
    answers_.assign(requests_.size(), false);
  }
}

}  // namespace plugin::command
