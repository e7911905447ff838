#include "kube/client/leader_election.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/utf8.h"
#include "kube/client/answer_meaning.h"
#include "kube/go/go_format.h"

namespace kube::client {
namespace {
using std::chrono::seconds;
using Action = LeaseLock::Action;
using Duration = base::Clock::Duration;
using TimePoint = base::Clock::TimePoint;

constexpr double kJitterFactor = 1.2;  // leaderelection.JitterFactor
constexpr seconds kReleasePatience(5);
constexpr std::size_t kMostOfAnIdentity = 253;

/// leaderelection.NewLeaderElector.
LeaderElectionOptions Checked(LeaderElectionOptions options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw base::Error(rule);
  };
  const std::chrono::duration<double> longest_pause(options.retry_period * kJitterFactor);
  require(options.lease_duration > options.renew_deadline,
          "leaseDuration must be greater than renewDeadline");
  require(options.renew_deadline > longest_pause,
          "renewDeadline must be greater than retryPeriod*JitterFactor");
  require(options.retry_period >= seconds(1), "retryPeriod must be greater than zero");
  require(!options.identity.empty(), "Lock identity is empty");
  return options;
}

/// How long an answer may take: a call that hangs leaves time for another one before the renew
/// deadline (resourcelock.NewFromKubeconfig).
Duration CallLimit(const LeaderElectionOptions& options) {
  return std::max<Duration>(Duration(options.renew_deadline) / 2, seconds(1));
}

/// What becomes of a call that was given up.
CallError NoAnswer(Duration after) {
  CallError error;
  error.message = "no answer within " +
                  std::to_string(std::chrono::duration_cast<seconds>(after).count()) + " s";
  error.transport = TransportError{TransportError::Kind::kTimeout, error.message};
  return error;
}

std::string VerbOf(Action action) {
  return action == Action::kGet ? "get" : action == Action::kCreate ? "create" : "update";
}

/// Who was asked to create something in a namespace that is not there names it.
bool IsNamespaceMissing(Action action, const CallError& error) {
  return action == Action::kCreate && MeaningOf(error) == Meaning::kNotFound && error.status &&
         error.status->kind == "namespaces";
}

/// Somebody else was faster, which is what an election is about.
bool IsContention(Action action, const CallError& error) {
  const Meaning meaning = MeaningOf(error);
  return meaning == Meaning::kConflict ||
         (action != Action::kCreate && meaning == Meaning::kNotFound);
}

std::string Quoted(const std::string& identity) {
  return go::GoQuote(base::utf8::Shortened(identity, kMostOfAnIdentity));
}

}  // namespace

LeaderElection::LeaderElection(LeaderElectionOptions options, const Session& session,
                               LogFunction tell)
    : options_(Checked(std::move(options))),
      session_(session),
      tell_(std::move(tell)),
      lease_text_(LeaseText(options_.namespace_, options_.name)),
      lock_(
          options_.namespace_, options_.name, session,
          [this](const std::optional<CallError>& error) { OnAnswer(error); }, options_.owner) {
  // The same candidate has the same pauses, and no two have them together.
  std::seed_seq seed(options_.identity.begin(), options_.identity.end());
  random_.seed(seed);
}

bool LeaderElection::is_leader() const { return session_.clock.Now() < leader_until(); }

base::Clock::TimePoint LeaderElection::leader_until() const {
  return is_leading_ ? renewed_at_ + options_.renew_deadline : TimePoint::min();
}

void LeaderElection::Advance() {
  if (is_released_) return;
  const TimePoint now = session_.clock.Now();
  if (lock_.is_under_way() && now >= lock_.begun_at() + CallLimit(options_)) {
    lock_.Abandon();
    OnAnswer(NoAnswer(now - lock_.begun_at()));
  }
  NoteLoss();
  if (lock_.is_under_way() || now < due_) return;
  if (MayLead()) Try();
}

bool LeaderElection::MayLead() const { return is_leading_ || !session_.is_stopped(); }

// A leader takes it that the Lease is as it has left it, and looks only if the server says no.
void LeaderElection::Try() {
  tried_at_ = session_.clock.Now();
  if (!well_at_) well_at_ = tried_at_;
  is_optimistic_ = is_leader();
  is_optimistic_ ? Write() : lock_.Get();
}

