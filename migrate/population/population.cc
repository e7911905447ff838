#include "migrate/population/population.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "kube/meta/type_meta.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/keys.h"
#include "migrate/population/cluster_kinds.h"
#include "migrate/population/cluster_template.h"
#include "migrate/population/members.h"
#include "migrate/population/object_apply.h"
#include "migrate/population/object_prune.h"
#include "migrate/population/population_input.h"
#include "migrate/population/writer.h"

namespace migrate::population {
namespace {

using populate::Expansion;
using populate::GroupKind;
using populate::ObjectKey;
using report::DryRun;
using report::PopulatedObject;
using report::PopulationClass;
using report::PopulationRemark;

std::string VersionOf(const kube::json::Value& object) {
  return std::string(kube::meta::TypeOf(object).group_version.version);
}

/// What a namespace is to have, as far as it has to be remembered.
struct NamespacePlan {
  Expansion::Standing standing = Expansion::Standing::kPopulated;
  std::set<ObjectKey> wanted{};
  std::set<ObjectKey> kept{};      // refused or held: what there is stays as it is
  std::set<std::string> failed{};  // templates of which some object could not be applied
};

/// What a template is to have, and what is left to be said of it.
struct TemplatePlan {
  std::size_t selected = 0;  // namespaces
  std::set<GroupKind> types{};
  std::set<std::string> namespaces{};
  std::vector<StatusFailure> failures{};
};

/// Whether the members of a template may be pruned.
struct PruneLeave {
  bool is_given = false;
  std::string why{};  // it is not
};

class PopulationRun {
 public:
  PopulationRun(const PopulationOptions& options, const kube::client::Session& session)
      : options_(options),
        session_(session),
        input_(ReadPopulationInput(options.namespaces, options.chunk_size, session)),
        kinds_(GroupsOf(input_), session),
        templates_(options.version, options.dry_run == DryRun::kServer, session) {
    report_.dry_run = options.dry_run;
    for (const PopulationRemark& remark : input_.remarks) Remark(remark.kind, remark.text);
  }

  report::PopulationReport Run() {
    Do(&PopulationRun::Plan);
    Do(&PopulationRun::ReadAllMembers);
    Do(&PopulationRun::WidenApplySets);
    Do(&PopulationRun::Apply);
    Do(&PopulationRun::Prune);
    Do(&PopulationRun::Settle);
    report_.is_interrupted = session_.is_stopped();
    for (auto& [name, objects] : objects_) {
      std::ranges::move(objects, std::back_inserter(report_.objects));
    }
    return std::move(report_);
  }

 private:
  bool writes() const { return options_.dry_run != DryRun::kClient; }
  /// All that there is was looked at, and what is noted of it is stored.
  bool is_complete() const {
    return options_.dry_run == DryRun::kNone && options_.namespaces.empty();
  }

  void Do(void (PopulationRun::*step)()) {
    if (!session_.is_stopped()) (this->*step)();
  }

  void Remark(PopulationRemark::Kind kind, std::string text) {
    if (kind == PopulationRemark::Kind::kError) report_.has_errors = true;
    report_.remarks.push_back({.kind = kind, .text = std::move(text)});
  }
  void Note(std::string text) { Remark(PopulationRemark::Kind::kNote, std::move(text)); }
  void Warn(std::string text) { Remark(PopulationRemark::Kind::kWarning, std::move(text)); }
  void Fault(std::string text) { Remark(PopulationRemark::Kind::kError, std::move(text)); }

