#include "migrate/migration/pruning_write.h"

#include <chrono>
#include <optional>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pause.h"

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

}  // namespace migrate::migration
