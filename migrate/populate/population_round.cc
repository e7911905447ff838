#include "migrate/populate/population_round.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "kube/meta/type_meta.h"
#include "migrate/cluster/pause.h"
#include "migrate/populate/object_apply.h"
#include "migrate/populate/object_prune.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::populate {

Writer::Writer(const PopulationOptions& options, const kube::client::Session& session,
               OnDone on_done, std::function<void()> on_tick)
    : session_(session),
      on_done_(std::move(on_done)),
      on_tick_(std::move(on_tick)),
      pool_(rewrite::Throttle(options.pace), options.on_line, session, options.answer_limit) {}

void Writer::Begin(std::unique_ptr<rewrite::Exchange> exchange) {
  while (!session_.is_stopped() && !pool_.HasRoom()) Step(/*waits=*/true);
  if (session_.is_stopped()) return;
  pool_.Begin(std::move(exchange));
  Step(/*waits=*/false);
}

void Writer::Finish() {
  while (!pool_.is_idle()) Step(/*waits=*/true);
  on_tick_();
}

void Writer::Step(bool waits) {
  if (waits) session_.Poll(std::min(session_.clock.Now() + cluster::kTick, pool_.next_event()));
  pool_.HandleAnswers(on_done_);
  session_.is_stopped() ? pool_.Stop() : pool_.SendDue();
  if (session_.clock.Now() < ticked_ + cluster::kTick) return;
  ticked_ = session_.clock.Now();
  on_tick_();
}

namespace {
using report::DryRun;
using report::PopulationClass;

WriteMode ModeOf(const PopulationOptions& options) {
  if (options.changes != nullptr) return WriteMode::kShow;
  return options.dry_run == DryRun::kServer ? WriteMode::kDryRun : WriteMode::kStore;
}

// How long a round goes on to begin with namespaces, where another one comes.
constexpr std::chrono::seconds kLongestRound(5);
// Of the words of a webhook there may be any number.
constexpr std::size_t kMostMessageKept = 500;

std::string VersionOf(const kube::json::Value& object) {
  return std::string(kube::meta::TypeOf(object).group_version.version);
}

/// What a namespace is to have, as far as it has to be remembered.
struct NamespacePlan {
  Expansion::Standing standing = Expansion::Standing::kPopulated;
  std::set<ObjectKey> wanted{};
  std::set<ObjectKey> kept{};      // refused or held: what there is stays as it is
  std::set<std::string> failed{};  // templates of which some object could not be applied
  std::set<ObjectKey> last{};      // had no answer the last time
};

/// What became of a member that is not wanted.
struct MemberDone {
  ObjectToPrune object;
  PopulationClass population_class;
  std::string message;
};

class Round {
 public:
  Round(const PopulationOptions& options, PopulationState& state, const RoundNews& news,
        const kube::client::Session& session)
      : options_(options),
        state_(state),
        news_(news),
        session_(session),
        templates_(options.version, options.dry_run == DryRun::kServer, options.patience, session),
        leaves_(state.input, session,
                [this](const std::string& name, bool is_changed, const std::string& why) {
                  OnLeaveRefused(name, is_changed, why);
                }) {}

  void Run(const std::vector<std::string>& namespaces) {
    for (const std::string& name : namespaces) PlanNamespace(name);
    if (!session_.is_stopped()) ReadMembers();
    if (!session_.is_stopped()) WidenApplySets();
    if (!session_.is_stopped()) Apply(namespaces);
    if (!session_.is_stopped()) Prune();
    if (!session_.is_stopped()) return;
    for (const auto& [name, plan] : plans_) state_.outcomes[name].is_unfinished = true;
  }

