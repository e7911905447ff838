#include "plugin/command/fleet_migration.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/curl_transport.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/lease_lock.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/migration/lease_keeper.h"
#include "migrate/rewrite/migration_state.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/fleet_clusters.h"
#include "plugin/command/fleet_console.h"
#include "plugin/command/lease_thread.h"
#include "plugin/command/migration_summary.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/side_by_side.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/table.h"
#include "plugin/terminal/migration_console.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
void FleetObserver::OnForetold(const std::string& crd_name,
                               const migrate::report::ForetoldLoss& loss) {
  if (answers_ != Answers::kPerson) return MigrationObserver::OnForetold(crd_name, loss);
  foretold_crd_ = crd_name;
  foretold_ = loss;
}

void FleetObserver::RequireAnswer() {
  if (answers_ == Answers::kNobody) throw terminal::NobodyToAsk();
}

bool FleetObserver::Confirm(const std::string& question) {
  RequireAnswer();
  if (answers_ == Answers::kYes) return true;
  Request request{.cluster = cluster_, .question = question};
  if (foretold_) {
    request.crd = foretold_crd_;
    request.loss = std::exchange(foretold_, std::nullopt);
  }
  places_.release();
  const bool is_agreed = question_.Confirm(std::move(request));
  places_.acquire();
  return is_agreed;
}

CommonQuestion::CommonQuestion(std::size_t clusters, Ask ask)
    : clusters_(clusters), ask_(std::move(ask)) {}

bool CommonQuestion::Confirm(Request request) {
  kube::base::MutexLock lock(mutex_);
  const std::size_t number = requests_.size();
  const std::size_t round = round_;
  requests_.push_back(std::move(request));
  AskIfAllAreThere();
  while (round_ == round) lock.Wait(answered_);
  // The next round does not end before this one has asked again, or ended.
  return answers_.at(number);
}

void CommonQuestion::End(const std::string& cluster) {
  const kube::base::MutexLock lock(mutex_);
  --clusters_;
  ended_.insert(std::ranges::upper_bound(ended_, cluster), cluster);
  AskIfAllAreThere();
}

void CommonQuestion::AskIfAllAreThere() {
  if (requests_.empty() || requests_.size() < clusters_) return;
  Answer();
  requests_.clear();
  ++round_;
  answered_.notify_all();
}

void CommonQuestion::Answer() {
  std::vector<std::size_t> order(requests_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<Request> requests = requests_;  // clang sees no lock in a lambda
  std::ranges::sort(order, {}, [&](std::size_t i) { return requests[i].cluster; });
  std::vector<Request> sorted;
  for (const std::size_t i : order) sorted.push_back(requests_[i]);
  answers_.assign(requests_.size(), false);
  try {
    const std::vector<bool> given = ask_(sorted, ended_);
    for (std::size_t i = 0; i < order.size(); ++i) answers_[order[i]] = given.at(i);
  } catch (...) {
    // Nobody has agreed, and the others must not wait for ever.
    answers_.assign(requests_.size(), false);
  }
}

namespace {

using kube::base::Count;
using migrate::report::ForetoldLoss;

// As many paths as fit a line; `check` and the report have all.
constexpr std::size_t kMostFields = 3;

std::string FieldsText(const ForetoldLoss& loss) {
  std::vector<std::string> paths;
  for (const auto& use : loss.pruned_fields) {
    if (paths.size() == kMostFields) break;
    paths.push_back(use.path);
  }
  const std::size_t more = loss.pruned_fields.size() - paths.size();
  return kube::base::Join(paths, ", ") +
         (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

void Append(std::vector<std::string>& lines, const std::string& text) {
  std::ranges::move(terminal::LinesOf(text), std::back_inserter(lines));
}

/// The requests that are to turn pruning on.
class PruningQuestion {
 public:
  void Take(const Request& request) {
    const ForetoldLoss& loss = *request.loss;
    table_.AddRow({request.cluster, request.crd, std::to_string(loss.objects),
                   std::to_string(loss.objects_losing_fields), FieldsText(loss)});
    for (const std::string& line : loss.plan) plan_.Add(request.cluster, line);
    clusters_.insert(request.cluster);
    crds_.insert(request.crd);
    objects_ += loss.objects;
    losing_ += loss.objects_losing_fields;
    ++switches_;
  }

  // The table comes last: it is what is decided on.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    Append(lines, plan_.Print(clusters_.size()));
    std::string table;
    table_.AppendTo(table);
    Append(lines, table);
    return lines;
  }

  std::string Text() const {
    const std::string what =
        crds_.size() == 1 ? *crds_.begin() : Count(switches_, "CustomResourceDefinition");
    return "Turn pruning on for " + what + " in " + Count(clusters_.size(), "cluster") +
           ", where " + std::to_string(losing_) + " of " + Count(objects_, "object") +
           (losing_ == 1 ? " loses" : " lose") +
           " fields? apiextensions.k8s.io/v1 cannot turn it off again.";
  }

 private:
  report::TextTable table_{{"CLUSTER", "NAME", "OBJECTS", "LOSING-FIELDS", "FIELDS"}};
  DeduplicatedMessages plan_;
  std::set<std::string> clusters_, crds_;
  std::uint64_t objects_ = 0, losing_ = 0, switches_ = 0;
};

FleetQuestion AskForPruning(const std::vector<Request>& requests) {
  PruningQuestion pruning;
  FleetQuestion asked;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].loss) continue;
    pruning.Take(requests[i]);
    asked.requests.push_back(i);
  }
  if (asked.requests.empty()) return asked;
  asked.lines = pruning.Lines();
  asked.question = pruning.Text();
  return asked;
}

