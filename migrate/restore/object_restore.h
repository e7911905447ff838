#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/restore_report.h"
#include "migrate/restore/crd_target.h"
#include "migrate/restore/taken_fields.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/object_patch.h"
#include "migrate/rewrite/retry.h"

namespace migrate::restore {

/// How objects are put back.
struct RestoreSettings {
  CompareOptions compare{};
  bool recreate = false;  ///< what was deleted is made anew
  report::DryRun dry_run = report::DryRun::kNone;
  bool reads_back = false;  ///< nothing is written: objects are read, to see whether all is back
  /// With a dry run by the client: is given each object that would change, without managedFields.
  /// The null pointer: nobody is.
  check::ChangeTaker* changes = nullptr;
};

/// An object of the backup, on its own.
struct BackupObject {
  std::unique_ptr<kube::json::Document> document;
  std::string namespace_{}, name{};
  std::string uid{};           ///< empty: the backup tells none
  bool was_recreated = false;  ///< by this run, so that it has another uid

  const kube::json::Value& value() const { return document->root(); }
};

/// What became of it.
struct RestoreOutcome {
  report::RestoreClass restore_class = report::RestoreClass::kFailed;
  int code = 0;
  std::string reason, message;
  Paths taken{}, kept{}, conflicts{};  ///< `conflicts`: the lists that are why, of either kind
  bool is_namesake = false;            ///< with kGone: another object of its name is there
  std::string resource_version{};      ///< of the live object as it was seen last
};

/// One object of a backup on its way back. No I/O.
///
/// It is read, what pruning took is found out (taken_fields.h), and sent as a patch for the
/// resourceVersion that was read alone: after a conflict, and where it is not known whether a write
/// was done, it is read again, and all is decided anew. Where the CRD has the status subresource
/// the status is a patch of its own, behind the other. A server that takes a patch and does not
/// show what it brought still prunes by an older schema: it is tried again, too, for a while.
///
/// An object that is not there is gone, or made anew with everything that the backup has of it but
/// what only a server sets; it is not where the schemas of the server would prune any of it. An
/// object of its name with another uid is another object: pruning took nothing from it, so that it
/// stays as it is, unless it has all that the backup has, as what an earlier run made anew.
class ObjectRestore final : public rewrite::Exchange {
 public:
  /// `target` and `settings` must outlive it. `version` is CrdTarget::VersionOf the object.
  /// `patience`: how long it is tried again (RetryBudget).
  ObjectRestore(const CrdTarget& target, const kube::crd::CrdVersion& version,
                const RestoreSettings& settings, BackupObject object,
                kube::base::Clock::Duration patience);

  kube::client::ApiRequest Request() const override;
  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::base::Clock::TimePoint now) override;

  const CrdTarget& target() const { return *target_; }
  const BackupObject& object() const { return object_; }
  /// Once it is done.
  const RestoreOutcome& outcome() const { return outcome_; }

 private:
  enum class Asks { kObject, kPatch, kStatusPatch, kCreation };
  using Value = kube::json::Value;

  Step OnObject(const Value& live, kube::base::Clock::TimePoint now);
  Step OnNamesake(const Value& live, kube::base::Clock::TimePoint now);
  Step Decide(const Value& live, kube::base::Clock::TimePoint now);
  Comparison CompareAsNew(const Value& live, kube::json::Arena& arena) const;
  Comparison CompareWith(const Value& live, kube::json::Arena& arena) const;
  Step SendOrEnd(const Value& live, const Value& restored, kube::base::Clock::TimePoint now);
  Value WithOwners(const Value& live, const Value& restored, kube::json::Arena& arena) const;
  void ShowChange(const Value& live, const Value& restored) const;
  Step OnDryRunTaken(const Value& answer, kube::base::Clock::TimePoint now);
  bool Shows(const Value& answer) const;
  Step OnGone();
  Step Foretell(const Value& restored, const Value* live, report::RestoreClass restore_class);
  Step End(report::RestoreClass restore_class, std::string message = "");
  Step EndUnchanged();
  Step Fail(const kube::client::CallError& error, kube::base::Clock::TimePoint now);
  Step Retry(const rewrite::AnswerVerdict& verdict, kube::base::Clock::TimePoint now);
  std::string CreationBody() const;
  bool has_status() const { return version_->has_status_subresource(); }

  const CrdTarget* target_;
  const kube::crd::CrdVersion* version_;
  const RestoreSettings* settings_;
  BackupObject object_;
  rewrite::SweepTarget paths_;
  cluster::ListedObject place_;
  Asks asks_ = Asks::kObject;
  std::optional<rewrite::PatchBody> patch_, status_patch_;
  bool is_written_ = false;      // by a write of this run
  bool may_be_created_ = false;  // the same, or one without a clear answer
  rewrite::RetryBudget budget_;
  RestoreOutcome outcome_;
};

}  // namespace migrate::restore
