#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/metadata_page.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// Lists the metadata of all objects of a target into a spool, and goes on where the spool ends.
///
/// Each page is asked for as soon as the one before is there, however slow the writes are: so no
/// continue token grows old. A page that breaks off is read again, after the same pauses as a
/// write (retry.h). After 410 the list goes on by the token that the server gives with it; without
/// one it begins anew, and what is not behind the last object of the spool, in etcd's order, is
/// left out: so no object comes twice. The same is done where the server will not go on from where
/// an earlier run has ended.
class MetadataList : public ObjectSource, private kube::client::ResultSink {
 public:
  /// All must outlive it. `chunk_size` 0: everything in one page; else the first has 100
  /// objects at most. `on_wait`, which may be empty, is told why a page does not come for a while.
  /// `most_items` as Pager has it.
  MetadataList(const SweepTarget& target, std::int64_t chunk_size, cluster::Spool& spool,
               const kube::client::Session& session,
               std::function<void(const std::string&)> on_wait = {},
               std::uint64_t most_items = cluster::Pager::kMostItems);
  ~MetadataList() override { Stop(); }

  void Advance() override;
  void Stop() override;
  bool is_done() const override { return is_done_; }
  const std::optional<kube::client::CallError>& error() const override { return error_; }
  std::optional<std::uint64_t> remaining() const override { return remaining_; }
  kube::base::Clock::TimePoint next_event() const override;

 private:
  void OnBytes(std::string_view bytes) override;
  void OnEnd(const std::optional<kube::client::CallError>& error) override;
  void Take(const cluster::ListedObject& object);
  void HandlePage();
  bool LeadsNowhere() const;
  void OnFailure(const AnswerVerdict& verdict, const kube::client::CallError& error);
  void ReportWait(const kube::client::CallError& error);
  void ListFromBeginning();
  void OnExpired(const kube::client::CallError& error);
  void Fail(kube::client::CallError error);
  std::string PagePath() const;

  const SweepTarget& target_;
  const std::int64_t chunk_size_;
  const std::uint64_t most_items_;
  cluster::Spool& spool_;
  const kube::client::Session session_;
  const std::function<void(const std::string&)> on_wait_;

  cluster::Pager pager_;
  RetryBudget budget_;
  bool skips_known_ = false;    // some of what comes may be in the spool already
  bool has_old_token_ = false;  // of an earlier run, and no page was read by it yet
  std::string last_key_;        // of the pages that were read, in the order of ObjectKey
  bool is_done_ = false;
  std::optional<kube::client::CallError> error_;
  std::optional<std::uint64_t> remaining_;
  kube::base::Clock::TimePoint not_before_{};
  std::optional<kube::base::Clock::TimePoint> failing_since_;  // of the page that is read
  std::optional<kube::base::Clock::TimePoint> told_at_;

  // Of the page that is being read:
  std::optional<kube::client::Client::CallId> call_;
  std::optional<MetadataPage> page_;
  std::string page_last_key_;  // empty: no object
  std::uint64_t page_objects_ = 0;
};

}  // namespace migrate::rewrite