 private:
  bool writes() const { return options_.dry_run != DryRun::kClient; }
  NamespaceOutcome::OfTemplate& OutcomeOf(const std::string& namespace_,
                                          const std::string& template_name) {
    return state_.outcomes[namespace_].templates[template_name];
  }
  bool IsLeftAlone(const std::string& template_name) const {
    return state_.input.left_alone.contains(template_name) || orphans_.contains(template_name);
  }
  void Log() const {
    const std::size_t done = done_ + members_done_.size();
    news_.on_progress(done, std::max(done, expected_));
  }

  void Take(const ObjectKey& key, const std::string& namespace_, const std::string& template_name,
            PopulationClass population_class, const std::string& message) {
    ++done_;
    if (population_class == PopulationClass::kFailed) {
      state_.outcomes[namespace_].is_unfinished = true;
    }
    if (IsFailure(population_class)) {
      OutcomeOf(namespace_, template_name)
          .failures.push_back({namespace_, key.ToString(),
                               std::string(kube::base::utf8::Prefix(message, kMostMessageKept))});
    }
    news_.on_object({.group = key.type.group,
                     .kind = key.type.kind,
                     .namespace_ = namespace_,
                     .name = key.name,
                     .template_name = template_name,
                     .population_class = population_class,
                     .message = message});
  }
  void TakeApplied(const ObjectKey& key, const std::string& namespace_,
                   const std::string& template_name, PopulationClass population_class,
                   const std::string& message) {
    if (population_class == PopulationClass::kFailed) {
      plans_[namespace_].failed.insert(template_name);
    }
    Take(key, namespace_, template_name, population_class, message);
  }

  Expansion ExpandFor(const ClusterNamespace& of, kube::json::Arena& arena) const {
    const auto is_cluster_scoped = [this](const GroupKind& type) {
      return state_.kinds.IsClusterScoped(type);
    };
    return Expand(of.target, state_.input.templates, is_cluster_scoped, arena);
  }

  void PlanNamespace(const std::string& name) {
    NamespaceOutcome before = std::exchange(state_.outcomes[name], {});
    state_.outcomes.erase(name);
    const auto found = state_.input.namespaces.find(name);
    if (found == state_.input.namespaces.end() || found->second.is_terminating) return;
    kube::json::Arena arena;
    const Expansion expansion = ExpandFor(found->second, arena);
    state_.outcomes.try_emplace(name);
    NamespacePlan& plan = plans_[name];
    plan.standing = expansion.standing;
    plan.last = std::move(before.unanswered);
    news_.on_expansion(name, expansion);
    for (const std::string& selecting : expansion.templates) {
      OutcomeOf(name, selecting).selects = true;
    }
    for (const auto& held : expansion.held) plan.kept.insert(held.key);
    for (const auto& [key, template_name, why] : expansion.refused) {
      plan.kept.insert(key);
      Take(key, name, template_name, PopulationClass::kRefused, why);
    }
    for (const WantedObject& object : expansion.objects) PlanObject(name, object, plan);
  }

  void PlanObject(const std::string& name, const WantedObject& object, NamespacePlan& plan) {
    plan.wanted.insert(object.key);
    const auto kind = state_.kinds.Find(object.key.type, VersionOf(object.value));
    if (!kind) {
      return TakeApplied(object.key, name, object.template_name, PopulationClass::kFailed,
                         kind.error().message);
    }
    ++expected_;
    OutcomeOf(name, object.template_name).types.insert(object.key.type);
    ApplySetExtent& extent = extents_[object.template_name];
    extent.types.insert(object.key.type);
    extent.namespaces.insert(name);
  }

  // Also of what is left alone: it stays in the ApplySet, and somebody else's template may be named
  // by objects of ours.
  void ReadMembers() {
    if (plans_.empty()) return;
    std::set<GroupKind> types;
    for (const auto& [name, extent] : extents_) {
      types.insert(extent.types.begin(), extent.types.end());
    }
    for (const auto& [name, known] : state_.input.known) {
      types.insert(known.apply_set.types.begin(), known.apply_set.types.end());
    }
    types.insert(state_.input.gone_types.begin(), state_.input.gone_types.end());
    state_.members.Read(types, state_.kinds, NamesOfNamed(), session_);
    if (session_.is_stopped()) return;
    for (const auto& [type, why] : state_.members.unlisted()) {
      news_.on_error("what is there of " + type.ToString() +
                     " cannot be listed, and is not pruned: " + why);
    }
  }

