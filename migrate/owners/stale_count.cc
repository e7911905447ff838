#include "migrate/owners/stale_count.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace migrate::owners {
namespace {

class StaleCounter : public lists::ItemTaker {
 public:
  explicit StaleCounter(const KnownVersions& known) : known_(known) {}

  void Take(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const auto stale = std::ranges::count_if(
        EntriesOf(item.root()),
        [this](const kube::json::Value& entry) { return known_.IsStale(entry); });
    if (stale == 0) return;
    ++objects_;
    entries_ += static_cast<std::uint64_t>(stale);
  }

  report::ManagedFieldsCleaned Counted() const { return {objects_, entries_}; }

 private:
  const KnownVersions& known_;
  std::atomic<std::uint64_t> objects_{0}, entries_{0};
};

}  // namespace

kube::base::Result<report::ManagedFieldsCleaned, kube::client::CallError> CountStaleEntries(
    const std::string& target, const KnownVersions& known, const lists::ListReaderOptions& options,
    const kube::client::Session& session) {
  std::vector<lists::ListJob> jobs;
  jobs.emplace_back(target, [&known] { return std::make_shared<StaleCounter>(known); });
  jobs[0].metadata_only = true;
  lists::ReadLists(jobs, session, options);
  if (jobs[0].error) return kube::base::Unexpected(*std::move(jobs[0].error));
  return static_cast<const StaleCounter&>(*jobs[0].taker).Counted();
}

}  // namespace migrate::owners