void LeaderElection::OnAnswer(const std::optional<CallError>& error) {
  if (is_released_) return OnReleaseAnswer(error);
  if (error) return OnFailure(*error);
  lock_.action() == Action::kGet ? OnRead() : OnWritten();
}

void LeaderElection::OnFailure(const CallError& error) {
  const bool is_absent = MeaningOf(error) == Meaning::kNotFound;
  if (lock_.action() == Action::kGet && is_absent && MayLead()) {
    written_ = NewRecord();
    return lock_.Create(written_);
  }
  NoteProblem(error);
  if (std::exchange(is_optimistic_, false)) return lock_.Get();
  EndTry();
}

void LeaderElection::OnRead() {
  if (observed_text_ != lock_.spec_text()) {
    observed_text_ = lock_.spec_text();
    observed_ = lock_.record();
    observed_at_ = session_.clock.Now();
  }
  const std::string& holder = observed_.holder_identity;
  const bool is_ours = holder == options_.identity;
  if (!is_ours && is_leading_) {
    reported_ = holder;
    Lose(holder.empty() ? "was given back by somebody else" : "is held by " + Quoted(holder));
  }
  is_free_ = MayTake();
  if (is_free_ && MayLead()) return Write();
  well_at_ = session_.clock.Now();
  told_.clear();
  ForgetProblem();
  EndTry();
}

// Nobody holds what was read, or only who is known to do so no more.
bool LeaderElection::MayTake() const {
  const std::string& holder = observed_.holder_identity;
  if (holder.empty() || holder == options_.identity) return true;
  if (std::ranges::count(options_.predecessors, holder) > 0) return true;
  return observed_at_ + seconds(observed_.lease_duration_seconds) <= tried_at_;
}

void LeaderElection::ForgetProblem() {
  last_problem_.clear();
  last_problem_key_.clear();
  problem_meaning_.reset();
}

LeaseRecord LeaderElection::NewRecord() const {
  LeaseRecord record;
  record.holder_identity = options_.identity;
  record.lease_duration_seconds = static_cast<std::int32_t>(options_.lease_duration.count());
  record.acquire_time = record.renew_time = MicroTime(options_.now());
  return record;
}

void LeaderElection::Write() {
  written_ = NewRecord();
  written_.lease_transitions = observed_.lease_transitions;
  if (observed_.holder_identity == options_.identity) {
    if (!observed_.acquire_time.empty()) written_.acquire_time = observed_.acquire_time;
  } else if (written_.lease_transitions < std::numeric_limits<std::int32_t>::max()) {
    ++written_.lease_transitions;
  }
  lock_.Update(written_);
}

// What counts is when it was sent: from then on others may have begun to wait.
void LeaderElection::OnWritten() {
  NoteLoss();
  const TimePoint now = session_.clock.Now();
  observed_ = written_;
  observed_text_.reset();
  observed_at_ = well_at_.emplace(now);
  renewed_at_ = lock_.begun_at();
  told_.clear();
  ForgetProblem();
  if (now < renewed_at_ + options_.renew_deadline && !std::exchange(is_leading_, true)) {
    tell_("leading now: " + lease_text_ + " is held by " + Quoted(options_.identity) +
          ", which is this program");
  }
  EndTry();
}

// A leader tries again in steps from the beginning of a try, a candidate behind the end of it.
void LeaderElection::EndTry() {
  const TimePoint now = session_.clock.Now();
  const bool is_renewed = is_leader() && renewed_at_ >= tried_at_;
  due_ = is_renewed    ? now + options_.retry_period
         : is_leader() ? std::max(now, tried_at_ + options_.retry_period)
                       : now + PauseOfCandidate();
  const std::string& holder = observed_.holder_identity;
  if (std::exchange(reported_, holder) == holder) return;
  if (holder.empty() || holder == options_.identity) return;
  tell_("the leader is " + Quoted(holder) + ", which holds " + lease_text_);
}

// wait.JitterUntil.
Duration LeaderElection::PauseOfCandidate() {
  std::uniform_real_distribution<double> share(0, kJitterFactor);
  return options_.retry_period +
         std::chrono::duration_cast<Duration>(options_.retry_period * share(random_));
}

