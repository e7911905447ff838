#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::rewrite {

/// The most bytes of an answer that is one object.
inline constexpr std::size_t kMostObjectBytes = 8 * 1024 * 1024;

/// Brings the objects of a sweep into its spool, a page at a time, ahead of the writes.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  /// Begins what is due.
  virtual void Advance() = 0;
  /// Nothing of what is still to come will be written: only its names are needed.
  virtual void NameOnly() {}
  /// An object of it was stored anew, as of that resource version.
  virtual void OnRewritten(const std::string& /*resource_version*/) {}
  /// Ends it where it is.
  virtual void Stop() = 0;

  /// Nothing more will come, as all is there or because of error().
  virtual bool is_done() const = 0;
  virtual const std::optional<kube::client::CallError>& error() const = 0;
  /// How many objects are still to come, where that is known.
  virtual std::optional<std::uint64_t> remaining() const = 0;
  /// When time alone lets Advance do something; TimePoint::max() if it does not.
  virtual kube::base::Clock::TimePoint next_event() const = 0;
};

/// Which objects a sweep writes, and how.
struct SweepTarget {
  std::string group, version, plural;
  bool is_namespaced = true;
  std::string namespace_{};  ///< only of this namespace; empty: all
  std::string label_selector{}, field_selector{};
  bool dry_run = false;    ///< every write with dryRun=All
  bool by_update = false;  ///< GET and PUT where RBAC allows no patch
  /// Tells our own writes from those of others: kRewritten is then only what was not stored as it
  /// should be, kUnchanged also what another writer has stored since it was listed.
  bool ignores_other_writers = false;
  /// How long an object is tried again (RetryBudget).
  kube::base::Clock::Duration patience = std::chrono::minutes(3);
  /// Entries of managedFields that it chooses are cleaned by the write; the null pointer: they stay
  /// as they are.
  std::shared_ptr<const cluster::EntryCleaner> cleaner{};

  /// Objects are changed by it as they are written; the null pointer: they are not.
  std::shared_ptr<const check::ObjectMutation> mutation{};
  /// With `mutation`: is given each object as it was read, before the write that changes it is
  /// sent. May be empty. What it throws ends the sweep.
  std::function<void(const kube::json::Value&)> on_mutation{};

  /// By which entries are stale; the null pointer where that does not matter.
  const cluster::KnownVersions* known() const { return cleaner ? &cleaner->known() : nullptr; }
};

/// One of the objects that are named, as --retry-from does.
struct ObjectName {
  std::string namespace_, name;
};

inline constexpr char kMetadataAccept[] =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
/// v1beta1 for servers before 1.15.
inline constexpr char kMetadataListAccept[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,application/json";

/// Path and selectors of the list of `target`.
std::string ListPath(const SweepTarget& target);
/// One object as the API server words it: `widgets.demo.example.com "a"`.
std::string ObjectText(const SweepTarget& target, const cluster::ListedObject& object);
/// The same for warnings.
kube::client::WrittenObject WarnedOf(const SweepTarget& target,
                                     const cluster::ListedObject& object);
/// Path of one object.
std::string ObjectPath(const SweepTarget& target, const cluster::ListedObject& object);

}  // namespace migrate::rewrite
