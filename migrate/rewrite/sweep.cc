#include "migrate/rewrite/sweep.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <tuple>
#include <utility>

#include "migrate/cluster/pause.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/known_objects.h"
#include "migrate/rewrite/metadata_list.h"
#include "migrate/rewrite/object_write.h"

namespace migrate::rewrite {
namespace {

using Clock = kube::base::Clock;

constexpr std::chrono::seconds kChangeInterval(1);

// What a pass that verifies goes over again.
constexpr std::array kWritten = {report::ObjectClass::kRewritten, report::ObjectClass::kMutated,
                                 report::ObjectClass::kUnchanged};

// What was listed holds by these versions alone.
std::string CleaningPurpose(const SweepTarget& target) {
  return target.cleaner ? " cleaning managedFields but " + target.cleaner->known().Text() : "";
}

/// What a spool is for: another sweep does not take it up.
std::string Purpose(const SweepTarget& target, const std::string& what) {
  std::string purpose = what;
  for (const std::string* text :
       {&target.group, &target.version, &target.plural, &target.namespace_, &target.label_selector,
        &target.field_selector}) {
    purpose.append(" \"").append(*text).append("\"");
  }
  if (target.mutation) {
    purpose += " mutating by " + target.mutation->fingerprint();
  }
  return purpose + CleaningPurpose(target) + (target.ignores_other_writers ? " as listed" : "") +
         (target.dry_run ? " dry run" : "");
}

/// One run of a sweep: reads and writes until everything is answered, or it is stopped.
class SweepRun {
 public:
  SweepRun(const SweepTarget& target, const SweepOptions& options, cluster::Spool& spool,
           ObjectSource& source, const kube::client::Session& session)
      : target_(target),
        options_(options),
        spool_(spool),
        source_(source),
        session_(session),
        writer_(target, Throttle(options.pace), options.on_line, session),
        started_(session.clock.Now()) {}

  SweepResult Run() {
    try {
      while (Step()) session_.Poll(NextEvent());
      if (result_.is_given_up) AnswerHeld();
      spool_.Flush();
    } catch (const std::exception& error) {
      result_.is_broken = true;
      result_.stopped = error.what();
    }
    ReportProgress();
    result_.counts = spool_.counts();
    TakeFailures();
    result_.generations_moved = spool_.generations_moved();
    result_.cleaned = spool_.cleaned();
    result_.stale_left = target_.cleaner ? spool_.stale_left() : 0;
    result_.emptied = spool_.Emptied();
    result_.list_error = source_.error();
    result_.duration = session_.clock.Now() - started_;
    return std::move(result_);
  }

 private:
  // False at the end.
  bool Step() {
    writer_.HandleAnswers([this](const ObjectWrite& write) { OnAnswer(write); },
                          [this](const Exchange& write) { streak_.OnPutOff(write); });
    // At once: who is killed again and again must get on all the same.
    spool_.Flush();
    if (IsOver()) return false;
    LookForStop();
    source_.Advance();
    if (!result_.stopped) Write();
    Tick();
    return !IsOver();
  }

  bool IsOver() const {
    return source_.is_done() && (result_.stopped ? writer_.is_idle() : spool_.is_answered());
  }

  void OnAnswer(const ObjectWrite& write) {
    const cluster::ObjectAnswer& answer = write.answer();
    spool_.Answer(write.object().number, answer);
    if (answer.object_class == report::ObjectClass::kRewritten ||
        answer.object_class == report::ObjectClass::kMutated) {
      source_.OnRewritten(answer.resource_version);
    }
    if (!report::IsFailure(answer.object_class)) return streak_.OnSuccess(write);
    const auto enough = streak_.OnFailure(write, answer.object_class, answer.code, answer.message);
    if (enough && HasUntried()) GiveUp(*enough);
  }

  // Where all were tried, to give up would only keep some from being tried again.
  bool HasUntried() const {
    return !source_.is_done() || spool_.counts()[report::ObjectClass::kNotTried] > writer_.size();
  }

  void Write() {
    writer_.SendDue();
    while (writer_.HasRoom()) {
      auto object = NextToWrite();
      if (!object) return;
      writer_.Begin(*std::move(object));
    }
  }

  // Whoever tries what was not tried, perhaps from another machine, has to know of it.
  void AnswerHeld() {
    while (NextToWrite()) {
    }
  }

  std::optional<cluster::SpooledObject> NextToWrite() {
    while (auto object = spool_.Next()) {
      if (!options_.is_held || !options_.is_held(object->object)) return object;
      cluster::ObjectAnswer held;
      held.object_class = report::ObjectClass::kHeld;
      held.message = options_.held_because;
      spool_.Answer(object->number, held);
    }
    return std::nullopt;
  }

