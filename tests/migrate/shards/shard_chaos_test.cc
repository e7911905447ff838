#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "migrate/shards/shard_step.h"

namespace migrate::shards {
namespace shard_chaos_test {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;
using Next = ShardStep;

/// The CRD, what shards share, and the truth that nobody of them sees. Writes hold only for the
/// version that they were made of, as on a server.
struct Cluster {
  explicit Cluster(int shards)
      : count(shards),
        backups(static_cast<std::size_t>(shards)),
        verified(static_cast<std::size_t>(shards)) {}

  bool Put(const ShardRecord& next, int read) {
    if (read != version) return false;
    record = next;
    ++version;
    return true;
  }
  void ChangeCrd() {
    ++crd.generation;
    ++crd_version;
    is_trimmed = false;
  }

  const int count;
  SeenCrd crd{"crd-uid", 1, true, "v1", {}};
  int crd_version = 1;
  bool is_trimmed = false;
  std::optional<ShardRecord> record;
  int version = 0;

  std::vector<std::optional<std::int64_t>> backups;  // round of the last one that was closed
  std::vector<std::int64_t> verified;                // generation in which all of it was
  int flips = 0, trims = 0;
};

/// One program that does its shard's part, one read or one write at a time.
class Program {
 public:
  Program(Cluster& cluster, int shard, int number, std::minstd_rand& random)
      : cluster_(cluster), random_(random) {
    situation_.shard = shard;
    situation_.identity = std::to_string(number);
  }

  int shard() const { return situation_.shard; }
  bool has_arrived() const { return has_arrived_; }
  bool has_left() const { return has_left_; }

  /// `is_late`: whatever it thinks, it has its Leases no more.
  void Act(bool is_leader, bool may_fail, bool is_late = false) {
    leads_truly_ = is_leader && !is_late;
    if (write_) return std::exchange(write_, nullptr)();
    situation_.is_leader = is_leader;
    situation_.crd = cluster_.crd;
    version_ = cluster_.version;
    crd_version_ = cluster_.crd_version;
    has_arrived_ ? Take(may_fail) : Come();
  }

  /// As a shard does that has waited for too long, or cannot go on.
  void GiveUp() {
    has_left_ = true;
    if (!has_arrived_ || cluster_.record->run != situation_.run) return;
    ShardRecord next = *cluster_.record;
    const ShardPart& part = next.parts.at(Index());
    if (part.holder != situation_.identity || part.step == Step::kDone) return;
    NoteResult(next, shard(), {.step = Step::kFailed});
    cluster_.Put(next, cluster_.version);
  }

 private:
  void Come() {
    std::optional<ShardRecord> next = cluster_.record;
    REQUIRE(Arrive(next, {.shard = {shard(), cluster_.count},
                          .identity = situation_.identity,
                          .purpose = "",
                          .crd = situation_.crd}) == ArrivalVerdict::kTakesPart);
    Plan(*next, [this, run = next->run] {
      has_arrived_ = true;
      situation_.run = run;
    });
  }

  /// The write comes later: others may be faster.
  void Plan(
      const ShardRecord& next, std::function<void()> then = [] {}) {
    write_ = [this, next, read = version_, then = std::move(then)] {
      if (cluster_.Put(next, read)) then();
    };
  }

  void Take(bool may_fail) {
    ShardRecord record = *cluster_.record;
    const bool is_changed =
        record.generation != situation_.crd.generation && !IsFlipOf(record, situation_.crd);
    if (record.run == situation_.run && is_changed) {
      has_left_ = true;
      return;
    }
    Do(NextStep(record, situation_), record, may_fail);
  }

