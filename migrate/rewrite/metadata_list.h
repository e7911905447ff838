#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "kube/json/list_splitter.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// One page of a list of metadata, taken as it arrives in pieces.
class MetadataPage : private kube::json::ListSplitter::Sink {
 public:
  /// `take` is handed each object, in the order of the page. `target` must outlive it.
  MetadataPage(const SweepTarget& target, std::function<void(const cluster::ListedObject&)> take)
      : target_(target), take_(std::move(take)) {}

  /// Takes the next piece. Nothing is handed on any more once the page is faulty.
  void Push(std::string_view bytes);
  /// False: it ends in the middle.
  bool Finish() { return !splitter_.Finish() && is_list_; }

  /// Why it is no page of objects; absent: nothing yet.
  const std::optional<kube::client::CallError>& fault() const { return fault_; }
  /// Nothing before the page has ended.
  const cluster::PageMetadata& metadata() const { return metadata_; }

 private:
  void OnObject(kube::json::ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition& position) override;
  void HandleItem(std::string_view text);
  void HandleListMetadata(std::string_view text);
  void Fail(const std::string& why);

  const SweepTarget& target_;
  const std::function<void(const cluster::ListedObject&)> take_;
  kube::json::ListSplitter splitter_{static_cast<kube::json::ListSplitter::Sink&>(*this)};
  kube::json::Document item_;
  std::optional<kube::client::CallError> fault_;
  bool is_list_ = false;
  cluster::PageMetadata metadata_;
};

/// The error of an answer that is no list of objects, with what may be the cause.
kube::client::CallError UnreadableList(const std::string& why);

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

/// Lists the metadata of all objects of a target into a spool: the first chunk from etcd, and the
/// rest whole from the API server's watch cache, where that can be.
///
/// Chunks make the server read and decode all objects whole.
/// Lists without a limit that may be of any state "not older than" a resource version come from its
/// watch cache (the garbage collector of Kubernetes asks for metadata so, and the migrator within
/// Kubernetes takes what it migrates from there). Nothing is missed: the resource version is that
/// of an object of the first chunk after its rewrite, which that cache knows once it knows all that
/// was before. That of a list would not do: it is etcd's, and a cache that sees one resource only
/// does not get there by itself (KEP-2340). The answer is taken only if it has that very object,
/// and no fewer objects than etcd had at the beginning.
///
/// It is a MetadataList to its end where there are more than `most` objects, or the server does not
/// tell how many (with selectors); where nothing of the first chunk had to be rewritten, where the
/// watch cache keeps us waiting or says no, and where a spool is gone on with.
class CachedList : public ObjectSource, private kube::client::ResultSink {
 public:
  /// All must outlive it. `most` 0: all in chunks. `chunk_size` and `on_wait` as for MetadataList.
  CachedList(const SweepTarget& target, std::uint64_t most, std::int64_t chunk_size,
             cluster::Spool& spool, const kube::client::Session& session,
             std::function<void(const std::string&)> on_wait = {});
  ~CachedList() override { Stop(); }

  void Advance() override;
  void OnRewritten(const std::string& resource_version) override;
  void NameOnly() override;
  void Stop() override;
  bool is_done() const override { return state_ == State::kDone || chunks_.is_done(); }
  const std::optional<kube::client::CallError>& error() const override { return chunks_.error(); }
  std::optional<std::uint64_t> remaining() const override;
  kube::base::Clock::TimePoint next_event() const override;

 private:
  enum class State {
    kNew,
    kFirstChunk,  // and then waiting for one of its objects to be rewritten
    kInOnePiece,
    kInChunks,
    kDone,
  };

  void Begin();
  bool IsInVain() const;
  void ReadInChunks();
  void OnBytes(std::string_view bytes) override;
  void OnEnd(const std::optional<kube::client::CallError>& error) override;
  void Take(const cluster::ListedObject& object);
  bool IsBounded() const;
  bool FinishPage();
  void HandleRest();

  const SweepTarget& target_;
  const std::uint64_t most_;
  cluster::Spool& spool_;
  const kube::client::Session session_;
  MetadataList chunks_;
  State state_ = State::kNew;
  std::uint64_t total_ = 0;
  kube::base::Clock::TimePoint patience_end_ = kube::base::Clock::TimePoint::max();

  // Of the piece:
  std::optional<kube::client::Client::CallId> call_;
  kube::base::Clock::TimePoint answer_end_{};
  std::string version_;         // that it has to know
  bool knows_version_ = false;  // an object of it has that
  std::optional<MetadataPage> page_;
  std::vector<cluster::ListedObject> objects_;
  std::size_t bytes_ = 0;  // of their texts
};

}  // namespace migrate::rewrite
