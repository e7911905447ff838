#include "migrate/rewrite/sweep.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <memory>
#include <tuple>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/gathered_call.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/metadata_list.h"
#include "migrate/rewrite/object_write.h"
#include "migrate/rewrite/retry.h"

namespace migrate::rewrite {
/// The reading of one object.
class NamedObjects::Read : public kube::client::GatheredCall {
 public:
  Read(NamedObjects& owner, const ObjectName& name)
      : GatheredCall(owner.session_.client), owner_(owner) {
    object.namespace_ = name.namespace_;
    object.name = name.name;
  }

  /// Ends it; the object stays as far as it is known.
  void Leave() {
    Cancel();
    is_read = true;
  }

  /// Sends the request if it is due.
  void Advance() {
    if (is_read || is_under_way() || owner_.session_.clock.Now() < due) return;
    kube::client::ApiRequest request;
    request.target = ObjectPath(owner_.target_, object);
    request.accept = kMetadataAccept;
    request.retry = false;
    request.most_bytes = kMostObjectBytes;
    Start(std::move(request));
  }

  cluster::ListedObject object;
  bool is_read = false;
  bool is_gone = false;
  kube::base::Clock::TimePoint due{};

 private:
  void OnDone() override {
    is_read = true;
    if (error()) return OnFailure(*error());
    if (owner_.document_.Parse(body())) return;
    auto read = cluster::ReadObjectMetadata(owner_.document_.root(), owner_.target_.known());
    if (read && read->name == object.name) object = *std::move(read);
  }

  void OnFailure(const kube::client::CallError& error) {
    const auto now = owner_.session_.clock.Now();
    const auto retry_after = error.status ? error.status->retry_after : std::nullopt;
    const AnswerVerdict verdict = ClassifyAnswer(error, ObjectText(owner_.target_, object));
    is_gone = verdict.object_class == report::ObjectClass::kGone;
    const auto pause = budget_.Next(verdict, retry_after, now);
    if (!pause) return;
    is_read = false;
    due = now + *pause;
  }

