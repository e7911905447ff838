#include "migrate/shards/run/shard_migration.h"

#include <cstddef>
#include <utility>

#include "migrate/shards/run/shard_account.h"

namespace migrate::shards::run {
namespace {

using Kind = Turn::Kind;

void EndWith(const Turn& turn, report::CrdMigration& report) {
  const bool is_interrupted = turn.kind == Kind::kInterrupted;
  report.outcome = is_interrupted ? report::Outcome::kInterrupted : report::Outcome::kError;
  if (!is_interrupted) report.error = turn.error;
}

class ShardMigrator {
 public:
  ShardMigrator(ShardRun& run, ShardWork& work, report::CrdMigration& report)
      : shard_(run.shard()), turns_(run.turns()), work_(work), report_(report) {}

  void Migrate() {
    Turn turn = turns_.Next();
    if (turn.kind == Kind::kPrepare || turn.kind == Kind::kRewrite) {
      if (!Work(turn)) return;
      turns_.OnResult(PartOf(report_));
      turn = turns_.Next();
    } else if (!TakeEarlierResult(turn)) {
      return;
    }
    Finish(std::move(turn));
  }

 private:
  bool Work(const Turn& turn) {
    const bool is_behind_flip = turn.kind == Kind::kRewrite;
    if ((!is_behind_flip || ComesBehindFlip(turn)) && work_.DoShard()) return true;
    if (report_.outcome != report::Outcome::kInterrupted) turns_.GiveUp(report_.error);
    return false;
  }

  bool ComesBehindFlip(const Turn& turn) {
    if (!KnowsFlip(turn)) return false;
    const std::string& backup = OwnPart(turn).backup;
    return backup.empty() || work_.KnowsBackup(backup);
  }

  // Others may have been faster than the read of the CRD.
  bool KnowsFlip(const Turn& turn) {
    return work_.ReadGeneration() >= turn.record.generation || work_.BeginAnew();
  }

  const ShardPart& OwnPart(const Turn& turn) const {
    return turn.record.parts.at(static_cast<std::size_t>(shard_.number));
  }

  // An earlier program has done what there was to do, but perhaps for the end.
  bool TakeEarlierResult(const Turn& turn) {
    if (turn.record.parts.empty()) return true;
    if (turn.kind == Kind::kEnd && !KnowsFlip(turn)) return false;
    TakePart(OwnPart(turn), report_);
    work_.TakeEarlierShard();
    return true;
  }

  // The last one does what concerns all.
  void Finish(Turn turn) {
    if (turn.kind == Kind::kEnd) {
      report_.shard = FactsOf(shard_, turn.record);
      if (!EndAsLast(turn.record)) return;
      turns_.OnEnd(report_.kept_because);
      turn = turns_.Next();
    }
    if (turn.kind != Kind::kLeave) return EndWith(turn, report_);
    report_.shard = FactsOf(shard_, turn.record);
    if (report_.shard->missing.empty()) return;
    report_.kept_because = "not all shards are done: " + report_.shard->missing;
  }

  bool EndAsLast(const ShardRecord& record) {
    report_.kept_because = work_.WhyKeptOf(WholeOf(report_, record));
    if (turns_.leads()) return work_.EndShards();
    EndWith({.kind = Kind::kError, .error = "another shard has taken over what is left to do"},
            report_);
    return false;
  }

  const Shard& shard_;
  ShardTurns& turns_;
  ShardWork& work_;
  report::CrdMigration& report_;
};

}  // namespace

bool BeginShard(ShardRun& run, report::CrdMigration& report) {
  const auto end = run.turns().Begin();
  if (end) EndWith(*end, report);
  return !end;
}

void MigrateShard(ShardRun& run, ShardWork& work, report::CrdMigration& report) {
  ShardMigrator(run, work, report).Migrate();
}

}  // namespace migrate::shards::run
