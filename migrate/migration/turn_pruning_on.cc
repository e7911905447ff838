#include "migrate/migration/turn_pruning_on.h"

#include <exception>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/dry_run_writes.h"
#include "migrate/rewrite/retry.h"

namespace migrate::migration {
namespace {

using kube::client::Meaning;
using kube::client::MeaningOf;

constexpr int kMostTries = 5;
constexpr std::chrono::seconds kPause(1);

// What the client sends again, or what another try may bring.
bool IsWorthAnotherTry(Meaning meaning) {
  return meaning == Meaning::kConflict || kube::client::MayPass(meaning);
}

/// One run of RequestPruning.
class PruningSwitcher {
 public:
  PruningSwitcher(const PruningTarget& target, bool dry_run, const kube::client::Session& session)
      : target_(target), dry_run_(dry_run), session_(session) {}

  PruningWrite Run() {
    for (int tries = 0; tries < kMostTries; ++tries) {
      if (pause_ > kube::base::Clock::Duration::zero()) {
        cluster::PauseUntil(session_.clock.Now() + pause_, session_);
      }
      if (const std::optional<PruningWrite> end = Try()) return *end;
    }
    return End(was_sent_ ? PruningWrite::Step::kUnknown : PruningWrite::Step::kRefused,
               last_error_);
  }

 private:
  // Absent: worth another try, after pause_.
  std::optional<PruningWrite> Try() {
    const auto crd = check::GetCrd(session_.client, target_.target);
    if (!crd) return TakeReadError(crd.error());
    if (const std::optional<PruningWrite> end = HandleCrd(*crd)) return end;
    if (session_.is_stopped()) return Interrupted();
    return Send(*crd);
  }

  std::optional<PruningWrite> TakeReadError(const kube::client::CallError& error) {
    if (session_.is_stopped()) return Interrupted();
    last_error_ = error.message;
    pause_ = kPause;
    if (IsWorthAnotherTry(MeaningOf(error))) return std::nullopt;
    return End(was_sent_ ? PruningWrite::Step::kUnknown : PruningWrite::Step::kRefused,
               error.message);
  }

  std::optional<PruningWrite> HandleCrd(const kube::crd::Crd& crd) const {
    if (crd.uid != target_.shape.uid) {
      return Refuse("the CustomResourceDefinition was deleted and created anew meanwhile");
    }
    const bool is_ours = was_sent_ && crd.generation == target_.shape.generation + 1 &&
                         check::ShapeOf(crd).schemas == SchemasBehind();
    if (!crd.preserve_unknown_fields && is_ours) return Done(crd);
    if (!crd.preserve_unknown_fields) {
      return Refuse("spec.preserveUnknownFields was turned off by somebody else meanwhile");
    }
    if (crd.generation != target_.shape.generation) {
      return Refuse("the spec of the CustomResourceDefinition was changed meanwhile");
    }
    return std::nullopt;
  }

  std::uint64_t SchemasBehind() const {
    return target_.schemas == 0 ? target_.shape.schemas : target_.schemas;
  }

  std::optional<PruningWrite> Send(const kube::crd::Crd& crd) {
    was_sent_ = !dry_run_;
    const auto answer = check::PatchPruningOn(session_.client, target_.target, target_.patch,
                                              crd.resource_version, dry_run_);
    if (answer) return HandleAnswer(*answer);
    last_error_ = answer.error().message;
    const Meaning meaning = MeaningOf(answer.error());
    pause_ = meaning == Meaning::kConflict ? kube::base::Clock::Duration::zero() : kPause;
    if (IsWorthAnotherTry(meaning)) return std::nullopt;
    return Refuse(last_error_);
  }

  PruningWrite HandleAnswer(const kube::crd::Crd& crd) const {
    if (!crd.preserve_unknown_fields) return Done(crd);
    return Refuse(
        "the server left spec.preserveUnknownFields on: an admission webhook may have "
        "undone the change");
  }

  PruningWrite Done(const kube::crd::Crd& crd) const {
    return {PruningWrite::Step::kDone, "", crd.resource_version, crd.generation};
  }
  PruningWrite Interrupted() const {
    return End(was_sent_ ? PruningWrite::Step::kUnknown : PruningWrite::Step::kInterrupted,
               "interrupted");
  }
  PruningWrite Refuse(const std::string& why) const {
    return End(PruningWrite::Step::kRefused, why);
  }
  PruningWrite End(PruningWrite::Step step, const std::string& why) const {
    return {step, why, "", 0};
  }

