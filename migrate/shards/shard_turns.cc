#include "migrate/shards/shard_turns.h"

#include <algorithm>
#include <utility>

#include "migrate/lease/lease_name.h"
#include "migrate/lists/pause.h"

namespace migrate::shards {
namespace {

using kube::system::Clock;
using lease::Standing;
using Kind = Turn::Kind;
using std::chrono::milliseconds;

// Many shards look less often each, and each less often the longer it waits. Few hardly wait: what
// they share would else take longer than alone.
Clock::Duration PauseOf(int shards, Clock::Duration waited) {
  const milliseconds shortest(25 * shards);
  const milliseconds longest(std::min(400 + 50 * shards, 2000 + 20 * shards));
  return std::min<Clock::Duration>(longest, std::max<Clock::Duration>(shortest, waited / 2));
}

/// Tries to note that it gives up: others find out by themselves if it cannot.
constexpr int kMostTries = 5;

constexpr char kOtherRun[] =
    "shards of another count, or with other flags, are at it; let all have the same, or, where "
    "none of these is to go on, delete the ConfigMap that they share and run the same command "
    "again";

}  // namespace

ShardTurns::ShardTurns(ShardTurnsOptions options, const Records& records,
                       const kube::client::Session& session, TellFunction tell)
    : options_(std::move(options)), records_(records), session_(session), tell_(std::move(tell)) {
  situation_.shard = options_.shard.number;
  situation_.identity = lease::IdentityOf(options_.lease.self);
}

ShardTurns::~ShardTurns() {
  if (leadership_) options_.lease.leases->GiveBack(*leadership_);
}

Turn ShardTurns::Error(std::string why) { return {.kind = Kind::kError, .error = std::move(why)}; }

std::optional<Turn> ShardTurns::Begin() {
  if (auto end = TakeOwnLease()) return end;
  return Arrive();
}

// Without a Lease two programs could do the same shard's part, each for what it has not written.
std::optional<Turn> ShardTurns::TakeOwnLease() {
  lease::LeaseRequest request = lease::RequestOf(options_.lease, options_.crd_name,
                                                 options_.crd_uid, options_.earlier_identities);
  request.name = lease::NameOfShard(options_.crd_name, options_.crd_uid, options_.shard.number,
                                    options_.shard.count);
  own_.emplace(*options_.lease.leases, std::move(request), options_.lease.wait, session_, tell_);
  const lease::LeaseStart start = own_->Take();
  switch (start.step) {
    case lease::LeaseStart::Step::kOurs:
      return std::nullopt;
    case lease::LeaseStart::Step::kInterrupted:
      return Turn{.kind = Kind::kInterrupted};
    case lease::LeaseStart::Step::kHeld:
      return Error("shard " + TextOf(options_.shard) + ": " + start.message);
    case lease::LeaseStart::Step::kUnknown:
      break;
  }
  return Error("shards cannot do without Leases: " + start.message);
}

std::optional<Turn> ShardTurns::Arrive() {
  for (;;) {
    if (session_.is_stopped()) return Turn{.kind = Kind::kInterrupted};
    const auto read = records_.Read();
    if (!read) return Error(read.error());
    const auto crd = options_.look_at_crd();
    if (!crd) return Error(crd.error());
    std::optional<ShardRecord> record = read->record;
    switch (shards::Arrive(record, {.shard = options_.shard,
                                    .identity = situation_.identity,
                                    .purpose = options_.purpose,
                                    .crd = *crd})) {
      case ArrivalVerdict::kTakesPart:
        break;
      case ArrivalVerdict::kOtherRun:
        return Error(kOtherRun);
      case ArrivalVerdict::kOldCrd:
        return Error("the CustomResourceDefinition was changed; run the same command again");
    }
    const auto written = records_.Write(*record, *read);
    if (!written) return Error(written.error());
    situation_.run = record->run;
    if (*written == Stored::kYes) return std::nullopt;
  }
}

bool ShardTurns::leads() {
  lease::Leases& leases = *options_.lease.leases;
  if (!leadership_) {
    leadership_ = leases.Seek(lease::RequestOf(options_.lease, options_.crd_name, options_.crd_uid,
                                               options_.earlier_identities));
  }
  const Standing standing = leases.Look(*leadership_).standing;
  // Another one has led meanwhile: this one may lead later, but not as if nothing had been.
  if (standing == Standing::kLost) {
    leases.GiveBack(*std::exchange(leadership_, std::nullopt));
    situation_.led_round.reset();
  }
  return standing == Standing::kOurs;
}

std::optional<Turn> ShardTurns::LookForEnd() {
  if (auto loss = FindLoss()) return Error(*std::move(loss) + "; run the same command again");
  if (session_.is_stopped()) return Turn{.kind = Kind::kInterrupted};
  return std::nullopt;
}

Turn ShardTurns::Next(const std::function<bool()>& keep_current) {
  for (;;) {
    if (auto end = LookForEnd()) return *std::move(end);
    const auto read = records_.Read();
    if (!read) return Error(read.error());
    if (!read->record) return Error("somebody has deleted what shards share");
    auto crd = options_.look_at_crd();
    if (!crd) return Error(crd.error());
    situation_.crd = *std::move(crd);
    situation_.is_leader = leads();
    const ShardStep step = NextStep(*read->record, situation_);
    const bool waits = step == ShardStep::kWait || step == ShardStep::kWaitForLeader;
    if (!waits) waiting_since_.reset();
    auto turn = waits ? Wait(step, *read->record, keep_current) : Take(step, *read);
    if (turn) return *std::move(turn);
  }
}

std::optional<Turn> ShardTurns::Take(ShardStep step, const StoredRecord& read) {
  ShardRecord next = *read.record;
  const int shard = situation_.shard;
  switch (step) {
    case ShardStep::kPrepare:
      return Turn{.kind = Kind::kPrepare, .record = std::move(next)};
    case ShardStep::kClose:
      return Turn{.kind = Kind::kClose, .record = std::move(next)};
    case ShardStep::kRewrite:
      return Turn{.kind = Kind::kRewrite, .record = std::move(next)};
    case ShardStep::kLeave:
      return Turn{.kind = Kind::kLeave, .record = std::move(next)};
    case ShardStep::kAbandon:
      return Error("another program has taken the place of shard " + TextOf(options_.shard) +
                   ", or all was begun anew");
    case ShardStep::kNoteOpen:
      NoteOpenBackup(next, shard);
      break;
    case ShardStep::kBeginClosing:
      BeginClosing(next);
      break;
    case ShardStep::kNoteClosed:
      NoteClosedBackup(next, shard, backup_);
      break;
    case ShardStep::kReopen:
      OpenRound(next);
      break;
    case ShardStep::kFlip:
      BeginFlip(next);
      break;
    case ShardStep::kNoteFlip:
      NoteFlip(next, situation_.crd.generation, flip_version_);
      break;
    case ShardStep::kNoteResult:
      NoteResult(next, shard, *result_);
      break;
    case ShardStep::kEnd:
      if (!kept_because_) return Turn{.kind = Kind::kEnd, .record = std::move(next)};
      NoteEnd(next, *kept_because_);
      break;
    case ShardStep::kWait:
    case ShardStep::kWaitForLeader:
      return std::nullopt;
  }
  return Note(read, std::move(next), step);
}

std::optional<Turn> ShardTurns::Note(const StoredRecord& read, ShardRecord next, ShardStep step) {
  const auto written = records_.Write(next, read);
  if (!written) return Error(written.error());
  if (*written == Stored::kOvertaken) return std::nullopt;
  if (step == ShardStep::kBeginClosing) situation_.led_round = next.round;
  if (step == ShardStep::kFlip) return Turn{.kind = Kind::kFlip, .record = std::move(next)};
  return std::nullopt;
}

std::optional<Turn> ShardTurns::Wait(ShardStep step, const ShardRecord& record,
                                     const std::function<bool()>& keep_current) {
  const Clock::TimePoint now = session_.clock.Now();
  if (!waiting_since_) waiting_since_ = now;
  std::string whom = DescribeWait(step, record);
  if (now >= *waiting_since_ + std::chrono::duration_cast<Clock::Duration>(options_.patience)) {
    return Error("the other shards were waited for in vain: " + whom);
  }
  if (std::exchange(told_, whom) != whom) tell_("waiting for others: " + whom);
  const bool may_lead = step == ShardStep::kWaitForLeader && leadership_;
  if (may_lead) options_.lease.leases->LookNow(*leadership_);
  lists::PollUntil(
      now + PauseOf(options_.shard.count, now - *waiting_since_),
      [&] {
        if (situation_.has_open_backup && keep_current && !keep_current()) {
          situation_.has_open_backup = false;
        }
        return may_lead && options_.lease.leases->Look(*leadership_).standing == Standing::kOurs;
      },
      session_);
  return std::nullopt;
}

void ShardTurns::OnClosed(const Turn& turn, const std::string& backup) {
  situation_.has_open_backup = false;
  situation_.closed_round = turn.record.round;
  backup_ = backup;
}

void ShardTurns::OnResult(ShardPart result) {
  result_ = std::move(result);
  situation_.has_result = true;
}

void ShardTurns::GiveUp(const std::string& why) {
  for (int i = 0; i < kMostTries; ++i) {
    const auto read = records_.Read();
    if (!read || !read->record || read->record->run != situation_.run) return;
    ShardRecord next = *read->record;
    const ShardPart& part = next.parts.at(static_cast<std::size_t>(situation_.shard));
    if (part.holder != situation_.identity || part.step == ShardPart::Step::kDone) return;
    ShardPart failed{.step = ShardPart::Step::kFailed, .error = why};
    NoteResult(next, situation_.shard, std::move(failed));
    const auto written = records_.Write(next, *read);
    if (!written || *written == Stored::kYes) return;
  }
}

}  // namespace migrate::shards
