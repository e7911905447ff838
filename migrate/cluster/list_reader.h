#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/pager.h"

namespace migrate::cluster {

/// The API server's words for a namespace that does not exist: `namespaces "nosuch" not found`. A
/// list of objects in it is empty, and says nothing. Empty where the namespace exists, and where
/// that cannot be told: who may list its objects need not have the right to read it.
std::string DescribeMissingNamespace(const std::string& name, kube::client::Client& client);

// Reads many lists from an API server at once.

/// Takes the objects of one list. A list that has to be read again from its beginning gets a new
/// taker; what the old one has is forgotten.
class ItemTaker {
 public:
  virtual ~ItemTaker() = default;
  /// Is called by all workers at once. `number` is the place of the item in the list, from 0.
  virtual void Handle(std::size_t worker, kube::json::Document& item, std::uint64_t number) = 0;
  /// Why the list is an error though all of it came; empty if it is none.
  virtual std::string Fault() const { return ""; }
};

using TakerMaker = std::function<std::shared_ptr<ItemTaker>()>;

/// Takers that give every item to `handle`, which is called by all workers at once.
TakerMaker HandleEach(std::function<void(kube::json::Document&)> handle);

/// Takers of `args`. The last one, which counts, is kept in `kept`; that must outlive the reading.
template <typename Taker, typename... Args>
TakerMaker MakerOf(std::shared_ptr<Taker>& kept, Args... args) {
  return [&kept, args...] { return kept = std::make_shared<Taker>(args...); };
}

/// A list to read, or one object.
struct ListJob {
  ListJob(std::string t, TakerMaker m, bool list = true)
      : target(std::move(t)), make_taker(std::move(m)), is_list(list) {}

  std::string target;  ///< path and selectors: "/apis/g/v1/widgets?labelSelector=x"
  TakerMaker make_taker;
  bool is_list;                ///< false: one object, which is handed out as the only item
  bool metadata_only = false;  ///< the server sends of each object only its metadata

  // The result:

  /// Of the list as its first page told it: every change since is missing or newer. Known, and may
  /// be looked at by `on_progress`, once that page has come; a list begun anew has another.
  std::string resource_version;
  std::optional<kube::client::CallError> error;  ///< why the list could not be read to its end

  bool HasFailed() const { return error.has_value(); }
};

/// How far a run has come.
struct ListProgress {
  std::size_t lists = 0, lists_done = 0;
  std::uint64_t items = 0;
  /// How many items the lists that were begun have in all, as far as the server tells
  /// (metadata.remainingItemCount).
  std::uint64_t items_known = 0;
};

struct ListReaderOptions {
  std::int64_t chunk_size = 500;  ///< items a page; 0: everything in one page
  std::size_t workers = 1;
  /// Lists of one resource are read page by page: several at once keep the server busy, and few
  /// enough take no more than a share of what it gives to one user.
  std::size_t lists_at_once = 4;
  /// Is called several times a second; may be empty.
  std::function<void(const ListProgress&)> on_progress{};
  std::uint64_t most_items = Pager::kMostItems;  ///< of a list: one with more has no end
};

/// Reads all lists of `jobs`, several at once, and hands their items to the takers: pages are taken
/// apart as they arrive, the next page is asked for while workers still parse the last one. Where
/// workers fall behind no more is read, so that memory stays small. The taker that was made last
/// has every item of its list, unless that has an error.
///
/// What is wrong with one list is its `error`; the others are still read, but for those that were
/// not begun when the last eight that have ended were not answered (IsUnanswered): such a server
/// would keep everybody for as long as it has lists. Those that were not finished when the session
/// was stopped have the error "interrupted". Throws what Client::Poll throws.
void ReadLists(std::vector<ListJob>& jobs, const kube::client::Session& session,
               const ListReaderOptions& options);

/// Is told how far the reading of "CRDs" or "objects" has come.
using ProgressFunction = std::function<void(const std::string& what, const ListProgress&)>;

/// Reads lists of one cluster, each time with the same options.
class ClusterReader {
 public:
  /// All must outlive it. `on_progress` may be empty; that of `options` is not used.
  ClusterReader(const kube::client::Session& session, const ListReaderOptions& options,
                const ProgressFunction& on_progress)
      : session_(session), options_(options), on_progress_(on_progress) {}

  kube::client::Client& client() { return session_.client; }
  std::size_t workers() const { return options_.workers; }
  bool is_stopped() const { return session_.is_stopped(); }

  /// ReadLists; `what` is for the progress, of which nothing is told if it is empty.
  void Read(std::vector<ListJob>& jobs, const std::string& what = "");

 private:
  const kube::client::Session session_;
  ListReaderOptions options_;
  const ProgressFunction& on_progress_;
};

}  // namespace migrate::cluster
