#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "kube/crd/crd.h"
#include "kube/json/json.h"

namespace migrate::owners {

/// What metadata.managedFields of an object hold, as far as a migration has to know it.
enum class EntryState : std::uint8_t {
  kNone,   ///< no entry that owns something, or nobody looked
  kSome,   ///< entries that own something
  kStale,  ///< some of them are stale
};

/// The versions that entries of managedFields may name, those of a CRD. All other entries are
/// stale: the API server cannot convert an object to their version, whether to compare it or to
/// drop the entry. So server-side apply of the object fails for ever, and servers before
/// kubernetes#136949 empty managedFields on any other write. (A version that is not served is
/// converted to like others.)
class KnownVersions {
 public:
  explicit KnownVersions(const kube::crd::Crd& crd);

  /// Without the versions that do not hold every object (version_fit.h), where no webhook converts:
  /// their entries are stale for who cleans, so that no write empties managedFields for them.
  static KnownVersions ThatHoldAll(const kube::crd::Crd& crd);

  bool IsStale(const kube::json::Value& entry) const;

 private:
  std::set<std::string, std::less<>> api_versions_;  // "stable.example.com/v1"
};

/// The entries of metadata.managedFields of an object or PartialObjectMetadata.
std::span<const kube::json::Value> EntriesOf(const kube::json::Value& object);

/// `known` may be the null pointer: then none is stale.
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

}  // namespace migrate::owners