FleetQuestion AskAlike(const std::vector<Request>& requests, const std::string& question) {
  FleetQuestion asked;
  std::vector<std::string> clusters;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].loss || requests[i].question != question) continue;
    asked.requests.push_back(i);
    clusters.push_back(requests[i].cluster);
  }
  asked.question = "In " + report::ClusterNames(clusters, /*all=*/true) + ": " + question;
  return asked;
}

}  // namespace

std::vector<FleetQuestion> QuestionsOf(const std::vector<Request>& requests,
                                       const std::vector<std::string>& ended) {
  std::vector<FleetQuestion> questions{AskForPruning(requests)};
  if (questions.front().requests.empty()) questions.clear();
  std::set<std::string> others;
  for (const Request& request : requests) {
    if (request.loss || !others.insert(request.question).second) continue;
    questions.push_back(AskAlike(requests, request.question));
  }
  if (!questions.empty() && !ended.empty()) {
    questions.front().lines.push_back("Not asked about, as they have ended already: " +
                                      report::ClusterNames(ended, /*all=*/true));
  }
  return questions;
}

namespace {

using kube::base::Error;
using migrate::migration::MigrationOptions;
using migrate::report::DryRun;
using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;
using migrate::report::Outcome;
using terminal::MigrationConsole;

// For a proof that two ways lead to one cluster, both ways round.
constexpr std::chrono::seconds kProofPatience(30);

/// A cluster of the fleet, and the way to it.
struct Member {
  MigratedCluster result;
  ClusterIdentity identity;
  std::unique_ptr<ClusterAccess> access;  // absent where it is not to be migrated
};

Answers WhoAnswers(const MigrateOptions& options, const MigrationConsole::ReadAnswer& read_answer) {
  if (options.yes || options.migration.dry_run != DryRun::kNone) return Answers::kYes;
  return read_answer ? Answers::kPerson : Answers::kNobody;
}

// Of a cluster that cannot be reached, or does not know us, it says nothing that kube-system was
// asked for first.
Error UidError(const kube::client::CallError& error) {
  using kube::client::Meaning;
  const Meaning meaning = MeaningOf(error);
  if (meaning == Meaning::kUnauthorized || IsUnanswered(meaning)) return Error(error.message);
  return Error("cannot read the namespace kube-system, by which clusters are told apart: " +
               error.message);
}

int WorstExitCodeOf(const migrate::report::MigrationReport& report) {
  const auto is_interrupted = [](const auto& crd) { return crd.outcome == Outcome::kInterrupted; };
  if (std::ranges::any_of(report.crds, is_interrupted)) return kFailedExitCode;
  return ExitCodeOf(report);
}

/// One run of MigrateFleet.
class FleetMigration {
 public:
  FleetMigration(const MigrateOptions& options, const MigrationOptions& common,
                 const std::vector<std::string>& contexts,
                 const kube::client::Kubeconfig& kubeconfig)
      : options_(options),
        common_(common),
        kubeconfig_(kubeconfig),
        parallel_(std::min(static_cast<std::size_t>(options.fleet.parallel), contexts.size())),
        read_answer_(terminal::AnswersFromTerminal(&StopFlag())),
        answers_(WhoAnswers(options, read_answer_)),
        console_(contexts.size(), terminal::CanRewriteStderr(), terminal::WriteStderrAsIs, clock_),
        places_(static_cast<std::ptrdiff_t>(parallel_)) {
    for (const std::string& context : contexts) {
      members_.push_back({.result = {.name = context}, .identity = {}, .access = nullptr});
    }
  }