  NamedObjects& owner_;
  RetryBudget budget_{owner_.session_.patience};
};

NamedObjects::NamedObjects(const SweepTarget& target, const std::vector<ObjectName>& names,
                           std::size_t at_once, cluster::Spool& spool,
                           const kube::client::Session& session)
    : target_(target),
      names_(names),
      at_once_(std::max<std::size_t>(at_once, 1)),
      spool_(spool),
      session_(session),
      is_done_(spool.is_complete()) {}

NamedObjects::~NamedObjects() = default;

void NamedObjects::NameOnly() {
  names_only_ = true;
  for (const auto& read : page_) read->Leave();
}

void NamedObjects::Stop() {
  page_.clear();
  is_done_ = true;
}

std::optional<std::uint64_t> NamedObjects::remaining() const {
  return names_.size() - spool_.listed();
}

kube::base::Clock::TimePoint NamedObjects::next_event() const {
  auto next = kube::base::Clock::TimePoint::max();
  if (!is_done_ && IsPageRead()) return kube::base::Clock::TimePoint::min();
  for (const auto& read : page_) {
    if (!read->is_read && !read->is_under_way()) next = std::min(next, read->due);
  }
  return next;
}

void NamedObjects::Advance() {
  if (is_done_) return;
  if (page_.empty()) BeginPage();
  for (const auto& read : page_) read->Advance();
  if (!IsPageRead()) return;
  const std::uint64_t first = spool_.listed();
  for (const auto& read : page_) spool_.Add(read->object);
  // Every name is an object of the spool.
  const std::uint64_t spooled =
      spool_.listed() + std::min<std::uint64_t>(at_once_, names_.size() - spool_.listed());
  is_done_ = spooled == names_.size();
  spool_.EndPage(is_done_ ? "" : std::to_string(spooled));
  for (std::size_t i = 0; i < page_.size(); ++i) {
    cluster::ObjectAnswer gone;
    gone.object_class = report::ObjectClass::kGone;
    if (page_[i]->is_gone) spool_.Answer(first + i, gone);
  }
  page_.clear();
}

void NamedObjects::BeginPage() {
  const std::size_t first = static_cast<std::size_t>(spool_.listed());
  const std::size_t end = std::min(names_.size(), first + at_once_);
  for (std::size_t i = first; i < end; ++i) {
    page_.push_back(std::make_unique<Read>(*this, names_[i]));
    if (names_only_) page_.back()->Leave();
  }
}

bool NamedObjects::IsPageRead() const {
  return std::all_of(page_.begin(), page_.end(), [](const auto& read) { return read->is_read; });
}

namespace {

constexpr std::uint64_t kPage = 1000;
// Answers are not in the order of the objects: for so many at a time it is looked up where they
// are.
constexpr std::uint64_t kBlock = 1024 * 1024;
constexpr std::uint64_t kNoAnswer = ~std::uint64_t{0};

std::uint64_t ReadNumber(const std::string& token) {
  std::uint64_t number = 0;
  std::from_chars(token.data(), token.data() + token.size(), number);
  return number;
}

}  // namespace

PreviousObjects::PreviousObjects(const cluster::Spool& previous,
                                 std::set<report::ObjectClass> classes, cluster::Spool& spool)
    : previous_(previous),
      classes_(std::move(classes)),
      spool_(spool),
      is_done_(spool.is_complete()),
      objects_(previous_.ObjectLines()) {
  for (std::uint64_t i = 0; i < previous_.listed(); ++i) {
    if (classes_.contains(previous_.class_of(i))) ++remaining_;
  }
  remaining_ -= std::min(remaining_, spool_.listed());
  if (is_done_) return;
  // The token is the number of the object to go on with.
  const std::uint64_t first = std::min(ReadNumber(spool_.continue_token()), previous_.listed());
  while (next_ < first) ReadObject();
}

kube::base::Clock::TimePoint PreviousObjects::next_event() const {
  return is_done_ ? kube::base::Clock::TimePoint::max() : kube::base::Clock::TimePoint::min();
}

void PreviousObjects::Advance() {
  if (is_done_) return;
  for (std::uint64_t added = 0; added < kPage && next_ < previous_.listed();) {
    const std::uint64_t number = next_;
    cluster::ListedObject object = ReadObject();
    if (!classes_.contains(previous_.class_of(number))) continue;
    if (answers_.empty() || number >= answers_from_ + kBlock) {
      answers_from_ = number;
      FindAnswers();
    }
    const std::uint64_t at = answers_[number - answers_from_];
    if (at != kNoAnswer) HandleAnswer(at, object);
    spool_.Add(object);
    ++added;
    --remaining_;
  }
  is_done_ = next_ == previous_.listed();
  spool_.EndPage(is_done_ ? "" : std::to_string(next_));
}

cluster::ListedObject PreviousObjects::ReadObject() {
  for (;;) {
    const auto line = objects_.Next(previous_.listed_end());
    if (!line) throw kube::base::Error("cannot read what an earlier sweep listed: it was changed");
    if (auto object = cluster::ReadObjectLine(*line)) {
      ++next_;
      return *std::move(object);
    }
  }
}

void PreviousObjects::FindAnswers() {
  answers_.assign(static_cast<std::size_t>(std::min(kBlock, previous_.listed() - answers_from_)),
                  kNoAnswer);
  cluster::LineReader lines = previous_.AnswerLines();
  for (;;) {
    const std::uint64_t at = lines.next_offset();
    const auto line = lines.Next(previous_.answered_end());
    if (!line) return;
    std::uint64_t number = 0;
    std::from_chars(line->data(), line->data() + line->size(), number);
    if (number >= answers_from_ && number - answers_from_ < answers_.size()) {
      answers_[number - answers_from_] = at;
    }
  }
}

void PreviousObjects::HandleAnswer(std::uint64_t at, cluster::ListedObject& object) {
  cluster::LineReader lines = previous_.AnswerLineAt(at);
  const auto line = lines.Next(previous_.answered_end());
  const auto read = line ? cluster::ReadAnswerLine(*line) : std::nullopt;
  if (!read || read->answer.resource_version.empty()) return;  // a failure tells none
  object.resource_version = read->answer.resource_version;
  object.generation = read->answer.generation;
  object.entries = read->answer.entries;
  if (!read->answer.uid.empty()) object.uid = read->answer.uid;
}

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
