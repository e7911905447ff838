#include "migrate/cluster/object_count.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace migrate::cluster {
namespace {

using Count = std::function<std::uint64_t(kube::json::Document&)>;

class StaleCounter : public ItemTaker {
 public:
  explicit StaleCounter(const Count* count) : count_(*count) {}

  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    ++objects_;
    const std::uint64_t entries = count_(item);
    if (entries == 0) return;
    ++to_clean_;
    entries_ += entries;
  }

  EntryCount Counted() const { return {objects_, {to_clean_, entries_}}; }

 private:
  const Count& count_;
  std::atomic<std::uint64_t> objects_{0}, to_clean_{0}, entries_{0};
};

kube::base::Result<EntryCount, kube::client::CallError> CountEntries(
    const std::string& target, bool metadata_only, const Count& count,
    const ListReaderOptions& options, const kube::client::Session& session) {
  std::shared_ptr<StaleCounter> counter;
  std::vector<ListJob> jobs = {{target, MakerOf(counter, &count)}};
  jobs[0].metadata_only = metadata_only;
  ReadLists(jobs, session, options);
  if (jobs[0].error) return kube::base::Unexpected(*std::move(jobs[0].error));
  return counter->Counted();
}

}  // namespace

kube::base::Result<EntryCount, kube::client::CallError> CountToClean(
    const std::string& target, const EntryCleaner& cleaner, const ListReaderOptions& options,
    const kube::client::Session& session) {
  const auto count = [&cleaner](kube::json::Document& item) {
    const auto cleaned = cleaner.Clean(item.root(), item.arena());
    return cleaned ? cleaned->changed : std::uint64_t{0};
  };
  return CountEntries(target, !cleaner.needs_objects(), count, options, session);
}

kube::base::Result<EntryCount, kube::client::CallError> CountMayClean(
    const std::string& target, const KnownVersions& known, const ListReaderOptions& options,
    const kube::client::Session& session) {
  const auto count = [&known](kube::json::Document& item) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(EntriesOf(item.root()), [&known](const kube::json::Value& entry) {
          return known.StateOfEntry(entry) >= EntryState::kDoubtful;
        }));
  };
  return CountEntries(target, /*metadata_only=*/true, count, options, session);
}

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