  void Take(const ObjectKey& key, const std::string& namespace_, const std::string& template_name,
            PopulationClass population_class, const std::string& message) {
    ++done_;
    if (IsFailure(population_class)) {
      plans_[template_name].failures.push_back({namespace_, key.ToString(), message});
    }
    objects_[namespace_].push_back({.group = key.type.group,
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
    if (population_class == PopulationClass::kFailed)
      namespaces_[namespace_].failed.insert(template_name);
    Take(key, namespace_, template_name, population_class, message);
  }
  void Tell() const {
    if (options_.on_progress) options_.on_progress(done_, std::max(done_, expected_));
  }

  // Of what templates have now, and of what they say that they had. The apiVersion of an object may
  // hold a variable, of which no server knows the group.
  static std::set<std::string> GroupsOf(const PopulationInput& input) {
    std::set<std::string> groups;
    for (const populate::NamespaceTemplate& each : input.templates) {
      for (const kube::json::Value& object : each.objects) {
        groups.emplace(kube::meta::TypeOf(object).group_version.group);
      }
    }
    for (const auto& [name, known] : input.known) {
      for (const GroupKind& type : known.apply_set.types) groups.insert(type.group);
    }
    return groups;
  }

  Expansion ExpandFor(const ClusterNamespace& of, kube::json::Arena& arena) const {
    const auto is_cluster_scoped = [this](const GroupKind& type) {
      return kinds_.IsClusterScoped(type);
    };
    return populate::Expand(of.target, input_.templates, is_cluster_scoped, arena);
  }

  void Plan() {
    if (input_.known.empty()) {
      Note("the cluster has no NamespaceTemplate; what was made of those that are gone stays");
    }
    for (const auto& [name, found] : input_.namespaces) {
      if (found.is_terminating) {
        if (!options_.namespaces.empty()) Note(name + " is being deleted, and gets nothing new");
        continue;
      }
      kube::json::Arena arena;
      PlanNamespace(name, ExpandFor(found, arena));
    }
  }

  void PlanNamespace(const std::string& name, const Expansion& expansion) {
    NamespacePlan& plan = namespaces_[name];
    plan.standing = expansion.standing;
    TellStanding(name, expansion);
    for (const std::string& selecting : expansion.templates) ++plans_[selecting].selected;
    for (const auto& replaced : expansion.replaced) Warn(name + ": " + Describe(replaced));
    for (const auto& held : expansion.held) {
      plan.kept.insert(held.key);
      Warn(name + ": " + Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      plan.kept.insert(key);
      Take(key, name, template_name, PopulationClass::kRefused, why);
    }
    for (const populate::WantedObject& object : expansion.objects) {
      plan.wanted.insert(object.key);
      const auto kind = kinds_.Find(object.key.type, VersionOf(object.value));
      if (!kind) {
        TakeApplied(object.key, name, object.template_name, PopulationClass::kFailed,
                    kind.error().message);
        continue;
      }
      ++expected_;
      plans_[object.template_name].types.insert(object.key.type);
      plans_[object.template_name].namespaces.insert(name);
    }
  }

  // Of those that are named: of all it would be no news.
  void TellStanding(const std::string& name, const Expansion& expansion) {
    if (options_.namespaces.empty()) return;
    switch (expansion.standing) {
      case Expansion::Standing::kPopulated:
        if (expansion.templates.empty()) Note("no template selects " + name);
        return;
      case Expansion::Standing::kOptedOut:
        return Note(name + " has the label " + populate::kOptOutLabel +
                    "=true, so what it has stays as it is");
      case Expansion::Standing::kSystem:
        return Note(name + " is never populated");
    }
  }

  // Also of what is left alone: it stays in the ApplySet, and somebody else's template may be named
  // by objects of ours.
  void ReadAllMembers() {
    const bool names_none = !options_.namespaces.empty() && input_.namespaces.empty();
    if (names_none) return;
    std::set<GroupKind> types;
    for (const auto& [name, plan] : plans_) types.insert(plan.types.begin(), plan.types.end());
    for (const auto& [name, known] : input_.known) {
      types.insert(known.apply_set.types.begin(), known.apply_set.types.end());
    }
    std::vector<ServedKind> listed;
    for (const GroupKind& type : types) {
      const auto kind = kinds_.FindPreferred(type);
      if (kind && kind->is_namespaced) listed.push_back(*kind);
      const bool is_unreadable = !kind && kind.error().why == KindError::Why::kUnreadable;
      if (is_unreadable) NoteUnlisted(type, kind.error().message);
    }
    for (MembersOfKind& of_kind :
         ReadMembers(listed, NamesOfNamed(), options_.chunk_size, session_)) {
      if (session_.is_stopped()) return;
      if (!of_kind.error.empty()) NoteUnlisted(of_kind.kind.type, of_kind.error);
      std::ranges::move(of_kind.members, std::back_inserter(members_));
    }
    for (const Member& member : members_) {
      if (!member.membership.is_proven) continue;
      versions_[member.namespace_][KeyOf(member)] = member.resource_version;
    }
  }

  void NoteUnlisted(const GroupKind& type, const std::string& why) {
    unlisted_.insert(type);
    Fault("what is there of " + type.ToString() + " cannot be listed, and is not pruned: " + why);
  }

  // None: all are looked at.
  std::vector<std::string> NamesOfNamed() const {
    std::vector<std::string> names;
    if (options_.namespaces.empty()) return names;
    for (const auto& [name, found] : input_.namespaces) names.push_back(name);
    return names;
  }

  static ObjectKey KeyOf(const Member& member) { return {member.kind.type, member.name}; }

  // Before anything of a new kind is there (KEP-3659).
  void WidenApplySets() {
    if (!writes()) return;
    for (auto& [name, plan] : plans_) {
      const auto known = input_.known.find(name);
      if (known == input_.known.end() || plan.types.empty()) continue;
      const std::string why = templates_.Widen(known->second, plan.types, plan.namespaces);
      if (session_.is_stopped()) return;
      if (why.empty()) continue;
      input_.left_alone.insert(name);
      Fault("the template " + name + " cannot be made the parent of what is made of it: " + why);
    }
  }

  void Apply() {
    // Each object is told of by itself.
    const auto on_done = [](const sweep::write::Exchange&) {};
    Writer writer(options_, session_, on_done, [this] { Tell(); });
    for (const auto& [name, found] : input_.namespaces) {
      if (found.is_terminating) continue;
      std::vector<ObjectToApply> objects = ObjectsOf(name, found);
      if (objects.empty()) continue;
      writer.Begin(
          std::make_unique<NamespaceApply>(std::move(objects), options_.dry_run == DryRun::kServer,
                                           [this](const ObjectApply& done) { OnApplied(done); }));
    }
    writer.Finish();
  }

  // None where nothing is sent.
  std::vector<ObjectToApply> ObjectsOf(const std::string& name, const ClusterNamespace& found) {
    kube::json::Arena arena;
    std::vector<ObjectToApply> objects;
    const auto versions = versions_.find(name);
    for (const auto& [key, template_name, value] : ExpandFor(found, arena).objects) {
      auto kind = kinds_.Find(key.type, VersionOf(value));
      if (!kind) continue;
      if (input_.left_alone.contains(template_name)) {
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
      if (versions != versions_.end()) {
        const auto version = versions->second.find(key);
        if (version != versions->second.end()) object.known_version = version->second;
      }
      objects.push_back(std::move(object));
    }
    return objects;
  }

  void OnApplied(const ObjectApply& done) {
    const ObjectToApply& object = done.object();
    TakeApplied(object.key, object.namespace_, object.template_name, done.result(), done.message());
  }

  void Prune() {
    std::map<std::string, std::size_t> applied;
    for (const auto& [name, objects] : objects_) applied[name] = objects.size();
    const auto on_done = [this](const sweep::write::Exchange& exchange) {
      const auto& done = static_cast<const ObjectPrune&>(exchange);
      TakeMember(done.object(), done.result(), done.message());
    };
    Writer writer(options_, session_, on_done, [this] { Tell(); });
    for (const Member& member : members_) {
      const ObjectToPrune object = AsToPrune(member);
      if (!IsUnwanted(member)) {
        Remember(object);
        continue;
      }
      const std::string why = WhyKept(member);
      if (session_.is_stopped()) break;
      if (!why.empty()) {
        TakeMember(object, PopulationClass::kKept, why);
      } else if (!writes()) {
        TakeMember(object, PopulationClass::kPruned, "");
      } else {
        ++expected_;
        writer.Begin(std::make_unique<ObjectPrune>(object, options_.dry_run == DryRun::kServer));
      }
    }
    writer.Finish();
    // Answers come in any order, and the same run is to have the same report.
    for (auto& [name, objects] : objects_) {
      const auto pruned = std::span<PopulatedObject>(objects).subspan(applied[name]);
      std::ranges::sort(pruned, {}, [](const PopulatedObject& object) {
        return std::tie(object.group, object.kind, object.name);
      });
    }
  }

  static ObjectToPrune AsToPrune(const Member& member) {
    return {.kind = member.kind,
            .namespace_ = member.namespace_,
            .name = member.name,
            .template_name = member.membership.template_name,
            .uid = member.uid,
            .resource_version = member.resource_version};
  }

  /// Of what is left alone, or on its way out, there is nothing to tell.
  bool IsUnwanted(const Member& member) const {
    const auto plan = namespaces_.find(member.namespace_);
    if (plan == namespaces_.end() || member.membership.is_being_deleted) return false;
    const bool is_populated = plan->second.standing == Expansion::Standing::kPopulated;
    const ObjectKey key = KeyOf(member);
    return is_populated && !plan->second.wanted.contains(key) && !plan->second.kept.contains(key) &&
           !input_.left_alone.contains(member.membership.template_name);
  }

  /// Empty: it may be deleted.
  std::string WhyKept(const Member& member) {
    const std::string& name = member.membership.template_name;
    if (!member.membership.is_proven) {
      return "it has the label of the template, and was not made of it";
    }
    if (namespaces_.at(member.namespace_).failed.contains(name)) {
      return "some object of the template could not be applied here, which may be to come in its "
             "place";
    }
    return LeaveOf(name).why;
  }

  const PruneLeave& LeaveOf(const std::string& name) {
    const auto [place, is_new] = leaves_.try_emplace(name);
    if (!is_new) return place->second;
    const auto known = input_.known.find(name);
    const bool is_known = known != input_.known.end();
    const TemplateNow now = LookAgain(name, is_known ? &known->second : nullptr, session_);
    const TemplateNow expected = is_known ? TemplateNow::kSame : TemplateNow::kGone;
    if (now == expected) {
      place->second.is_given = true;
    } else if (!session_.is_stopped()) {
      place->second.why = now == TemplateNow::kUnknown
                              ? "the server does not say whether the template is as it was"
                              : "the template was changed meanwhile: run again";
      Fault("nothing of the template " + name + " is pruned: " + place->second.why);
    }
    return place->second;
  }

  void TakeMember(const ObjectToPrune& object, PopulationClass population_class,
                  const std::string& message) {
    const bool is_gone =
        population_class == PopulationClass::kPruned || population_class == PopulationClass::kGone;
    if (!is_gone) Remember(object);
    Take({object.kind.type, object.name}, object.namespace_, object.template_name, population_class,
         message);
  }

  /// It stays in the ApplySet of its template.
  void Remember(const ObjectToPrune& object) {
    TemplatePlan& plan = plans_[object.template_name];
    plan.types.insert(object.kind.type);
    plan.namespaces.insert(object.namespace_);
  }

  void Settle() {
    if (!is_complete()) return;
    for (auto& [name, known] : input_.known) {
      if (input_.left_alone.contains(name)) continue;
      if (session_.is_stopped()) return;
      TemplatePlan& plan = plans_[name];
      KeepUnlisted(known, plan);
      // Answers come in any order, and the same failures are to be the same status.
      std::ranges::sort(plan.failures, {}, [](const StatusFailure& failure) {
        return std::tie(failure.namespace_, failure.object);
      });
      std::string why = templates_.Narrow(known, plan.types, plan.namespaces);
      if (why.empty()) why = templates_.WriteStatus(known, plan.selected, plan.failures);
      if (!why.empty() && !session_.is_stopped()) {
        Fault("what the template " + name + " has cannot be noted in it: " + why);
      }
    }
  }

  void KeepUnlisted(const ClusterTemplate& known, TemplatePlan& plan) const {
    bool has_unlisted = false;
    for (const GroupKind& type : known.apply_set.types) {
      if (!unlisted_.contains(type)) continue;
      has_unlisted = true;
      plan.types.insert(type);
    }
    if (!has_unlisted) return;
    plan.namespaces.insert(known.apply_set.namespaces.begin(), known.apply_set.namespaces.end());
  }

  const PopulationOptions& options_;
  const kube::client::Session session_;
  PopulationInput input_;
  const ClusterKinds kinds_;
  const TemplateWriter templates_;
  report::PopulationReport report_;
  std::size_t done_ = 0, expected_ = 0;

  std::map<std::string, NamespacePlan> namespaces_;  // that are not being deleted
  std::map<std::string, TemplatePlan> plans_;        // by name of the template
  std::vector<Member> members_;
  std::map<std::string, std::map<ObjectKey, std::string>> versions_;  // of members, by namespace
  std::set<GroupKind> unlisted_;  // kinds of which it is not known what is there
  std::map<std::string, PruneLeave> leaves_;
  std::map<std::string, std::vector<PopulatedObject>> objects_;  // by namespace
};

}  // namespace

report::PopulationReport Populate(const PopulationOptions& options,
                                  const kube::client::Session& session) {
  return PopulationRun(options, session).Run();
}

}  // namespace migrate::population
