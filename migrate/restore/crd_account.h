#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_names.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/report/field_tally.h"
#include "migrate/report/restore_report.h"
#include "migrate/restore/crd_target.h"
#include "migrate/restore/object_restore.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::restore {

/// An object of a backup during the call that hands it out.
struct ReadObject {
  const kube::json::Value& value;
  report::Place place;
  std::string_view group, kind, namespace_, name, uid;

  /// "namespace/name", or the name alone.
  std::string FullName() const;
  /// What tells it from all others of the backup.
  std::string Identity() const;
  /// On its own.
  std::unique_ptr<kube::json::Document> Copy() const;
};

/// Hands out the objects of a backup one after the other, in its order, in a thread that is not the
/// caller's, while this one waits. Lists are taken apart. Memory does not grow with the file.
///
/// Throws kube::base::Error, behind the last object, where something of it cannot be read, or is no
/// object that a server could have; what `take` throws goes through.
void ReadBackup(const std::string& path, const std::function<void(const ReadObject&)>& take);

/// The Leases by which a restore and migrations of the same CRDs know of each other, on whatever
/// machines. They are given back at the end.
class RestoreLeases {
 public:
  /// All must outlive it.
  RestoreLeases(const migration::LeaseOptions& options, const rewrite::MigrationSession& session)
      : options_(options), session_(session) {}

  /// Takes that of one more CRD, for which it waits as migration::CrdLease does. Returns why
  /// nothing may be written; empty: it may, or the session was stopped. That others would not be
  /// seen is a warning.
  std::string Take(const std::string& crd_name, const std::string& crd_uid);
  /// Of whichever was taken: as migration::CrdLease::CheckLease.
  std::optional<std::string> CheckLease();

 private:
  const migration::LeaseOptions& options_;
  const rewrite::MigrationSession& session_;
  std::vector<std::unique_ptr<migration::CrdLease>> taken_;
};

/// The account of one CRD in a restore: which of its objects count, and what became of each.
class CrdAccount {
 public:
  /// `target` is that of the CRD at the server.
  CrdAccount(CrdTarget crd, const std::string& target, const kube::client::Session& session);

  const CrdTarget& crd() const { return crd_; }
  const check::CrdIdentity& identity() const { return identity_; }
  check::CrdGuard& guard() { return guard_; }
  report::CrdRestore& report() { return report_; }

  /// Only objects of these identities count.
  void Select(std::unordered_set<std::uint64_t> selected) { selected_ = std::move(selected); }
  bool IsSelected(const ReadObject& object) const;

  /// Why it is not known by which schemas its objects were pruned; empty where it is.
  std::string why_unknown{};

  // Before anything is written:
  void CountChosen() { ++chosen_; }
  void CountNotChosen() { ++report_.counts[report::RestoreClass::kNotChosen]; }
  std::uint64_t chosen() const { return chosen_; }
  /// Counts what the CRD would prune again.
  report::FieldTally& refused() { return refused_; }
  /// Looks whether pruning took something of an object of the backup, chosen or not.
  void LookForLoss(const kube::json::Value& object);
  /// Some object may have lost something.
  bool may_have_lost() const { return may_have_lost_; }

  /// Takes what became of an object. `names_object`: for CrdRestore::objects.
  void Take(const ObjectRestore& restore, bool names_object);
  /// An object that cannot even be asked for.
  void RecordFailure(const ReadObject& object, const std::string& why);

  /// Whether this run has written an object, so that it is to be read back; and was it made anew.
  struct Written {
    std::uint64_t version = 0;  // hash of the resource version that it got
    bool was_recreated = false;
  };
  const Written* FindWritten(const ReadObject& object) const;
  /// Takes what reading it back has shown.
  void RecordReadBack(const ObjectRestore& restore);

  /// What has to be known of objects that were made anew, or would be: a sentence each.
  std::vector<std::string> NotesOfRecreated() const;
  /// The namespaces that these would be in, with a dry run by the client; the first ones.
  const std::set<std::string>& new_namespaces() const { return new_namespaces_; }

  /// Counts what was not tried, sorts, and decides the outcome. To be called once.
  report::CrdRestore Finish(bool verifies);

 private:
  struct FieldCount {
    std::uint64_t objects = 0;
    std::string example;
  };
  using FieldCounts = std::map<std::string, FieldCount>;

  static void Count(const Paths& paths, const std::string& object, FieldCounts& counts);
  static std::vector<report::RestoredField> List(const FieldCounts& counts);
  void RecordRecreated(const BackupObject& object);
  void AddFailure(const BackupObject& object, const RestoreOutcome& outcome);

  CrdTarget crd_;
  check::CrdIdentity identity_;
  check::CrdGuard guard_;
  report::CrdRestore report_;
  std::optional<std::unordered_set<std::uint64_t>> selected_;
  std::uint64_t chosen_ = 0;
  report::FieldTally refused_;
  bool may_have_lost_ = false;
  FieldCounts restored_, kept_;
  std::uint64_t recreated_with_owners_ = 0, recreated_while_deleted_ = 0;
  std::set<std::string> new_namespaces_;
  std::unordered_map<std::uint64_t, Written> written_;  // by identity
};

/// A hash of "namespace/name".
std::uint64_t IdentityOf(std::string_view namespace_, std::string_view name);

}  // namespace migrate::restore
