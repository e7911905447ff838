#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/metadata_list.h"
#include "migrate/rewrite/metadata_page.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

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
