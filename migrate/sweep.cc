#include "migrate/sweep.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "migrate/failure_streak.h"
#include "migrate/metadata_list.h"
#include "migrate/named_objects.h"
#include "migrate/object_writer.h"
#include "migrate/previous_objects.h"
#include "migrate/spool.h"

namespace migrate {
namespace {

using Clock = kube::Clock;

// How soon a signal is noticed, and progress told.
constexpr std::chrono::milliseconds kTick(100);
constexpr std::chrono::seconds kBetweenChecks(10);

/// What a spool is for: another sweep does not take it up.
std::string Purpose(const SweepTarget& target, const std::string& what) {
  std::string purpose = what;
  for (const std::string* text :
       {&target.group, &target.version, &target.plural, &target.namespace_, &target.label_selector,
        &target.field_selector}) {
    purpose.append(" \"").append(*text).append("\"");
  }
  return purpose + (target.dry_run ? " dry run" : "");
}

/// One run of a sweep: reads and writes until everything is answered, or it is stopped.
class SweepRun {
 public:
  SweepRun(const SweepTarget& target, const SweepOptions& options, Spool& spool,
           ObjectSource& source, kube::Client& client, const Clock& clock)
      : options_(options),
        spool_(spool),
        source_(source),
        client_(client),
        clock_(clock),
        writer_(target, Throttle(options.concurrency, options.max_rate), client, clock),
        started_(clock.Now()),
        checked_(started_) {}

  SweepResult Run() {
    while (Step()) client_.Poll(NextEvent());
    spool_.Flush();
    TellProgress();
    result_.counts = spool_.counts();
    result_.failures = spool_.Failures();
    result_.generations_moved = spool_.generations_moved();
    result_.list_error = source_.error();
    result_.duration = clock_.Now() - started_;
    return std::move(result_);
  }

 private:
  // False at the end.
  bool Step() {
    writer_.TakeAnswers([this](const SpooledObject& object, const ObjectAnswer& answer) {
      OnAnswer(object, answer);
    });
    if (source_.is_done() && spool_.is_answered()) return false;
    LookForStop();
    if (!is_stopped_) {
      source_.Advance();
      Write();
    }
    Tick();
    return !is_stopped_ || !writer_.is_idle();
  }

  void OnAnswer(const SpooledObject& object, const ObjectAnswer& answer) {
    spool_.Answer(object.number, answer);
    if (!IsFailure(answer.object_class)) return streak_.OnSuccess();
    const auto enough = streak_.OnFailure(answer.object_class, answer.code, answer.message);
    if (enough) Stop(*enough);
  }

  void Write() {
    writer_.SendDue();
    while (writer_.HasRoom()) {
      auto object = NextToWrite();
      if (!object) return;
      writer_.Begin(*std::move(object));
    }
  }

  std::optional<SpooledObject> NextToWrite() {
    while (auto object = spool_.Next()) {
      if (!options_.is_held || !options_.is_held(object->object)) return object;
      ObjectAnswer held;
      held.object_class = ObjectClass::kHeld;
      held.message = "was written while pruning was turned on, after the backup";
      spool_.Answer(object->number, held);
    }
    return std::nullopt;
  }

  void LookForStop() {
    if (is_stopped_) return;
    if (options_.stop != nullptr && *options_.stop) {
      result_.is_interrupted = true;
      return Stop("interrupted");
    }
    if (!options_.find_change || clock_.Now() < checked_ + kBetweenChecks) return;
    if (const auto change = options_.find_change()) Stop(*change);
    checked_ = clock_.Now();
  }

  void Stop(const std::string& why) {
    if (is_stopped_) return;
    is_stopped_ = true;
    result_.stopped = why;
    source_.Stop();
    writer_.Stop();
  }

  void Tick() {
    if (clock_.Now() < ticked_ + kTick) return;
    ticked_ = clock_.Now();
    spool_.Flush();
    TellProgress();
  }

  void TellProgress() {
    if (!options_.on_progress) return;
    SweepProgress progress{.listed = spool_.listed(), .counts = spool_.counts()};
    if (source_.is_done())
      progress.expected = progress.listed;
    else if (source_.remaining())
      progress.expected = progress.listed + *source_.remaining();
    options_.on_progress(progress);
  }

  Clock::TimePoint NextEvent() const {
    const Clock::TimePoint tick = clock_.Now() + kTick;
    return std::min({tick, source_.next_event(), writer_.next_event()});
  }

  const SweepOptions& options_;
  Spool& spool_;
  ObjectSource& source_;
  kube::Client& client_;
  const Clock& clock_;
  ObjectWriter writer_;
  FailureStreak streak_;
  SweepResult result_;
  bool is_stopped_ = false;
  Clock::TimePoint started_, checked_;
  Clock::TimePoint ticked_{};
};

}  // namespace

SweepResult Sweep(const SweepTarget& target, const SweepOptions& options,
                  const std::filesystem::path& folder, const std::string& name,
                  kube::Client& client, const kube::Clock& clock) {
  Spool spool(folder, name, Purpose(target, "all"));
  MetadataList list(target, options.chunk_size, spool, client, clock);
  return SweepRun(target, options, spool, list, client, clock).Run();
}

SweepResult SweepAgain(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::string& previous,
                       const std::set<ObjectClass>& classes, const std::string& name,
                       kube::Client& client, const kube::Clock& clock) {
  std::string what = "again " + previous;
  for (const ObjectClass object_class : classes) what.append(" ").append(ClassName(object_class));
  Spool spool(folder, name, Purpose(target, what));
  PreviousObjects objects(folder, previous, classes, spool);
  return SweepRun(target, options, spool, objects, client, clock).Run();
}

SweepResult SweepNamed(const SweepTarget& target, const SweepOptions& options,
                       const std::filesystem::path& folder, const std::vector<ObjectName>& objects,
                       const std::string& name, kube::Client& client, const kube::Clock& clock) {
  std::vector<ObjectName> names = objects;
  const auto key = [](const ObjectName& object) {
    return std::tie(object.namespace_, object.name);
  };
  std::ranges::sort(names, {}, key);
  const auto equal = std::ranges::unique(names, {}, key);
  names.erase(equal.begin(), equal.end());
  std::uint64_t checksum = kEmptyChecksum;
  for (const ObjectName& object : names) {
    checksum = Checksum(object.namespace_ + "/" + object.name + "\n", checksum);
  }
  Spool spool(folder, name, Purpose(target, "named " + std::to_string(checksum)));
  NamedObjects source(target, names, options.concurrency, spool, client, clock);
  return SweepRun(target, options, spool, source, client, clock).Run();
}

}  // namespace migrate
