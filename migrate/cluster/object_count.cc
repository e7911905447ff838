#include "migrate/cluster/object_count.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace migrate::cluster {
namespace {

class Counter : public ItemTaker {
 public:
  void Take(std::size_t, kube::json::Document&, std::uint64_t) override { ++count_; }
  std::uint64_t count() const { return count_; }

 private:
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace

kube::base::Result<std::uint64_t, kube::client::CallError> CountObjects(
    const std::string& target, const ListReaderOptions& options,
    const kube::client::Session& session) {
  std::vector<ListJob> jobs;
  jobs.emplace_back(target, [] { return std::make_shared<Counter>(); });
  jobs[0].metadata_only = true;
  ReadLists(jobs, session, options);
  if (jobs[0].error) return kube::base::Unexpected(*std::move(jobs[0].error));
  return static_cast<const Counter&>(*jobs[0].taker).count();
}

}  // namespace migrate::cluster
