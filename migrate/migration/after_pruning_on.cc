#include "migrate/migration/after_pruning_on.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/client/gathered_call.h"
#include "kube/meta/names.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/rewrite/known_writes.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kObjects = 5;
constexpr std::chrono::milliseconds kBetweenRounds(500);

}  // namespace

SettleRounds::SettleRounds(std::vector<rewrite::LosingObject> losing,
                           kube::base::Clock::TimePoint now, kube::base::Clock::Duration timeout)
    : losing_(losing.begin(), losing.end()), due_(now), deadline_(now + timeout) {
  if (losing_.empty()) step_ = Step::kNoneLeft;
}

std::vector<const rewrite::LosingObject*> SettleRounds::objects() const {
  std::vector<const rewrite::LosingObject*> objects;
  for (std::size_t i = 0; i < std::min(losing_.size(), kObjects); ++i) {
    objects.push_back(&losing_[i]);
  }
  return objects;
}

void SettleRounds::OnRound(const std::vector<Seen>& seen, kube::base::Clock::TimePoint now) {
  assert(seen.size() <= losing_.size());
  const bool all_pruned = std::ranges::all_of(seen, [](Seen one) { return one == Seen::kPruned; });
  rounds_ = all_pruned ? rounds_ + 1 : 0;
  for (std::size_t i = seen.size(); i-- > 0;) {
    if (seen[i] == Seen::kUnfit) losing_.erase(losing_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  due_ = now + kBetweenRounds;
  if (rounds_ == kRounds) {
    step_ = Step::kDone;
  } else if (losing_.empty()) {
    step_ = Step::kNoneLeft;
  } else if (due_ >= deadline_) {
    step_ = Step::kTimedOut;
  }
}

namespace {

using kube::client::Meaning;
using kube::client::MeaningOf;
using kube::json::Value;
using Seen = SettleRounds::Seen;

// An object is 3 MiB at most; what is longer is not read to its end.
constexpr std::size_t kMostBytes = 32 * 1024 * 1024;

// How a path as the server records it begins and goes on: "spec.ports[0].proto" below "spec". The
// key of a map may hold any of ".[]", so the ways to read the path are tried one by one.
bool HasPath(const Value& value, std::string_view path) {
  if (path.empty()) return true;
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    if (end == path.npos) return false;
    std::size_t index = 0;
    for (const char c : path.substr(1, end - 1)) {
      if (c < '0' || c > '9' || index > value.size()) return false;
      index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    return value.is_array() && index < value.size() &&
           HasPath(value.elements()[index], path.substr(end + 1));
  }
  if (path.front() == '.') path.remove_prefix(1);
  return std::ranges::any_of(value.members(), [path](const kube::json::Member& member) {
    const std::string_view key = member.key.text();
    if (!path.starts_with(key)) return false;
    const std::string_view rest = path.substr(key.size());
    const bool is_whole = rest.empty() || rest.front() == '.' || rest.front() == '[';
    return is_whole && HasPath(member.value, rest);
  });
}

/// One object on its way from the server.
class Read : private kube::client::GatheredCall {
 public:
  Read(const rewrite::LosingObject& object, kube::client::Client& client)
      : GatheredCall(client), object_(object) {}

  void Start(std::string target) {
    GatheredCall::Start(
        {.target = std::move(target), .fresh_connection = true, .most_bytes = kMostBytes});
  }
  using GatheredCall::is_done;
  bool is_forbidden() const { return is_forbidden_; }
  const rewrite::LosingObject& object() const { return object_; }
  const std::string& error() const { return error_; }
  /// After Look with kUnpruned: the path that loses a value that was seen.
  const std::string& seen_path() const { return seen_path_; }

  Seen Look(const SettleOptions& options) {
    if (is_gone_) return Seen::kUnfit;
    if (!is_done()) error_ = "no answer in time";
    if (!error_.empty()) return Seen::kNoAnswer;
    kube::json::Document document;
    if (const auto error = document.Parse(body())) {
      error_ = "the answer is no JSON: " + error->message;
      return Seen::kNoAnswer;
    }
    return LookAt(document.root(), options);
  }

 private:
  void OnDone() override {
    const auto& call_error = GatheredCall::error();
    if (!call_error) return;
    error_ = call_error->message;
    is_gone_ = call_error->status && IsGone(*call_error->status);
    is_forbidden_ = MeaningOf(*call_error) == Meaning::kForbidden;
  }

  // A server that is being started does not find the resource, and tells nothing of the object.
  bool IsGone(const kube::client::ApiStatus& status) const {
    return MeaningOf(status) == Meaning::kNotFound &&
           status.message.ends_with(" \"" + object_.name + "\" not found");
  }

  Seen LookAt(const Value& read, const SettleOptions& options) {
    const Value* metadata = read.Find("metadata");
    if (metadata == nullptr) {
      error_ = "the answer is no object";
      return Seen::kNoAnswer;
    }
    const std::string_view uid = metadata->FindText("uid");
    if (uid != object_.uid) return Seen::kUnfit;
    const auto losing = std::ranges::find_if(
        object_.paths, [&](const std::string& path) { return HasPath(read, path); });
    if (losing != object_.paths.end()) {
      seen_path_ = *losing;
      return Seen::kUnpruned;
    }
    // Without the field in etcd its absence says nothing.
    const bool proves =
        !options.is_unchanged || options.is_unchanged(uid, metadata->FindText("resourceVersion"));
    return proves ? Seen::kPruned : Seen::kUnfit;
  }

  const rewrite::LosingObject& object_;
  bool is_gone_ = false, is_forbidden_ = false;
  std::string error_, seen_path_;
};

/// One run of WaitUntilPruning.
class Waiter {
 public:
  Waiter(const SettleOptions& options, const kube::client::Session& session)
      : options_(options),
        session_(session),
        begin_(session.clock.Now()),
        rounds_(options.losing, begin_, options.timeout) {}

  Settled Run() {
    if (options_.losing.empty()) return {Settled::Step::kNothingTells, ""};
    while (rounds_.step() == SettleRounds::Step::kRead) {
      if (!PollUntil(rounds_.due(), [] { return false; })) return Interrupted();
      if (!ReadRound()) return Interrupted();
      if (is_forbidden_) return {Settled::Step::kForbidden, last_};
    }
    return Result();
  }

 private:
  // False: to be stopped.
  bool PollUntil(kube::base::Clock::TimePoint until, const std::function<bool()>& is_done) {
    return cluster::PollUntil(until, is_done, session_) && !session_.is_stopped();
  }

  bool ReadRound() {
    std::vector<std::unique_ptr<Read>> reads;
    for (const rewrite::LosingObject* object : rounds_.objects()) {
      reads.push_back(std::make_unique<Read>(*object, session_.client));
      reads.back()->Start(TargetOf(*object));
    }
    const auto all_done = [&reads] {
      return std::ranges::all_of(reads, [](const auto& read) { return read->is_done(); });
    };
    if (!PollUntil(rounds_.deadline(), all_done)) return false;
    std::vector<Seen> seen;
    for (const auto& read : reads) {
      seen.push_back(read->Look(options_));
      Note(*read, seen.back());
      // The same answer would come until the time is over.
      is_forbidden_ = read->is_forbidden();
      if (is_forbidden_) return true;
    }
    reads.clear();  // they know the objects that OnRound may forget
    rounds_.OnRound(seen, session_.clock.Now());
    return true;
  }

  std::string TargetOf(const rewrite::LosingObject& object) const {
    std::string target = options_.collection;
    if (options_.is_namespaced) {
      const std::size_t slash = target.rfind('/');
      target.insert(slash, "/namespaces/" + kube::client::UrlEscape(object.namespace_));
    }
    return target + "/" + kube::client::UrlEscape(object.name);
  }

  void Note(const Read& read, Seen seen) {
    if (seen == Seen::kPruned || seen == Seen::kUnfit) return;
    // That the time was over says less than what came before.
    if (!read.is_done() && !last_.empty()) return;
    const rewrite::LosingObject& object = read.object();
    last_ = kube::meta::NamespacedName(object.namespace_, object.name) +
            (seen == Seen::kUnpruned ? " still shows " + read.seen_path()
                                     : " could not be read: " + read.error());
  }

  Settled Interrupted() const { return {Settled::Step::kInterrupted, "interrupted"}; }

  Settled Result() const {
    const std::chrono::duration<double> waited = session_.clock.Now() - begin_;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, " (%.1f s)", waited.count());
    if (rounds_.step() == SettleRounds::Step::kTimedOut) return {Settled::Step::kTimedOut, last_};
    if (rounds_.step() == SettleRounds::Step::kNoneLeft) {
      return {Settled::Step::kNothingTells,
              "waiting until the server prunes: no object is left that could show it" +
                  std::string(seconds)};
    }
    const std::string rounds = std::to_string(SettleRounds::kRounds);
    return {Settled::Step::kDone, "waiting until the server prunes: " + rounds + " of " + rounds +
                                      " reads pruned" + seconds};
  }

  const SettleOptions& options_;
  const kube::client::Session session_;
  kube::base::Clock::TimePoint begin_;
  SettleRounds rounds_;
  bool is_forbidden_ = false;
  std::string last_;  // what showed last that a server does not prune
};

}  // namespace

Settled WaitUntilPruning(const SettleOptions& options, const kube::client::Session& session) {
  return Waiter(options, session).Run();
}

namespace {

using rewrite::KnownWrites;

constexpr char kHeldBySchema[] =
    "it is not in the backup, nobody has written it since pruning was turned on, and the schemas "
    "prune other fields than those that the backup was made for";

bool IsPruningUnknown(const rewrite::MigrationState& state) {
  return state.pruning_on_resource_version.empty() && state.settled_resource_version.empty();
}

// Of a backup that is still needed: until all objects are rewritten.
bool IsBackupGone(const rewrite::MigrationState& state) {
  std::error_code ignored;
  return state.phase != rewrite::MigrationState::Phase::kHolding && !state.backup.empty() &&
         !std::filesystem::is_regular_file(state.backup, ignored);
}

// The null pointer where nothing is known.
std::shared_ptr<KnownWrites> ReadKnownWrites(const rewrite::RunState& state) {
  auto known = KnownWrites::Read(state.known_writes());
  return known ? std::make_shared<KnownWrites>(*std::move(known)) : nullptr;
}

// What the backup has of the objects it has whole, whatever the schemas prune now.
std::shared_ptr<KnownWrites> BackedUpWrites(const rewrite::RunState& state) {
  std::error_code ignored;
  const bool is_there = std::filesystem::is_regular_file(state.noted().backup, ignored);
  std::shared_ptr<KnownWrites> known = is_there ? ReadKnownWrites(state) : nullptr;
  if (known == nullptr) return std::make_shared<KnownWrites>();
  known->KeepBackedUp();
  return known;
}

// Where the answer to the write that turns pruning on was lost with the run that asked for it.
std::string FindPruningOnVersion(const check::LiveCrd& live, const KnownWrites& known,
                                 kube::client::Client& client) {
  const auto crd = check::GetCrd(
      client, check::FindCrdsTarget(client) + "/" + kube::client::UrlEscape(live.identity.name));
  if (!crd || crd->uid != live.shape.uid || crd->generation != known.generation() + 1) return "";
  return crd->resource_version;
}

PruningTurnedOn Interrupted() {
  return PruningTurnedOn::End(report::Outcome::kInterrupted, kInterruptedAfterPruningOn);
}

/// What is known of the objects when pruning is on.
struct Knowledge {
  std::vector<rewrite::LosingObject> losing;
  std::shared_ptr<const KnownWrites> writes;  ///< the null pointer: nothing is known of writes
};

PruningTurnedOn WaitForReads(const PruningRun& run, const PruningOptions& options,
                             const Knowledge& known) {
  SettleOptions settle{.collection = run.crd.ObjectsTarget(""),
                       .is_namespaced = run.crd.is_namespaced,
                       .losing = known.losing,
                       .timeout = options.settle_timeout};
  if (known.writes != nullptr) {
    settle.is_unchanged = [&known](std::string_view uid, std::string_view resource_version) {
      return known.writes->Contains(uid, resource_version);
    };
  }
  const Settled settled = WaitUntilPruning(settle, run.session);
  switch (settled.step) {
    case Settled::Step::kDone:
    case Settled::Step::kNothingTells:
      if (!settled.message.empty()) run.session.observer.OnLine(settled.message);
      return {};
    case Settled::Step::kInterrupted:
      return Interrupted();
    case Settled::Step::kForbidden:
      return PruningTurnedOn::End(
          report::Outcome::kError,
          "pruning is on, but whether every API server prunes cannot be seen (" + settled.message +
              "); nothing was rewritten; with the right to get these objects the same "
              "command goes on from here");
    case Settled::Step::kTimedOut:
      break;
  }
  return PruningTurnedOn::End(
      report::Outcome::kError,
      "pruning is on, but not every API server prunes yet (" + settled.message +
          "); nothing was rewritten; run the same command again, with a longer "
          "--settle-timeout if need be");
}

// What reads show is true of the servers that were met by them.
PruningTurnedOn Wait(const PruningRun& run, const PruningOptions& options, const Knowledge& known) {
  const kube::base::Clock::TimePoint noticed =
      run.session.clock.Now() + run.state.TimeUntilNoticed(options.now());
  PruningTurnedOn ended = WaitForReads(run, options, known);
  if (ended.outcome == report::Outcome::kDone && !cluster::PauseUntil(noticed, run.session)) {
    return Interrupted();
  }
  return ended;
}

// Until a server has noticed that pruning is on it stores what it is sent unpruned, and shows it
// pruned from then on: what was written up to here may have lost something that nobody has seen.
PruningTurnedOn NoteSettled(const PruningRun& run) {
  const auto list = run.session.client.Get(cluster::WithChunk(run.crd.ObjectsTarget(""), 1, ""));
  if (!list) {
    return PruningTurnedOn::End(
        report::Outcome::kError,
        "pruning is on, but the objects cannot be listed: " + list.error().message + kGoesOn);
  }
  const kube::json::Value* metadata = (*list)->root().Find("metadata");
  run.state.NoteSettled(metadata == nullptr ? run.state.noted().settled_resource_version
                                            : std::string(metadata->FindText("resourceVersion")));
  return {};
}

PruningTurnedOn Finish(const PruningRun& run, const PruningOptions& options, Knowledge known,
                       bool waits) {
  const rewrite::MigrationState& state = run.state.noted();
  const auto settle = [&] {
    PruningTurnedOn settled;
    if (waits) settled = Wait(run, options, known);
    // A run over some of the objects may have noted it, and rewritten these since.
    const bool is_to_note =
        (waits && state.settled_resource_version.empty()) || IsPruningUnknown(state);
    return settled.outcome == report::Outcome::kDone && is_to_note ? NoteSettled(run) : settled;
  };
  // It is noted before others are waited for: what is written from then on is no longer doubtful.
  PruningTurnedOn ended = waits ? cluster::WhileOthersWork(run.session, settle) : settle();
  ended.backup = state.backup;
  if (ended.outcome != report::Outcome::kDone || options.rewrite_unbacked) return ended;
  // Neither a backup nor what it knows: the earlier run was one without.
  if (known.writes == nullptr && state.backup.empty()) return ended;
  if (known.writes == nullptr) known.writes = std::make_shared<KnownWrites>();
  ended.is_held = rewrite::HoldUnknown(known.writes, state.settled_resource_version.empty()
                                                         ? state.pruning_on_resource_version
                                                         : state.settled_resource_version);
  return ended;
}

PruningTurnedOn Resume(const PruningRun& run, const PruningOptions& options) {
  const rewrite::MigrationState& state = run.state.noted();
  const bool waits = state.phase == rewrite::MigrationState::Phase::kBackupComplete;
  Knowledge known{state.losing, ReadKnownWrites(run.state)};
  if (state.pruning_on_resource_version.empty() && known.writes != nullptr) {
    run.state.NotePruningFoundOn(FindPruningOnVersion(run.crd, *known.writes, run.session.client));
  }
  const bool prunes_the_same =
      state.schemas == run.crd.shape.schemas || state.kept_fields == run.crd.shape.kept_fields;
  if (prunes_the_same) return Finish(run, options, std::move(known), waits);
  known.losing.clear();
  if (known.writes == nullptr && state.backup.empty()) {
    return Finish(run, options, std::move(known), waits);
  }
  run.session.observer.OnLine(
      "Warning: " + run.name() +
      ": the schemas prune other fields since the backup was made; objects that are not in it, "
      "and that nobody has written since pruning was turned on, are held");
  known.writes = BackedUpWrites(run.state);
  PruningTurnedOn ended = Finish(run, options, std::move(known), waits);
  ended.held_because = kHeldBySchema;
  return ended;
}

}  // namespace

PruningTurnedOn WaitAfterPruningOn(const PruningRun& run, const PruningOptions& options) {
  Knowledge known{run.state.noted().losing, nullptr};
  if (!options.no_backup) known.writes = ReadKnownWrites(run.state);
  return Finish(run, options, std::move(known), /*waits=*/true);
}

std::string BrokenAfterPruningOn(const std::string& what) {
  return "pruning is on, but this run broke off: " + what +
         "\nthe same command, with the same --state-dir, goes on from here";
}

PruningTurnedOn ResumePruning(const PruningRun& run, const PruningOptions& options) {
  const rewrite::MigrationState& state = run.state.noted();
  if (IsBackupGone(state) && !options.rewrite_unbacked && !options.no_backup) {
    return PruningTurnedOn::End(
        report::Outcome::kError,
        "pruning is on, and the backup " + state.backup +
            " is not there any more; objects that are not rewritten yet still have their "
            "fields in etcd; nothing was rewritten; put the backup back, or go on without it "
            "by --rewrite-unbacked");
  }
  try {
    return Resume(run, options);
  } catch (const std::exception& error) {
    PruningTurnedOn ended =
        PruningTurnedOn::End(report::Outcome::kError, BrokenAfterPruningOn(error.what()));
    ended.backup = state.backup;
    return ended;
  }
}

}  // namespace migrate::migration
