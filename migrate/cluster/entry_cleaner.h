#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::cluster {

/// As API servers name this program in managedFields: the User-Agent up to its first "/".
inline constexpr std::string_view kOwnManager = "kubectl-prune";

/// Whether an entry of managedFields is of an update by this program.
bool HasOwnEntry(const kube::json::Value& object);
/// The other entries, an array; absent where there is no own entry, or no other: a server takes an
/// empty list for none that was sent.
std::optional<kube::json::Value> WithoutOwnEntry(const kube::json::Value& object,
                                                 kube::json::Arena& arena);

/// metadata.managedFields as they are to be, and how many entries were cleaned.
struct CleanedEntries {
  kube::json::Value entries;  ///< an array, maybe empty
  std::uint64_t changed = 0;
};

/// Says entries of an object's managedFields in the version that the object is written in, as a
/// rule the storage version: each keeps what fits that version's schema (field_fit.h), its manager,
/// operation, subresource and time. Where that manager has an entry of that version already, for
/// the same operation and subresource, it gets what both own and the later time. An entry of which
/// nothing is left is dropped. All other entries stay as they are, in their order.
///
/// Not changed after construction.
class EntryCleaner {
 public:
  /// Keeps a copy of the CRD, which has the version `written`. `unfit`: other versions for which
  /// the server was seen to empty managedFields, or nobody knows; their entries are stale. Not with
  /// kNever. Throws kube::base::Error where the CRD cannot be read.
  EntryCleaner(const kube::crd::Crd& crd, const std::string& written, Cleaning cleaning,
               const std::set<std::string>& unfit = {});

  const KnownVersions& known() const { return known_; }
  /// Whether the whole object tells what is to be cleaned; else its metadata do.
  bool needs_objects() const { return known_.HasDoubtful(); }

  /// The entries of `object`, which is as a server shows it, as they are to be written with it;
  /// absent where all may stay. `changed`: how the object will be, where the write changes it. What
  /// pruning and defaults of the written version make of both counts: a server that reads an object
  /// which is stored in another version does not show those defaults yet (seen on 1.20 and 1.36).
  /// Absent, too, for objects with more than kMostLevels (field_fit.h), which no server has: they
  /// could not be printed. The result refers to `object`, `arena` and this.
  std::optional<CleanedEntries> Clean(const kube::json::Value& object, kube::json::Arena& arena,
                                      const kube::json::Value* changed = nullptr) const;

  /// The entries of `object` whose version the CRD has and that does not hold it: for each of them
  /// a server empties its managedFields with any write. They point into `object`; of very many the
  /// first. Not with kAlways.
  std::vector<const kube::json::Value*> FindUnfit(const kube::json::Value& object) const;

 private:
  class Choice;
  std::optional<kube::json::Value> Renamed(const kube::json::Value& entry,
                                           kube::json::Arena& arena) const;
  const kube::schema::SchemaProps* SchemaOf(const kube::json::Value& entry) const;
  kube::json::Value AsWritten(const kube::json::Value& object, kube::json::Arena& arena) const;

  kube::crd::Crd crd_;
  const kube::crd::CrdVersion* written_;
  std::string api_version_;  // of that
  kube::crd::CustomResourceServer server_;
  KnownVersions known_;
};

}  // namespace migrate::cluster