  FleetMigrationReport Run() {
    const kube::base::Clock::TimePoint start = clock_.Now();
    RunSideBySide(members_.size(), parallel_, [this](std::size_t i) {
      Try(members_[i], [this](Member& member) { Reach(member); });
    });
    FindSame();
    MigrateReached();
    FleetMigrationReport report{.run = LocalFactsAt(TimeOfDay())};
    for (Member& member : members_) report.clusters.push_back(std::move(member.result));
    report.seconds = std::chrono::duration<double>(clock_.Now() - start).count();
    return report;
  }

 private:
  static void Try(Member& member, const std::function<void(Member&)>& work) {
    MigratedCluster& result = member.result;
    try {
      if (StopFlag()) throw Error("interrupted");
      work(member);
    } catch (const std::exception& error) {
      result.error = error.what();
      result.is_interrupted = StopFlag();
      result.exit_code = kFailedExitCode;
      member.access.reset();
    }
  }

  void Reach(Member& member) {
    const std::string& name = member.result.name;
    const std::string why = WhyNowhere(name, kubeconfig_);
    if (!why.empty()) throw Error(why);
    member.access = std::make_unique<ClusterAccess>(
        OptionsOfCluster(options_, name).common, ClusterAccess::Right::kWrite, clock_,
        [this, name](const std::string& line) { console_.WriteLine(name, line); });
    auto uid = migrate::rewrite::FindClusterUid(member.access->client());
    if (!uid) throw UidError(uid.error());
    member.identity = ClusterIdentityOf(name, *uid, kubeconfig_);
  }

  // The first one by name stands for all. What is one way needs no proof, and leaves no doubt.
  void FindSame() {
    CompareAll(&FleetMigration::CompareWays);
    CompareAll(&FleetMigration::CompareClusters);
  }

  // `compare` tells that the second one need not be held against any other.
  void CompareAll(bool (FleetMigration::*compare)(Member& first, Member& second)) {
    for (std::size_t i = 1; i < members_.size(); ++i) {
      bool is_settled = false;
      for (std::size_t j = 0; j < i && members_[i].access && !is_settled; ++j) {
        if (!members_[j].access) continue;
        Try(members_[i], [&](Member& own) { is_settled = (this->*compare)(members_[j], own); });
      }
    }
  }

  bool CompareWays(Member& first, Member& second) {
    if (!first.identity.IsSameWayAs(second.identity)) return false;
    LeaveOut(second, first);
    return true;
  }

  bool CompareClusters(Member& first, Member& second) {
    if (!first.identity.MayBe(second.identity)) return false;
    if (options_.migration.dry_run != DryRun::kNone) {
      ReportDoubt(first, second);
      return true;
    }
    LeaveOutWhereProven(first, second);
    return !second.access;
  }

  void LeaveOutWhereProven(Member& first, Member& second) {
    const kube::base::Clock::TimePoint until = clock_.Now() + kProofPatience;
    SameClusterProof proof = Prove(first, second, until);
    if (proof.result == SameClusterProof::Result::kSame) return LeaveOut(second, first);
    if (proof.result == SameClusterProof::Result::kNotWritten) {
      proof = Prove(second, first, until);
      if (proof.result == SameClusterProof::Result::kSame) return LeaveOut(first, second);
    }
    throw Error(WhyNotBoth(first, second, proof));
  }

  SameClusterProof Prove(Member& writer, Member& reader, kube::base::Clock::TimePoint until) const {
    return ProveSameCluster(
        writer.access->session(), reader.access->session(), options_.migration.lease.namespace_,
        [] { return migrate::migration::IdentityOf(OwnHolder()); }, until);
  }

  // What was written by the way of `other` is there, so that this one has nothing left to do. Those
  // that it was to stand for are the same as the other one, too.
  void LeaveOut(Member& member, const Member& other) {
    for (Member& one : members_) {
      const bool is_same = &one == &member || one.result.same_as == member.result.name;
      if (is_same) one.result.same_as = other.result.name;
    }
    member.access.reset();
    console_.WriteLine(member.result.name, "note: it is the same cluster as " +
                                               member.result.same_as +
                                               ", so that it is migrated once");
  }

  void ReportDoubt(const Member& first, const Member& second) {
    console_.WriteLine(second.result.name,
                       "note: it may be the same cluster as " + first.result.name +
                           "; only a write could tell, so that this dry run shows both");
  }

