#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/base/clock.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/object_patch.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// One object on its way through the server, from its first request to what becomes of it. No I/O.
///
/// A merge patch {}, or where `by_update` says so, a GET and a PUT of the same bytes. Both are
/// answered with metadata, which tells what happened: an object whose resourceVersion is no longer
/// the listed one was stored anew, by us or by another writer, and so was one that was deleted and
/// created again (another uid).
///
/// Where `ignores_other_writers` says so, the write is for the listed resourceVersion alone: after
/// a conflict the object is read, and what was read takes the place of what was listed. Not so once
/// a write of ours got no clear answer: what is stored anew then may be ours.
///
/// An object that comes without a resourceVersion is read first: without it nothing could be told.
///
/// Where the target has a cleaner, an object whose managedFields may have to be cleaned is read,
/// too, and its write carries them cleaned where they have to be, for the resourceVersion that was
/// read alone; after a conflict it is read anew. Where that write brings defaults, the server makes
/// this program their owner, and the next apply of another value would conflict with it: a second
/// write takes that entry away. The object is rewritten even if that one fails.
///
/// Where the target has a mutation, each object is read whole. One that the mutation changes is
/// written with the change, and its stale entries cleaned, by a patch for the resourceVersion that
/// was read alone; after a conflict it is read, and changed, anew.
class ObjectWrite final : public Exchange {
 public:
  /// `target` must outlive it.
  ObjectWrite(const SweepTarget& target, cluster::SpooledObject object)
      : target_(&target),
        object_(std::move(object)),
        spooled_uid_(object_.object.uid),
        budget_(target.patience) {}

  const cluster::SpooledObject& object() const { return object_; }
  kube::client::ApiRequest Request() const override;

  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::base::Clock::TimePoint now) override;

  /// What became of the object, once it is done.
  const cluster::ObjectAnswer& answer() const { return answer_; }

 private:
  /// What Request() is. The metadata are read before anything else.
  bool ReadsMetadata() const { return object_.object.resource_version.empty(); }
  bool ReadsWhole() const { return (target_->by_update || target_->mutation) && read_.empty(); }
  bool ReadsToClean() const {
    return target_->cleaner && !target_->by_update && !target_->mutation && !patch_ &&
           object_.object.entries >= cluster::EntryState::kDoubtful;
  }
  bool TakesOthersWrites() const { return target_->ignores_other_writers && !may_be_written_; }
  PatchBody Patch() const;
  std::optional<std::string> TakeWhole(std::string_view body, kube::json::Document& document);
  void TakeToClean(kube::json::Document& document);
  bool DropOwnEntry(kube::json::Document& answer);
  std::optional<std::string> TakeChanged(kube::json::Document& document);
  std::optional<cluster::CleanedEntries> CleanEntries(const kube::json::Value& read,
                                                      kube::json::Arena& arena,
                                                      const kube::json::Value* changed);

  Step OnObject(std::string_view body, kube::json::Document& document,
                kube::base::Clock::TimePoint now);
  void OnFailedTry(kube::client::Meaning meaning);
  Step Fail(const AnswerVerdict& verdict, const kube::client::CallError& error,
            kube::base::Clock::TimePoint now);
  Step Succeed(cluster::ListedObject stored);

  const SweepTarget* target_;
  cluster::SpooledObject object_;
  std::string spooled_uid_;
  // What was read as a whole, to be sent back by an update; as a rule it is as it was read.
  std::string read_;
  std::optional<PatchBody> patch_;     // in the place of {}, made of what was read
  bool is_mutated_ = false;            // by this patch or update
  std::uint64_t entries_cleaned_ = 0;  // by this patch or update
  bool drops_all_entries_ = false;     // the same
  bool may_own_entry_ = false;         // the next answer may show an entry of this program's
  bool are_entries_judged_ = false;    // what this patch or update leaves is not doubtful
  RetryBudget budget_;
  std::optional<cluster::ListedObject> written_;  // while its own entry is taken away
  bool may_be_written_ = false;                   // by a try without a clear answer
  cluster::ObjectAnswer answer_;
};

/// The writes of a sweep that are under way.
class WritePool : public ExchangePool {
 public:
  /// As ExchangePool; `target` must outlive it, too.
  WritePool(const SweepTarget& target, Throttle throttle,
            std::function<void(const std::string&)> on_wait, const kube::client::Session& session)
      : ExchangePool(throttle, std::move(on_wait), session), target_(target) {}

  /// Is told what became of an object.
  using OnWritten = std::function<void(const ObjectWrite&)>;
  void HandleAnswers(const OnWritten& on_written, const OnDone& on_put_off = nullptr) {
    ExchangePool::HandleAnswers(
        [&on_written](const Exchange& exchange) {
          on_written(static_cast<const ObjectWrite&>(exchange));
        },
        on_put_off);
  }

  void Begin(cluster::SpooledObject object) {
    ExchangePool::Begin(std::make_unique<ObjectWrite>(target_, std::move(object)));
  }

 private:
  const SweepTarget& target_;
};

}  // namespace migrate::rewrite