std::string LeaderElection::Problem(const CallError& error) const {
  const Action action = lock_.action();
  std::string text = "cannot " + VerbOf(action) + " " + std::string(kLeases) + " \"" +
                     options_.name + "\" in the namespace \"" + options_.namespace_ + "\"";
  if (IsNamespaceMissing(action, error)) {
    return text + ", which does not exist: kubectl create namespace " + options_.namespace_;
  }
  text += ": " + error.message;
  if (MeaningOf(error) != Meaning::kForbidden) return text;
  return text + "; have a Role in that namespace allow get, create and update of " +
         std::string(kLeases);
}

// What may pass is told once it has lasted; a leader has lost the Lease by then, and says why.
void LeaderElection::NoteProblem(const CallError& error) {
  const Meaning meaning = MeaningOf(error);
  last_problem_ = Problem(error);
  last_problem_key_ = VerbOf(lock_.action()) + " " + std::to_string(static_cast<int>(meaning));
  const bool is_contention = IsContention(lock_.action(), error);
  problem_meaning_ = is_contention ? std::nullopt : std::optional(meaning);
  NoteLoss();
  const bool has_lasted = session_.clock.Now() >= *well_at_ + options_.renew_deadline;
  if (is_contention || (MayPass(meaning) && !has_lasted)) return;
  if (told_.insert(last_problem_key_).second) tell_(last_problem_);
}

void LeaderElection::NoteLoss() {
  if (!is_leading_ || is_leader()) return;
  told_.insert(last_problem_key_);
  Lose("was not renewed for " + std::to_string(options_.renew_deadline.count()) +
       " s: " + (last_problem_.empty() ? "no answer came" : last_problem_));
}

void LeaderElection::Lose(const std::string& why) {
  is_leading_ = false;
  ReportEnd(why);
}

void LeaderElection::ReportEnd(const std::string& why) const {
  tell_("no longer leading: " + lease_text_ + " " + why);
}

void LeaderElection::Release() {
  if (std::exchange(is_released_, true)) return;
  // Of a write that is under way it is not known whether it is done.
  const bool may_hold = observed_.holder_identity == options_.identity ||
                        (lock_.is_under_way() && lock_.action() != Action::kGet);
  lock_.Abandon();
  NoteLoss();
  was_leading_ = std::exchange(is_leading_, false);  // told once it is known what becomes of it
  if (!may_hold) return;
  try {
    lock_.Get();
    PollToEnd();
  } catch (const base::Error& error) {
    lock_.Abandon();
    ReportNotReleased({{}, {}, error.what()});
  }
}

void LeaderElection::PollToEnd() {
  const TimePoint begin = session_.clock.Now();
  const TimePoint end = begin + kReleasePatience;
  while (lock_.is_under_way() && session_.clock.Now() < end) session_.Poll(end);
  if (!lock_.is_under_way()) return;
  lock_.Abandon();
  OnReleaseAnswer(NoAnswer(kReleasePatience));
}

void LeaderElection::ReportNotReleased(const CallError& error) const {
  const std::string why = "is not given back, and expires: " + Problem(error);
  was_leading_ ? ReportEnd(why) : tell_(lease_text_ + " " + why);
}

// LeaderElector.tryRelease.
void LeaderElection::OnReleaseAnswer(const std::optional<CallError>& error) {
  const Action action = lock_.action();
  if (error) {
    if (MeaningOf(*error) == Meaning::kNotFound) {
      if (was_leading_) ReportEnd("is gone");
      return;
    }
    if (action == Action::kUpdate && MeaningOf(*error) == Meaning::kConflict) return lock_.Get();
    return ReportNotReleased(*error);
  }
  if (action == Action::kUpdate) {
    observed_ = written_;
    if (was_leading_) ReportEnd("is given back");
    return;
  }
  observed_ = lock_.record();
  const std::string& holder = observed_.holder_identity;
  if (holder != options_.identity) {
    if (was_leading_) ReportEnd(holder.empty() ? "is nobody's" : "is held by " + Quoted(holder));
    return;
  }
  written_ = {};
  written_.lease_duration_seconds = 1;
  written_.lease_transitions = observed_.lease_transitions;
  written_.acquire_time = written_.renew_time = MicroTime(options_.now());
  lock_.Update(written_);
}

}  // namespace kube::client