  // Both at once, with the same uids, would take each other's state for their own.
  std::string WhyNotBoth(const Member& first, const Member& second,
                         const SameClusterProof& proof) const {
    const std::string& name = first.result.name;
    const std::string lease =
        kube::client::LeaseText(options_.migration.lease.namespace_, kFleetLease);
    const std::string by_itself =
        "migrate it by itself, with --context and a --state-dir of its own";
    if (proof.result == SameClusterProof::Result::kOther) {
      const std::string& uid = first.identity.uid;
      const bool is_by_uid = !uid.empty() && uid == second.identity.uid;
      return std::string("by its ") + (is_by_uid ? "uid" : "address") +
             " it is the same cluster as " + name + ", but what was just written to the one, " +
             lease + ", is not in the other: one was made of a snapshot of the other, or lies; " +
             by_itself;
    }
    return "it may be the same cluster as " + name + ", which " + lease +
           " could not prove: " + proof.why +
           "; if it is the same, leave one of both contexts out, else " + by_itself;
  }

  // Those that ask wait for each other, so that there has to be a thread for each.
  void MigrateReached() {
    CommonQuestion question(members_.size(), [this](const auto& requests, const auto& ended) {
      return AskPerson(requests, ended);
    });
    std::vector<Member*> reached;
    for (Member& member : members_) {
      member.access ? reached.push_back(&member) : ReportEnd(member, question);
    }
    if (reached.empty()) return;
    const auto migrate = [&](std::size_t i) { MigrateOne(*reached[i], question); };
    if (answers_ == Answers::kPerson) {
      migrate::cluster::RunAllWorkers(reached.size(), migrate);
    } else {
      RunSideBySide(reached.size(), parallel_, migrate);
    }
  }

  void MigrateOne(Member& member, CommonQuestion& question) {
    places_.acquire();
    Try(member, [&](Member& own) { Migrate(own, question); });
    member.access.reset();
    places_.release();
    ReportEnd(member, question);
  }

  void ReportEnd(const Member& member, CommonQuestion& question) {
    console_.End(member.result.name);
    question.End(member.result.name);
  }

  void Migrate(Member& member, CommonQuestion& question) {
    const std::string& name = member.result.name;
    const MigrateOptions options = OptionsOfCluster(options_, name);
    const migrate::report::ClusterFlagsOfThread flags(ConnectionWords(options.common.connection));
    MigrationOptions own = common_;
    own.pruning.backup_dir = options.migration.pruning.backup_dir;
    std::optional<LeaseThread> leases;
    if (own.dry_run == DryRun::kNone) {
      leases.emplace(*member.access, options.common, clock_).Serve(own.lease);
    }
    FleetObserver observer(name, answers_, console_, question, places_);
    migrate::report::MigrationReport& report = member.result.migration;
    report = migrate::migration::Migrate(own, {member.access->session(), observer});
    member.access->TellWarnings();
    WarnOfMissingNamespace(own.objects.namespace_, *member.access,
                           [&](const std::string& line) { console_.WriteLine(name, line); });
    report.run = member.access->FactsAt(TimeOfDay());
    member.result.exit_code = WorstExitCodeOf(report);
  }

  std::vector<bool> AskPerson(const std::vector<Request>& requests,
                              const std::vector<std::string>& ended) {
    std::vector<bool> answers(requests.size(), false);
    for (const FleetQuestion& asked : QuestionsOf(requests, ended)) {
      if (StopFlag()) break;
      console_.Ask(asked.lines, asked.question + " [y/N] ");
      const std::optional<std::string> answer = read_answer_();
      if (!answer) console_.EndQuestion();
      for (const std::size_t i : asked.requests) answers[i] = terminal::IsYes(answer);
    }
    return answers;
  }

  const MigrateOptions& options_;
  const MigrationOptions& common_;
  const kube::client::Kubeconfig& kubeconfig_;
  const std::size_t parallel_;
  const MigrationConsole::ReadAnswer read_answer_;
  const Answers answers_;
  const kube::base::SystemClock clock_;
  FleetConsole console_;
  Places places_;                // for those that are at work
  std::vector<Member> members_;  // by name
};

}  // namespace

MigrateOptions OptionsOfCluster(const MigrateOptions& options, const std::string& context) {
  MigrateOptions own = options;
  own.common.connection.context = context;
  own.migration.pruning.backup_dir /= ContextFolder(context);
  return own;
}

migrate::report::FleetMigrationReport MigrateFleet(const MigrateOptions& options,
                                                   const MigrationOptions& common) {
  const kube::client::Kubeconfig kubeconfig = kube::client::LoadKubeconfig(
      options.common.connection.kubeconfig, kube::base::ProcessEnvironment());
  const std::vector<std::string> contexts =
      ChooseContexts(ReadPatterns(options.fleet.contexts), kubeconfig);
  kube::client::CurlTransport::PrepareForThreads();
  return FleetMigration(options, common, contexts, kubeconfig).Run();
}

}  // namespace plugin::command