  void LookForStop() {
    if (result_.stopped && source_.is_done()) return;
    LookForChange();
    if (!session_.is_stopped()) return;
    result_.is_interrupted = true;
    Stop("interrupted");
  }

  void LookForChange() {
    if (!options_.find_change || session_.clock.Now() < next_check_) return;
    if (const auto change = options_.find_change()) Stop(*change);
    next_check_ = session_.clock.Now() + kChangeInterval;
  }

  // The list goes on.
  void GiveUp(const std::string& why) {
    if (result_.stopped) return;
    result_.stopped = why;
    result_.is_given_up = true;
    writer_.Stop();
    options_.names_not_tried ? source_.NameOnly() : source_.Stop();
  }

  void Stop(const std::string& why) {
    if (!result_.stopped) result_.stopped = why;
    source_.Stop();
    writer_.Stop();
  }

  void TakeFailures() {
    const bool names_all = result_.is_given_up && options_.names_not_tried;
    result_.failures = names_all ? spool_.FailuresAndNotTried() : spool_.Failures();
  }

  void Tick() {
    if (session_.clock.Now() < ticked_ + cluster::kTick) return;
    ticked_ = session_.clock.Now();
    ReportProgress();
  }

  void ReportProgress() {
    if (!options_.on_progress) return;
    SweepProgress progress{.listed = spool_.listed(), .counts = spool_.counts()};
    if (source_.is_done())
      progress.expected = progress.listed;
    else if (source_.remaining())
      progress.expected = progress.listed + *source_.remaining();
    options_.on_progress(progress);
  }

  Clock::TimePoint NextEvent() const {
    const Clock::TimePoint tick = session_.clock.Now() + cluster::kTick;
    return std::min({tick, source_.next_event(), writer_.next_event()});
  }

  const SweepTarget& target_;
  const SweepOptions& options_;
  cluster::Spool& spool_;
  ObjectSource& source_;
  const kube::client::Session session_;
  WritePool writer_;
  FailureStreak streak_;
  SweepResult result_;
  Clock::TimePoint started_;
  Clock::TimePoint next_check_{};  // the first one comes before any write
  Clock::TimePoint ticked_{};
};

}  // namespace

SweepResult Sweep(const SweepTarget& target, const SweepOptions& options,
                  const std::filesystem::path& folder, const std::string& name,
                  const kube::client::Session& session) {
  cluster::Spool spool(folder, name, Purpose(target, "all"));
  CachedList list(target, options.most_in_one_piece, options.chunk_size, spool, session,
                  options.on_line);
  return SweepRun(target, options, spool, list, session).Run();
}

SweepResult SweepAgain(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::string& previous,
                       const std::string& name, const kube::client::Session& session) {
  SweepTarget verified = target;
  verified.ignores_other_writers = true;
  verified.mutation = nullptr;
  SweepOptions again = options;
  again.names_not_tried = false;
  const cluster::Spool earlier(folder, previous);
  const report::ClassCounts counts = earlier.counts();
  std::uint64_t objects = 0;
  for (const report::ObjectClass written : kWritten) objects += counts[written];
  cluster::Spool spool(folder, name,
                       "again " + std::to_string(objects) + " of " + earlier.purpose());
  PreviousObjects source(earlier, {kWritten.begin(), kWritten.end()}, spool);
  return SweepRun(verified, again, spool, source, session).Run();
}

SweepResult SweepNamed(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::vector<ObjectName>& objects,
                       const std::string& name, const kube::client::Session& session) {
  std::vector<ObjectName> names = objects;
  const auto key = [](const ObjectName& object) {
    return std::tie(object.namespace_, object.name);
  };
  std::ranges::sort(names, {}, key);
  const auto is_same = [&key](const ObjectName& one, const ObjectName& other) {
    return key(one) == key(other);
  };
  names.erase(std::unique(names.begin(), names.end(), is_same), names.end());
  std::uint64_t checksum = cluster::kEmptyChecksum;
  for (const ObjectName& object : names) {
    checksum = cluster::Checksum(object.namespace_ + "/" + object.name + "\n", checksum);
  }
  cluster::Spool spool(folder, name, Purpose(target, "named " + std::to_string(checksum)));
  NamedObjects source(target, names, options.pace.concurrency.value_or(Throttle::kMostSearched),
                      spool, session);
  return SweepRun(target, options, spool, source, session).Run();
}

}  // namespace migrate::rewrite
