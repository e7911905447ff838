#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::cluster {

/// Which entries of managedFields a write says in the version that it is in (EntryCleaner).
enum class Cleaning : std::uint8_t {
  kAuto,    ///< stale ones, and those of versions that lack fields of this object
  kAlways,  ///< stale ones, and those of versions that lack fields of the storage version
  kNever,
};

/// So many entries of an object are looked at one by one: the server keeps ten of those who update,
/// and few others.
inline constexpr std::size_t kMostEntries = 200;

/// What metadata.managedFields of an object hold, as far as a migration has to know it. Of several
/// entries the last of these that fits one.
enum class EntryState : std::uint8_t {
  kNone,      ///< no entry that owns something, or nobody looked
  kSome,      ///< entries that own something
  kDoubtful,  ///< an entry of a version that may not hold the object (version_fit.h)
  kStale,     ///< a stale entry
};

/// Which entries of managedFields are stale: those that name none of these versions. The API server
/// cannot convert an object to another version, whether to compare it or to drop the entry. So
/// server-side apply of the object fails for ever, and servers before kubernetes#136949 empty
/// managedFields on any other write. (A version that is not served is converted to like others.)
class KnownVersions {
 public:
  /// What entries are of a version that the CRD has and that does not hold every object of the
  /// version that is written (version_fit.h). Where a webhook converts no schema tells which these
  /// are: none is.
  enum class Unfit : std::uint8_t { kKnown, kDoubtful, kStale };

  /// The versions of the CRD.
  explicit KnownVersions(const kube::crd::Crd& crd);
  KnownVersions(const kube::crd::Crd& crd, const kube::crd::CrdVersion& written, Unfit unfit);

  /// Entries of this apiVersion are stale from now on.
  void Forget(const std::string& api_version) { states_.erase(api_version); }

  /// kSome, kDoubtful or kStale, whatever the entry owns; kNone for what is no entry.
  EntryState StateOfEntry(const kube::json::Value& entry) const;
  bool IsStale(const kube::json::Value& entry) const {
    return StateOfEntry(entry) == EntryState::kStale;
  }
  /// Whether entries of some version are doubtful.
  bool HasDoubtful() const;
  /// "stable.example.com/v1=some ...", by which what was judged by others is told apart.
  std::string Text() const;

 private:
  std::map<std::string, EntryState, std::less<>> states_;  // by "stable.example.com/v1"
};

/// The entries of metadata.managedFields of an object or PartialObjectMetadata.
std::span<const kube::json::Value> EntriesOf(const kube::json::Value& object);
/// The first entries of metadata.managedFields, kMostEntries at most.
std::span<const kube::json::Value> FirstEntriesOf(const kube::json::Value& object);

/// `known` may be the null pointer: then none is stale or doubtful.
EntryState StateOf(const kube::json::Value& object, const KnownVersions* known);

/// Whether a write emptied managedFields: an object that was listed with entries that own something
/// (whichever) was answered without any. That no write of ours does by itself: `{}` changes nothing
/// that somebody owns, so no entry loses its last field, and the server drops none for its age. A
/// single entry that is gone is no sign: servers merge the oldest of those who update, others may
/// have written the object since, and a mutating webhook may take fields away. Two things look the
/// same all the same: somebody else who reset managedFields since the object was listed, and a
/// webhook that takes away every single field that anybody owned.
inline bool WereEmptied(EntryState listed, EntryState answered) {
  return listed != EntryState::kNone && answered == EntryState::kNone;
}

/// Counts in how many objects there are entries of a kind, such as stale ones, by version and whose
/// they are.
///
/// One tally may be filled by each thread and all be merged: the result is the same in any order.
class StaleTally {
 public:
  /// So many are kept, the first by their order: whoever writes objects can name any managers.
  static constexpr std::size_t kMost = 1000;

  /// Counts the stale entries of `object`, whose place and name `counted` is; of kMostEntries
  /// alone. Returns how many there are.
  std::uint64_t AddStale(const kube::json::Value& object, const KnownVersions& known,
                         const report::CountedObject& counted);
  /// Counts an entry of an object. Those of one object come one after the other.
  void Add(const kube::json::Value& entry, const report::CountedObject& counted);
  void Merge(const StaleTally& other);

  /// Sorted by version, manager, operation and subresource, bytewise.
  std::vector<report::StaleEntry> Report() const;

 private:
  struct Key {
    std::string api_version, manager, operation, subresource;

    auto operator<=>(const Key&) const = default;
  };
  struct Count {
    std::uint64_t objects = 0;
    report::Place last_place{};  // of the object counted last
    std::vector<std::pair<report::Place, std::string>> examples{};
  };

  static void KeepFirst(Count& count);
  void DropLast();

  std::map<Key, Count> counts_;
};

}  // namespace migrate::cluster