  // None: all are looked at.
  std::vector<std::string> NamesOfNamed() const {
    std::vector<std::string> names;
    if (options_.namespaces.empty()) return names;
    for (const auto& [name, found] : state_.input.namespaces) names.push_back(name);
    return names;
  }

  // Before anything of a new kind is there (KEP-3659).
  void WidenApplySets() {
    if (!writes()) return;
    for (const auto& [name, extent] : extents_) {
      const auto known = state_.input.known.find(name);
      if (known == state_.input.known.end()) continue;
      const NoteResult problem = templates_.Widen(known->second, extent.types, extent.namespaces);
      if (session_.is_stopped()) return;
      if (!problem) continue;
      if (problem->is_changed && options_.comes_again) {
        changed_.insert(name);
        continue;
      }
      orphans_.insert(name);
      news_.on_error("the template " + name +
                     " cannot be made the parent of what is made of it: " + problem->why);
    }
  }

  bool IsLeftToNextRound(const std::string& namespace_, const std::string& template_name) const {
    return changed_.contains(template_name) ||
           (news_.is_changed && news_.is_changed(namespace_, template_name));
  }

  // New namespaces wait for the next round.
  bool IsOverTime() const {
    return options_.comes_again && session_.clock.Now() >= began_ + kLongestRound;
  }

  void Postpone(const std::string& name) {
    state_.outcomes.erase(name);
    postponed_.insert(name);
  }

  void Apply(const std::vector<std::string>& namespaces) {
    // Each object is told of by itself.
    const auto on_done = [](const rewrite::Exchange&) {};
    Writer writer(options_, session_, on_done, [this] { Log(); });
    for (const std::string& name : namespaces) {
      if (!plans_.contains(name)) continue;
      if (IsOverTime()) {
        Postpone(name);
        continue;
      }
      std::vector<ObjectToApply> objects = ObjectsOf(name, state_.input.namespaces.at(name));
      if (objects.empty()) continue;
      const bool gives_up = options_.answer_limit > kube::base::Clock::Duration::zero();
      writer.Begin(std::make_unique<NamespaceApply>(
          std::move(objects), ModeOf(options_), options_.patience, gives_up,
          [this](const ObjectApply& done) { OnApplied(done); }));
    }
    writer.Finish();
    for (const std::string& name : postponed_) plans_.erase(name);
  }

  // None where nothing is sent.
  std::vector<ObjectToApply> ObjectsOf(const std::string& name, const ClusterNamespace& found) {
    kube::json::Arena arena;
    std::vector<ObjectToApply> objects;
    for (const auto& [key, template_name, value] : ExpandFor(found, arena).objects) {
      auto kind = state_.kinds.Find(key.type, VersionOf(value));
      if (!kind) continue;
      if (IsLeftToNextRound(name, template_name)) {
        LeaveToNextRound(name, template_name);
        continue;
      }
      const Member* member = state_.members.Find(name, key);
      const bool is_proven = member != nullptr && member->membership.is_proven;
      if (is_proven) applied_uids_.insert(member->uid);
      if (is_proven && IsOfAnotherLeftAlone(*member, template_name)) {
        plans_[name].kept.insert(key);
        Take(key, name, template_name, PopulationClass::kRefused,
             "what is there was made of the template " + member->membership.template_name +
                 ", which is left alone");
        continue;
      }
      if (orphans_.contains(template_name)) {
        TakeApplied(key, name, template_name, PopulationClass::kFailed,
                    "its template cannot be made the parent of what is made of it");
        continue;
      }
      if (!writes()) {
        TakeApplied(key, name, template_name, PopulationClass::kApplied, "");
        continue;
      }
      ObjectToApply object{.kind = *std::move(kind),
                           .key = key,
                           .namespace_ = name,
                           .template_name = template_name,
                           .body = kube::json::Print(value)};
      if (is_proven) object.known_version = member->resource_version;
      objects.push_back(std::move(object));
    }
    // What has no answer ends the round of the namespace, so that all else comes first.
    const std::set<ObjectKey>& last = plans_[name].last;
    std::stable_partition(objects.begin(), objects.end(), [&last](const ObjectToApply& object) {
      return !last.contains(object.key);
    });
    return objects;
  }