  void Do(Next step, ShardRecord& record, bool may_fail) {
    const std::int64_t round = record.round;
    switch (step) {
      case Next::kWait:
      case Next::kWaitForLeader:
        return;
      case Next::kLeave:
      case Next::kAbandon:
        has_left_ = true;
        return;
      case Next::kPrepare:
        situation_.has_open_backup = true;
        return;
      case Next::kNoteOpen:
        NoteOpenBackup(record, shard());
        return Plan(record);
      case Next::kBeginClosing:
        BeginClosing(record);
        return Plan(record, [this, round] { situation_.led_round = round; });
      case Next::kClose:
        situation_.has_open_backup = false;
        situation_.closed_round = round;
        cluster_.backups[Index()] = round;
        return;
      case Next::kNoteClosed:
        NoteClosedBackup(record, shard(), "");
        return Plan(record);
      case Next::kReopen:
        OpenRound(record);
        return Plan(record);
      case Next::kFlip:
        BeginFlip(record);
        return Plan(record, [this, round] { PlanFlip(round); });
      case Next::kNoteFlip:
        NoteFlip(record, situation_.crd.generation, "");
        return Plan(record);
      case Next::kRewrite:
        return Rewrite(record.generation, may_fail);
      case Next::kNoteResult:
        NoteResult(record, shard(), {.step = *result_, .is_verified = true});
        return Plan(record);
      case Next::kEnd:
        return PlanTrim(record);
    }
  }

  void PlanFlip(std::int64_t round) {
    write_ = [this, round, read = crd_version_] {
      if (cluster_.crd_version != read || !cluster_.crd.preserves_unknown_fields) return;
      for (const auto& backup : cluster_.backups) {
        if (!backup) FAIL("pruning was turned on without a backup");
        if (leads_truly_ && *backup != round) FAIL("a backup is not of this round");
      }
      cluster_.crd.preserves_unknown_fields = false;
      cluster_.ChangeCrd();
      ++cluster_.flips;
    };
  }

  void Rewrite(std::int64_t generation, bool may_fail) {
    if (cluster_.crd.preserves_unknown_fields) FAIL("objects were rewritten before the flip");
    const bool fails = may_fail && random_() % 10 == 0;
    result_ = fails ? Step::kFailed : Step::kDone;
    situation_.has_result = true;
    if (!fails) cluster_.verified[Index()] = generation;
  }

  void PlanTrim(const ShardRecord& record) {
    for (const std::int64_t generation : cluster_.verified) {
      if (generation != record.generation) FAIL("trimmed what is not verified");
    }
    write_ = [this, record] {
      if (cluster_.crd.generation != record.generation) return;
      if (!std::exchange(cluster_.is_trimmed, true)) ++cluster_.trims;
      ShardRecord next = record;
      NoteEnd(next, "");
      Plan(next);
    };
  }

  std::size_t Index() const { return static_cast<std::size_t>(shard()); }

  Cluster& cluster_;
  std::minstd_rand& random_;
  ShardSituation situation_;
  int version_ = 0, crd_version_ = 0;
  bool has_arrived_ = false, has_left_ = false, leads_truly_ = false;
  std::optional<Step> result_;
  std::function<void()> write_;  // decided, and not yet sent
};

/// Programs that are begun, killed and held up at any moment; of each shard one has its Lease, and
/// one of all has that of the CRD.
struct Job {
  explicit Job(unsigned seed) : random(seed), cluster(static_cast<int>(seed % 5) + 1) {}

  std::size_t Chance(std::size_t below) { return random() % below; }

  void Begin(int shard) {
    ++last;
    programs.emplace(last, std::make_unique<Program>(cluster, shard, last, random));
  }
  void Kill(int number) {
    programs.erase(number);
    if (leader == number) leader = 0;
  }
  int Any() {
    return std::next(programs.begin(), static_cast<std::ptrdiff_t>(Chance(programs.size())))->first;
  }
  bool HasLease(int number) const {
    const auto holder = leases.find(programs.at(number)->shard());
    return holder != leases.end() && holder->second == number;
  }

