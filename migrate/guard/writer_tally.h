#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/admission/review.h"
#include "migrate/guard/request_loss.h"
#include "migrate/report/check_report.h"

namespace migrate::guard {

/// Who made a request. Borrows from the review.
struct Writer {
  std::string_view user;
  /// The field manager by which the API server notes the request in metadata.managedFields; empty
  /// if it is not known.
  std::string_view manager;
};

/// The user is proven by the API server. The manager is what the client calls itself: that of its
/// options (fieldManager), or, where it gives none, that of the entry in managedFields which the
/// API server has made for the request already (it is the start of the client's User-Agent, which a
/// webhook is not shown: the header that it gets is the API server's own).
///
/// An API server of 1.20 shows the old object without managedFields; the latest entry is taken for
/// the request's there. Of several managers within one second none is named.
Writer WriterOf(const kube::admission::Review& review);

/// True if the request would store what is stored already, as a storage migration asks for: nobody
/// writes anything by it, so there is nothing to say and nothing to change. managedFields do not
/// count, as not every API server shows those of the old object.
bool IsRewrite(const kube::admission::Review& review);

/// True if a `migrate` of ours made the request, as far as it says itself. Whoever names himself so
/// is believed: good enough not to count it among the writers that people look for, and not to
/// answer a mutation by another one; not good enough to let it pass.
bool IsOfMigration(const Writer& writer);

using TimePoint = std::chrono::system_clock::time_point;

/// What is done about a field that a request loses.
enum class LossOutcome : std::uint8_t {
  kPassed,  ///< the writer was told
  kDenied,  ///< the request was refused for it
  kMoved,   ///< the mutation has left nothing of it
};

/// A request that loses fields.
struct LosingRequest {
  std::string_view crd;     ///< its name
  std::string_view object;  ///< "namespace/name"
  Writer writer;
  TimePoint time;
};

/// Counts who writes what will be pruned. For several threads at once.
///
/// Its memory is bounded, whatever requests hold: what is first there stays, and what there is no
/// room for is counted together. No writer can fill it alone: who has half of the places gets no
/// more, and while more than half are taken nobody gets more than a tenth.
class WriterTally {
 public:
  static constexpr std::size_t kMostEntries = 2000;   ///< of a writer and a path
  static constexpr std::size_t kMostNameBytes = 256;  ///< of a user, and the like: cut behind it

  /// Counts a request to create or change an object that is guarded. One that loses fields is
  /// counted by NoteLoss beside.
  void NoteRequest();
  /// Counts a field that a request loses. True if nobody knew yet that this writer writes it: a
  /// request that only sends along what the object had is no sign of that.
  bool NoteLoss(const LosingRequest& request, const LostField& field, LossOutcome outcome);
  /// Counts fields of a request that have no paths of their own (RequestLoss::left_out).
  void NoteLeftOut(std::uint64_t fields);
  /// Counts a request that loses fields, once, whatever was said of them.
  void NoteLosingRequest(bool is_denied);

  std::uint64_t requests() const;
  /// Fields that there was no place for.
  std::uint64_t left_out() const;
  /// The counts, and all writers in their order: what else a report has is empty.
  report::GuardReport Report() const;

  /// The same for Prometheus, sorted, of at most 100 writers and paths, those with most requests:
  ///
  ///     guard_requests_total 12
  ///     guard_requests_losing_fields_total 3
  ///     guard_requests_denied_total 1
  ///     guard_lost_fields_total{crd="crontabs.stable.example.com",path="spec.legacyMode",user="a",
  ///         manager="kubectl-edit"} 3
  std::string PrintMetrics() const;

 private:
  // By CRD, path, user and manager.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  struct Entry {
    report::WriterUse use;  // without times and what the key says
    TimePoint first_seen, last_seen;
  };
  Entry* FindOrAdd(const Key& key, bool& is_new);
  std::vector<std::pair<const Key*, const Entry*>> MostRequested(std::size_t most) const;

  mutable std::mutex mutex_;
  std::uint64_t requests_ = 0, losing_ = 0, denied_ = 0, left_out_ = 0;
  std::map<Key, Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> entries_of_user_;
};

}  // namespace migrate::guard
