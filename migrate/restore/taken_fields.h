#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/meta/field_choice.h"
#include "kube/meta/object_path.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/managed_fields.h"

namespace migrate::restore {

/// Tells, by metadata.managedFields, which fields of a live object somebody has set since its
/// backup. Both objects must outlive it and not change.
///
/// An entry that the backup has, too, does not count: a server keeps the entry of a field that
/// pruning took, and gives it a new time whenever its manager writes something else. Only what was
/// applied (operation Apply) anew counts nevertheless, as that names all that its manager means.
class LaterOwners {
 public:
  LaterOwners(const kube::json::Value& backup, const kube::json::Value& live)
      : backup_(backup), live_(live) {}

  /// True if somebody owns the field at `path` of the live object, or parts of it, since then.
  bool HaveSet(const kube::meta::PathStep* path);

 private:
  using Value = kube::json::Value;
  using Steps = std::vector<const kube::meta::PathStep*>;

  bool HasSet(const Value& entry, const Steps& steps);
  std::string SelectorOf(const Value& fields, const kube::meta::PathStep& step, const Value& value);

  const Value& backup_;
  const Value& live_;
  kube::json::MemberIndex members_;
  std::map<const Value*, std::unique_ptr<check::ElementSelectors>> selectors_;  // by their level
};

// What pruning took from an object, and how it comes back: pure, no I/O.

/// The three forms of one object. All must outlive the result, which borrows from them.
struct ThreeForms {
  const kube::json::Value& backup;  ///< as it was before pruning
  /// What pruning left of `backup`. The null pointer: it is not known, and then all counts as taken
  /// that the live object lacks.
  const kube::json::Value* pruned;
  const kube::json::Value& live;  ///< as a read shows it now
  /// openAPIV3Schema of the version that `live` is read in; the null pointer: none. It says by
  /// which keys elements of lists belong together, and which values are defaults that nobody wrote.
  const kube::schema::SchemaProps* schema;
};

struct CompareOptions {
  kube::meta::FieldChoice fields{};  ///< only these
  bool overwrite = false;  ///< also what somebody has set anew. Nothing to it without `pruned`
};

/// Fields in the order in which they were met, as people read them: "spec.ports[0].proto". There
/// may be very many: the first ones are kept, and all counted.
struct Paths {
  static constexpr std::size_t kMost = 100;

  std::vector<std::string> first{};
  std::uint64_t count = 0;
  /// The same with indices as [*] and keys of maps as .*, each once, of all; the first ones where
  /// there are ever new names.
  std::set<std::string> folded{};

  bool empty() const { return count == 0; }
};

/// What is to be done with the live object.
struct Comparison {
  /// The live object with what was taken from it; absent where nothing is to be put back.
  std::optional<kube::json::Value> restored{};
  /// The tops of what is put back, with the indices of the live object.
  Paths taken{};
  /// What stays away although it was taken: somebody has set it anew, or has removed what it was
  /// in.
  Paths kept{};
  /// Lists that lost something and were changed since, so that it is not known which of their
  /// elements it belongs to. `restored` leaves them as they are.
  Paths conflicts{};
  /// Lists that are missing as a whole, and of which parts were chosen. `restored` leaves them out:
  /// a part of a list cannot be put back alone.
  Paths whole_lists{};
};

/// Finds what pruning took from an object that is not back yet. Later writers win: what they have
/// set, changed or removed stays so.
///
/// - A member that pruning took, and that the live object lacks, comes back. Where it has an object
///   there again, its members are looked at one by one, so that old ones come beside those that
///   somebody has set anew, as by a merge patch; an empty one was emptied, and stays so. A value
///   that is the default of the schema counts as lacking: a read shows it, though nobody has
///   written it; unless managedFields tell that somebody has (LaterOwners).
/// - Elements belong together by their index where the list is as pruning left it, and nobody has
///   set anew what it took from them; by x-kubernetes-list-map-keys where the schema declares them;
///   else the list is a conflict, unless nothing of it is missing.
/// - apiVersion, kind and metadata of the object itself stay as they are, as pruning leaves them.
///
/// Two things cannot be told apart: what pruning took, and what somebody removed since of what had
/// come back already. The latter comes back, too. Without `pruned` so does all that somebody
/// removed since.
Comparison Compare(const ThreeForms& forms, const CompareOptions& options,
                   kube::json::Arena& arena);

/// True if `value` has every value that `part` has: members of its objects may be more, lists have
/// the same length.
bool Contains(const kube::json::Value& value, const kube::json::Value& part);

}  // namespace migrate::restore
