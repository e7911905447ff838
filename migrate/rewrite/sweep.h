#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/spool.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "migrate/rewrite/sweep_target.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::rewrite {

/// How far a sweep has come.
struct SweepProgress {
  std::uint64_t listed = 0;
  std::uint64_t expected =
      0;  ///< listed, and what the server says remains; 0 where it does not say
  std::uint64_t passes_after = 0;  ///< over the same objects
  report::ClassCounts counts;
};

struct SweepOptions {
  std::int64_t chunk_size = 500;  ///< 0: the list comes whole
  /// Of no more objects it comes so too, if it can.
  std::uint64_t most_in_one_piece = 0;
  Pace pace{};
  /// Is asked before the first write, then every second. A text ends the sweep: why the CRD is no
  /// longer what it was.
  std::function<std::optional<std::string>()> find_change{};
  /// Where the sweep gives up: what was not tried is counted and named all the same.
  bool names_not_tried = true;
  /// Is asked of every object as it is listed. True: it is not written, its class is kHeld.
  std::function<bool(const cluster::ListedObject&)> is_held{};
  /// The message of what is held.
  std::string held_because = "was written while pruning was turned on, after the backup";
  std::function<void(const SweepProgress&)> on_progress{};  ///< several times a second
  /// A line for the person who waits: why nothing happens for a while.
  std::function<void(const std::string&)> on_line{};
};

struct SweepResult {
  report::ClassCounts counts;                     ///< adds up to what was listed
  std::vector<report::ObjectFailure> failures{};  ///< by namespace and name; not-tried are among
                                                  ///< them only after `is_given_up`
  report::ManagedFieldsCleaned cleaned{};
  std::set<std::string> emptied{};      ///< as Spool::Emptied; with a dry run those that would be
  std::uint64_t stale_left = 0;         ///< objects that still have stale entries in managedFields
  std::uint64_t generations_moved = 0;  ///< objects whose generation a write of {} moved: a webhook
  std::optional<std::string> stopped{};  ///< why it ended early: "interrupted", the same failure...
  bool is_interrupted =
      false;                 ///< by Session::stop: no more writes were begun, those in flight ended
  bool is_given_up = false;  ///< as nearly all objects failed in the same way
  bool is_broken = false;    ///< by an exception, whose text `stopped` is
  std::optional<kube::client::CallError> list_error{};  ///< the list could not be read to its end
  std::chrono::nanoseconds duration{};  ///< of this run, without earlier ones that were resumed
};

/// Rewrites objects, so that etcd holds them anew: lists metadata alone (metadata_list.h), and
/// sends each object a merge patch {} that is answered with metadata.
///
/// What is listed goes to `folder`/NAME.listed before any of it is written, what is answered to
/// `folder`/NAME.answered; so a sweep that was killed, run again with the same folder and name,
/// goes on where it was, counts no object twice and forgets none (see spool.h). With everything
/// answered it tries what failed once more, and counts.
///
/// Concurrency adapts (throttle.h), each answer has one class and action (retry.h). If 40 of the
/// last 50 objects failed in the same way (exchange_pool.h), and some were not tried yet, it gives
/// up: nothing more is written, but the list is read to its end, so that every object that was not
/// tried is counted and named. (Not so where a sweep verifies: its objects were rewritten before.)
///
/// Throws kube::base::Error if its files cannot be opened. What fails later (a full disk,
/// credentials that nobody renews) is in the result, with the counts of what was done until then.
SweepResult Sweep(const SweepTarget& target, const SweepOptions& options,
                  const std::filesystem::path& folder, const std::string& name,
                  const kube::client::Session& session);

/// The same for the objects of the sweep `previous` in the same folder that are rewritten, mutated
/// or unchanged, without listing again and without a mutation; their resource versions are those
/// that were answered. This is how a migration is verified: what is rewritten now was not stored as
/// it should be, as what other writers do is told from it (SweepTarget::ignores_other_writers).
/// Where `previous` has got more of such objects since, it starts anew.
SweepResult SweepAgain(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::string& previous,
                       const std::string& name, const kube::client::Session& session);

/// The same for objects that are named, as --retry-from does: they are read one by one.
SweepResult SweepNamed(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::vector<ObjectName>& objects,
                       const std::string& name, const kube::client::Session& session);

// Where SweepNamed and SweepAgain have their objects from; Sweep has them from a list
// (metadata_list.h).

/// Objects that are named: reads the metadata of one after the other, some at a time, into a spool,
/// and goes on where the spool ends.
///
/// One that is not found is answered as gone. Any other that cannot be read is spooled without uid
/// and resourceVersion: what is wrong with it is found out by the write.
class NamedObjects : public ObjectSource {
 public:
  /// All must outlive it.
  NamedObjects(const SweepTarget& target, const std::vector<ObjectName>& names, std::size_t at_once,
               cluster::Spool& spool, const kube::client::Session& session);
  ~NamedObjects() override;

  void Advance() override;
  void NameOnly() override;
  void Stop() override;
  bool is_done() const override { return is_done_; }
  const std::optional<kube::client::CallError>& error() const override { return no_error_; }
  std::optional<std::uint64_t> remaining() const override;
  kube::base::Clock::TimePoint next_event() const override;

 private:
  class Read;
  void BeginPage();
  bool IsPageRead() const;

  const SweepTarget& target_;
  const std::vector<ObjectName>& names_;
  const std::size_t at_once_;
  cluster::Spool& spool_;
  const kube::client::Session session_;
  bool names_only_ = false;
  bool is_done_;
  std::optional<kube::client::CallError> no_error_;
  std::vector<std::unique_ptr<Read>> page_;
  kube::json::Document document_;
};

/// The objects of an earlier sweep that ended in some classes, with the resource versions that were
/// answered.
class PreviousObjects : public ObjectSource {
 public:
  /// Those of `previous`, which nobody may write meanwhile, into `spool`; both must outlive it.
  /// Goes on where the spool ends.
  PreviousObjects(const cluster::Spool& previous, std::set<report::ObjectClass> classes,
                  cluster::Spool& spool);

  void Advance() override;
  void Stop() override { is_done_ = true; }
  bool is_done() const override { return is_done_; }
  const std::optional<kube::client::CallError>& error() const override { return no_error_; }
  std::optional<std::uint64_t> remaining() const override { return remaining_; }
  kube::base::Clock::TimePoint next_event() const override;

 private:
  cluster::ListedObject ReadObject();
  void FindAnswers();
  void HandleAnswer(std::uint64_t at, cluster::ListedObject& object);

  const cluster::Spool& previous_;
  std::set<report::ObjectClass> classes_;
  cluster::Spool& spool_;
  bool is_done_;
  std::optional<kube::client::CallError> no_error_;
  std::uint64_t remaining_ = 0;
  cluster::LineReader objects_;
  std::uint64_t next_ = 0;  // number of the object that is read next
  // Where the answers of some objects from `answers_from_` on start.
  std::vector<std::uint64_t> answers_;
  std::uint64_t answers_from_ = 0;
};

}  // namespace migrate::rewrite