  bool IsOfAnotherLeftAlone(const Member& member, const std::string& template_name) const {
    const std::string& other = member.membership.template_name;
    return other != template_name && state_.input.left_alone.contains(other);
  }

  // Nothing of the template is deleted until then either.
  void LeaveToNextRound(const std::string& namespace_, const std::string& template_name) {
    state_.outcomes[namespace_].is_unfinished = true;
    plans_[namespace_].failed.insert(template_name);
  }

  void OnApplied(const ObjectApply& done) {
    const ObjectToApply& object = done.object();
    if (done.result() != PopulationClass::kFailed) applied_uids_.insert(done.uid());
    if (done.is_unanswered()) state_.outcomes[object.namespace_].unanswered.insert(object.key);
    if (done.result() != PopulationClass::kFailed && options_.dry_run == DryRun::kNone) {
      state_.members.Put(
          {.kind = std::make_shared<const ServedKind>(object.kind),
           .namespace_ = object.namespace_,
           .name = object.key.name,
           .uid = done.uid(),
           .resource_version = done.resource_version(),
           .membership = {.template_name = object.template_name, .is_proven = true}});
    }
    if (done.result() == PopulationClass::kApplied) {
      Show(done.states(), object.kind, object.namespace_, object.key.name);
    }
    TakeApplied(object.key, object.namespace_, object.template_name, done.result(), done.message());
  }

  void Show(const ObjectStates& states, const ServedKind& kind, const std::string& namespace_,
            const std::string& name) const {
    if (options_.changes != nullptr) ShowStates(states, kind, namespace_, name, *options_.changes);
  }

  void Prune() {
    const auto on_done = [this](const rewrite::Exchange& exchange) {
      const auto& done = static_cast<const ObjectPrune&>(exchange);
      const ObjectToPrune& object = done.object();
      if (done.result() == PopulationClass::kPruned) {
        Show(done.states(), object.kind, object.namespace_, object.name);
      }
      members_done_.push_back({object, done.result(), done.message()});
    };
    Writer writer(options_, session_, on_done, [this] { Log(); });
    for (const auto& [name, plan] : plans_) {
      // What is deleted leaves the index.
      const MemberIndex::OfNamespace members = state_.members.Of(name);
      for (const auto& [key, member] : members) {
        if (session_.is_stopped()) break;
        PruneMember(member, plan, writer);
      }
    }
    writer.Finish();
    // Answers come in any order, and the same round is to tell the same.
    std::ranges::sort(members_done_, {}, [](const MemberDone& done) {
      const ObjectToPrune& object = done.object;
      return std::tie(object.namespace_, object.kind.type, object.name);
    });
    for (const MemberDone& done : members_done_) TakeMember(done);
  }