  const PruningTarget& target_;
  bool dry_run_;
  const kube::client::Session session_;
  bool was_sent_ = false;
  kube::base::Clock::Duration pause_{};
  std::string last_error_;
};

}  // namespace

PruningWrite RequestPruning(const PruningTarget& target, bool dry_run,
                            const kube::client::Session& session) {
  return PruningSwitcher(target, dry_run, session).Run();
}

namespace {

// One that loses something if there is any; absent where there is none, or it cannot be read.
std::optional<cluster::ListedObject> ReadAnyObject(
    const PruningRun& run, const std::vector<rewrite::LosingObject>& losing) {
  cluster::ListedObject object;
  if (!losing.empty()) {
    object.namespace_ = losing[0].namespace_;
    object.name = losing[0].name;
    return object;
  }
  const auto list = run.session.client.Get(cluster::WithChunk(run.crd.ObjectsTarget(""), 1, ""));
  if (!list) return std::nullopt;
  const kube::json::Value* items = (*list)->root().Find("items", kube::json::Type::kArray);
  if (items == nullptr || items->size() == 0) return std::nullopt;
  return cluster::ReadObjectMetadata(items->elements()[0]);
}

PruningTurnedOn Ended(PruningTurnedOn account, report::Outcome outcome, std::string error) {
  account.outcome = outcome;
  account.error = std::move(error);
  return account;
}

PruningTurnedOn AskByDryRun(const PruningRun& run, BackedUp backed_up) {
  PruningTurnedOn& account = backed_up.account;
  const PruningWrite written = RequestPruning(backed_up.target, /*dry_run=*/true, run.session);
  if (written.step == PruningWrite::Step::kInterrupted) {
    return Ended(std::move(account), report::Outcome::kInterrupted, written.error);
  }
  if (written.step != PruningWrite::Step::kDone) {
    return Ended(std::move(account), report::Outcome::kError,
                 "the server would not turn pruning on: " + written.error);
  }
  const std::string why = WhyNoneIsWritten(run, backed_up.losing);
  if (run.session.is_stopped()) {
    return Ended(std::move(account), report::Outcome::kInterrupted, kInterruptedBeforePruning);
  }
  if (why.empty()) return std::move(account);
  return Ended(std::move(account), report::Outcome::kError,
               "pruning would not be turned on, as " + why);
}

// How the write that turns pruning on has ended the run; kDone: it has not.
PruningTurnedOn HandleWrite(const PruningWrite& written, const PruningRun& run,
                            PruningTurnedOn account) {
  switch (written.step) {
    case PruningWrite::Step::kDone:
      account.has_turned_on = true;
      return account;
    case PruningWrite::Step::kInterrupted:
      return Ended(std::move(account), report::Outcome::kInterrupted, kInterruptedBeforePruning);
    case PruningWrite::Step::kUnknown: {
      const std::string unknown = "it is not known whether pruning was turned on: " + written.error;
      return run.session.is_stopped()
                 ? Ended(std::move(account), report::Outcome::kInterrupted, unknown)
                 : Ended(std::move(account), report::Outcome::kError, unknown + kGoesOn);
    }
    case PruningWrite::Step::kRefused:
      break;
  }
  return Ended(std::move(account), report::Outcome::kError, NotTurnedOn(written.error));
}

PruningTurnedOn FinishAfterPruningOn(const PruningWrite& written, const PruningRun& run,
                                     const PruningOptions& options, PruningTurnedOn account) {
  try {
    run.state.NotePruningOn(written.resource_version, written.generation, options.now());
    PruningTurnedOn waited = WaitAfterPruningOn(run, options);
    account.is_held = std::move(waited.is_held);
    account.held_because = std::move(waited.held_because);
    return Ended(std::move(account), waited.outcome, std::move(waited.error));
  } catch (const std::exception& error) {  // a full disk, credentials that nobody renews
    return Ended(std::move(account), report::Outcome::kError, BrokenAfterPruningOn(error.what()));
  }
}

}  // namespace

std::string NotTurnedOn(const std::string& why) { return "pruning was not turned on: " + why; }

std::string WhyNoneIsWritten(const PruningRun& run,
                             const std::vector<rewrite::LosingObject>& losing) {
  // Who may not patch is not asked to: an update would have to be read first.
  if (run.scope.target.by_update) return "";
  const auto object = ReadAnyObject(run, losing);
  if (!object) return "";
  const auto answer = run.session.client.Send(DryRunWrite(run.scope.target, *object));
  if (answer || rewrite::ClassifyAnswer(answer.error()).object_class !=
                    report::ObjectClass::kWebhookUnavailable) {
    return "";
  }
  return "no object could be rewritten now: " + answer.error().message + kRunAnew;
}

PruningTurnedOn PruningTurnedOn::End(report::Outcome outcome, std::string error) {
  return Ended({}, outcome, std::move(error));
}

PruningTurnedOn TurnPruningOn(const PruningRun& run, const PruningOptions& options,
                              BackedUp backed_up) {
  PruningTurnedOn& account = backed_up.account;
  const bool has_ended = account.outcome != report::Outcome::kDone;
  if (has_ended || run.dry_run == report::DryRun::kClient) return std::move(account);
  if (run.dry_run == report::DryRun::kServer) return AskByDryRun(run, std::move(backed_up));
  const auto loss = run.find_loss ? run.find_loss() : std::nullopt;
  if (run.session.is_stopped()) {
    return Ended(std::move(account), report::Outcome::kInterrupted, kInterruptedBeforePruning);
  }
  if (loss) {
    return Ended(std::move(account), report::Outcome::kError, NotTurnedOn(*loss) + kRunAnew);
  }
  const PruningWrite written = RequestPruning(backed_up.target, /*dry_run=*/false, run.session);
  account = HandleWrite(written, run, std::move(account));
  if (!account.has_turned_on) return std::move(account);
  return FinishAfterPruningOn(written, run, options, std::move(account));
}

}  // namespace migrate::migration