  /// What a program does that has its Lease, or gets it; one that has lost it ends.
  void Act(int number, bool may_fail) {
    Program& program = *programs.at(number);
    if (!HasLease(number)) {
      if (program.has_arrived()) return Kill(number);
      const auto holder = leases.find(program.shard());
      if (holder != leases.end() && programs.contains(holder->second)) return;
      leases[program.shard()] = number;
    }
    program.Act(leader == number, may_fail);
    if (program.has_left()) Kill(number);
  }
  /// Does not know yet that its Leases are others': what it has decided still reaches the server.
  void ActLate(int number) {
    Program& program = *programs.at(number);
    leases.erase(program.shard());
    const bool was_leader = leader == number;
    if (was_leader) leader = 0;
    for (std::size_t i = Chance(3) + 1; i > 0 && !program.has_left(); --i) {
      program.Act(was_leader, true, /*is_late=*/true);
    }
  }
  void Elect() {
    std::vector<int> candidates;
    for (const auto& [number, program] : programs) {
      if (program->has_arrived()) candidates.push_back(number);
    }
    leader = candidates.empty() ? 0 : candidates[Chance(candidates.size())];
  }

  void RunInChaos(int moments) {
    for (int i = 0; i < moments; ++i) {
      const std::size_t chance = Chance(200);
      if (chance < 12 || programs.empty()) {
        Begin(static_cast<int>(Chance(static_cast<std::size_t>(cluster.count))));
      } else if (chance < 18) {
        Kill(Any());
      } else if (chance < 26) {
        Elect();
      } else if (chance < 30) {
        ActLate(Any());
      } else if (chance < 32) {
        const int number = Any();
        programs.at(number)->GiveUp();
        Kill(number);
      } else if (chance < 33) {
        cluster.ChangeCrd();
      } else {
        Act(Any(), true);
      }
    }
  }
  /// As a Job does: who was lost is begun again. True: it came to an end.
  bool RunToEnd() {
    for (int i = 0; i < 5000; ++i) {
      if (cluster.record && cluster.record->phase == Phase::kEnded) return true;
      for (int shard = 0; shard < cluster.count; ++shard) {
        if (std::ranges::none_of(programs, [shard](const auto& program) {
              return program.second->shard() == shard;
            })) {
          Begin(shard);
        }
      }
      if (!programs.contains(leader)) Elect();
      Act(Any(), false);
    }
    return false;
  }

  std::minstd_rand random;
  Cluster cluster;
  std::map<int, std::unique_ptr<Program>> programs;
  std::map<int, int> leases;  // of shards
  int leader = 0, last = 0;
};

TEST_CASE("Whatever happens to the shards, they come to one end", "[migrate][shards]") {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Job job(seed);
    job.RunInChaos(static_cast<int>(seed * 37 % 600));
    REQUIRE(job.RunToEnd());
    REQUIRE(job.cluster.flips == 1);
    REQUIRE(job.cluster.trims >= 1);
    REQUIRE(AreAllVerified(*job.cluster.record));
  }
}

TEST_CASE("Where nothing happens to the shards each does its part once", "[migrate][shards]") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Job job(seed);
    REQUIRE(job.RunToEnd());
    REQUIRE(job.cluster.flips == 1);
    REQUIRE(job.cluster.trims == 1);
    REQUIRE(job.cluster.record->run == 1);
    // Nobody had to back up twice: the one leader led all the way.
    REQUIRE(job.cluster.record->round == 1);
  }
}

TEST_CASE("Where a shard never comes pruning stays off, and nothing is trimmed",
          "[migrate][shards]") {
  for (unsigned seed = 4; seed <= 54; seed += 5) {  // of five shards
    Job job(seed);
    for (int shard = 0; shard < 4; ++shard) job.Begin(shard);
    for (int i = 0; i < 2000; ++i) {
      if (!job.programs.contains(job.leader)) job.Elect();
      job.Act(job.Any(), false);
    }
    REQUIRE(job.cluster.flips == 0);
    REQUIRE(job.cluster.trims == 0);
    REQUIRE(DescribeWait(Next::kWait, *job.cluster.record) == "shard 4 has not come");
  }
}

}  // namespace shard_chaos_test
}  // namespace migrate::shards