  void PruneMember(const Member& member, const NamespacePlan& plan, Writer& writer) {
    const ObjectToPrune object{.kind = *member.kind,
                               .namespace_ = member.namespace_,
                               .name = member.name,
                               .template_name = member.membership.template_name,
                               .uid = member.uid,
                               .resource_version = member.resource_version};
    // Some objects are of a kind in two groups, as Ingresses were.
    const bool is_applied = !plan.wanted.contains(KeyOf(member)) && !member.uid.empty() &&
                            applied_uids_.contains(member.uid);
    if (is_applied) return state_.members.Remove(member.namespace_, KeyOf(member));
    if (!IsUnwanted(member, plan)) return Remember(object);
    const bool is_left = IsLeftToNextRound(object.namespace_, object.template_name);
    const std::string why = is_left ? "" : WhyKept(member, plan);
    if (session_.is_stopped()) return;
    if (IsLeftToNextRound(object.namespace_, object.template_name)) {
      LeaveToNextRound(object.namespace_, object.template_name);
      return Remember(object);
    }
    if (!why.empty()) {
      members_done_.push_back({object, PopulationClass::kKept, why});
    } else if (!writes()) {
      members_done_.push_back({object, PopulationClass::kPruned, ""});
    } else {
      ++expected_;
      writer.Begin(std::make_unique<ObjectPrune>(object, ModeOf(options_), options_.patience));
    }
  }

  /// Of what is left alone, or on its way out, there is nothing to tell.
  bool IsUnwanted(const Member& member, const NamespacePlan& plan) const {
    if (member.membership.is_being_deleted) return false;
    const bool is_populated = plan.standing == Expansion::Standing::kPopulated;
    const ObjectKey key = KeyOf(member);
    return is_populated && !plan.wanted.contains(key) && !plan.kept.contains(key) &&
           !IsLeftAlone(member.membership.template_name);
  }

  /// Empty: it may be deleted.
  std::string WhyKept(const Member& member, const NamespacePlan& plan) {
    const std::string& name = member.membership.template_name;
    if (!member.membership.is_proven) {
      return "it has the label of the template, and was not made of it";
    }
    if (plan.failed.contains(name)) {
      return "some object of the template could not be applied here, which may be to come in its "
             "place";
    }
    const std::optional<std::string>& why_not = leaves_.WhyNot(name);
    if (why_not) state_.outcomes[member.namespace_].is_unfinished = true;
    return why_not.value_or("");
  }

  void OnLeaveRefused(const std::string& name, bool is_changed, const std::string& why) {
    if (is_changed && options_.comes_again) {
      changed_.insert(name);
    } else {
      news_.on_error("nothing of the template " + name + " is pruned: " + why);
    }
  }

  void TakeMember(const MemberDone& done) {
    const auto& [object, population_class, message] = done;
    const ObjectKey key{object.kind.type, object.name};
    const bool is_gone =
        population_class == PopulationClass::kPruned || population_class == PopulationClass::kGone;
    if (!is_gone) {
      Remember(object);
    } else if (options_.dry_run == DryRun::kNone) {
      state_.members.Remove(object.namespace_, key);
    }
    Take(key, object.namespace_, object.template_name, population_class, message);
  }

  /// It stays in the ApplySet of its template.
  void Remember(const ObjectToPrune& object) {
    OutcomeOf(object.namespace_, object.template_name).types.insert(object.kind.type);
  }

  const PopulationOptions& options_;
  PopulationState& state_;
  const RoundNews& news_;
  const kube::client::Session session_;
  const TemplateWriter templates_;
  std::size_t done_ = 0, expected_ = 0;

  std::map<std::string, NamespacePlan> plans_;     // by namespace
  std::map<std::string, ApplySetExtent> extents_;  // of what templates get here
  std::set<std::string> changed_;                  // templates, meanwhile; left to the next round
  std::set<std::string> orphans_;  // templates that cannot be made the parents of what they have
  DeletionCheck leaves_;
  std::vector<MemberDone> members_done_;
  std::set<std::string> applied_uids_;  // of what is wanted and there
  std::set<std::string> postponed_;     // namespaces
  const kube::base::Clock::TimePoint began_ = session_.clock.Now();
};

}  // namespace

void RunRound(const std::vector<std::string>& namespaces, const PopulationOptions& options,
              PopulationState& state, const RoundNews& news, const kube::client::Session& session) {
  Round(options, state, news, session).Run(namespaces);
}

}  // namespace migrate::populate
