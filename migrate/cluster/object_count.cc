#include "migrate/cluster/object_count.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace migrate::cluster {
namespace {

struct Counter : ItemTaker {
  void Handle(std::size_t, kube::json::Document&, std::uint64_t) override { ++count; }

  std::atomic<std::uint64_t> count{0};
};

}  // namespace

kube::base::Result<std::uint64_t, kube::client::CallError> CountObjects(
    const std::string& target, const ListReaderOptions& options,
    const kube::client::Session& session) {
  std::shared_ptr<Counter> counter;
  std::vector<ListJob> jobs = {{target, MakerOf(counter)}};
  jobs[0].metadata_only = true;
  ReadLists(jobs, session, options);
  if (jobs[0].error) return kube::base::Unexpected(*std::move(jobs[0].error));
  return counter->count.load();
}

}  // namespace migrate::cluster
