#include "migrate/populate/expansion.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/substitution.h"

namespace migrate::populate {
namespace {

using kube::json::Arena;
using kube::json::Value;

// Also where the object as a whole cannot be made.
ObjectKey KeyOf(const Value& written, const Variables& variables) {
  Substitution substitution(variables);
  const std::string api_version = substitution.Expand(written.FindText("apiVersion"));
  const auto parsed = kube::meta::ParseGroupVersion(api_version);
  return {{parsed ? std::string(parsed->group) : "", std::string(written.FindText("kind"))},
          substitution.Expand(written.Find("metadata")->FindText("name"))};
}

std::vector<const NamespaceTemplate*> ByName(const std::vector<NamespaceTemplate>& templates) {
  std::vector<const NamespaceTemplate*> sorted;
  for (const NamespaceTemplate& each : templates) sorted.push_back(&each);
  std::ranges::stable_sort(sorted, {}, &NamespaceTemplate::name);
  return sorted;
}

/// Makes the objects of one namespace.
class Expander {
 public:
  Expander(const TargetNamespace& target, const IsClusterScoped& is_cluster_scoped, Arena& arena)
      : target_(target), is_cluster_scoped_(is_cluster_scoped), arena_(arena) {}

  void Take(const NamespaceTemplate& each) {
    if (each.IsLeftAlone()) expansion_.left_alone.push_back(each.name);
    if (!kube::meta::Matches(each.selector, target_.labels)) return;
    if (each.IsLeftAlone()) return HoldAll(each);
    expansion_.templates.push_back(each.name);
    const std::string apply_set = TemplateApplySetId(each.name);
    for (const Value& object : each.objects) HandleObject(object, each.name, apply_set);
  }

  Expansion Finish() {
    for (auto& object : objects_) {
      if (object) expansion_.objects.push_back(*std::move(object));
    }
    return std::move(expansion_);
  }

 private:
  void HandleObject(const Value& written, const std::string& template_name,
                    const std::string& apply_set) {
    Value object = kube::json::CopyForChange(written, arena_);
    const Variables variables{.namespace_ = target_.name, .creator = target_.creator};
    Substitution substitution(variables);
    substitution.ApplyTo(object, arena_);
    ObjectKey key = KeyOf(written, variables);
    std::string why = WhyElsewhere(written, key);
    if (!why.empty()) {
      expansion_.refused.push_back({std::move(key), template_name, std::move(why)});
      return;
    }
    why = substitution.problem();
    if (why.empty()) why = WhyRefused(object, key);
    if (!why.empty()) {
      Hold(key, template_name, /*is_disabled=*/false);
      expansion_.refused.push_back({std::move(key), template_name, std::move(why)});
      return;
    }
    Mark(object, template_name, apply_set);
    Add({std::move(key), template_name, object});
  }

  void HoldAll(const NamespaceTemplate& each) {
    const Variables variables{.namespace_ = target_.name, .creator = target_.creator};
    for (const Value& object : each.objects) {
      const ObjectKey key = KeyOf(object, variables);
      if (WhyElsewhere(object, key).empty()) Hold(key, each.name, each.is_disabled);
    }
  }

  void Hold(const ObjectKey& key, const std::string& by, bool is_disabled) {
    const auto place = places_.find(key);
    if (place == places_.end()) return;
    std::optional<WantedObject>& earlier = objects_[place->second];
    expansion_.held.push_back({key, earlier->template_name, by, is_disabled});
    earlier.reset();
    places_.erase(place);
  }

  /// Why it is no object of this namespace, as it is written; empty: it is one. What has items is a
  /// list to kubectl and client-go, whatever its kind.
  std::string WhyElsewhere(const Value& written, const ObjectKey& key) const {
    if (is_cluster_scoped_(key.type)) return "objects of its kind are in no namespace";
    if (written.Find("items", kube::json::Type::kArray) != nullptr) {
      return "it is a list: its objects have to stand in the template themselves";
    }
    const std::string_view own = written.Find("metadata")->FindText("namespace");
    if (own.empty() || own == target_.name) return "";
    return "it names another namespace, \"" + std::string(own) + "\"";
  }

  /// Empty: it is not.
  std::string WhyRefused(const Value& object, const ObjectKey& key) const {
    const Value& metadata = *object.Find("metadata");
    for (const char* field : {"managedFields", "resourceVersion", "uid"}) {
      if (metadata.Find(field) == nullptr) continue;
      return std::string("it has metadata.") + field + ", which is the server's to set";
    }
    if (metadata.At("labels").Find(kApplySetPartOfLabel) != nullptr) {
      return std::string("it has the label ") + kApplySetPartOfLabel + " already";
    }
    const auto problems = kube::meta::PathSegmentProblems(key.name, /*is_prefix=*/false);
    return problems.empty() ? "" : "its name " + kube::base::Join(problems, ", ");
  }

  void Mark(Value& object, const std::string& template_name, const std::string& apply_set) {
    Value* metadata = object.Find("metadata");
    metadata->Set("namespace", Value::String(arena_.Copy(target_.name)), arena_);
    Value* labels = metadata->Find("labels");
    if (labels == nullptr || !labels->is_object()) {
      labels = metadata->Set("labels", Value::Object(), arena_);
    }
    labels->Set(kTemplateNameLabel, Value::String(arena_.Copy(template_name)), arena_);
    labels->Set(kApplySetPartOfLabel, Value::String(arena_.Copy(apply_set)), arena_);
  }

  void Add(WantedObject object) {
    const auto [place, is_new] = places_.try_emplace(object.key, objects_.size());
    if (!is_new) {
      const WantedObject& earlier = *objects_[place->second];
      expansion_.replaced.push_back({earlier.key, earlier.template_name, object.template_name});
      objects_[place->second].reset();
      place->second = objects_.size();
    }
    objects_.emplace_back(std::move(object));
  }

  const TargetNamespace& target_;
  const IsClusterScoped& is_cluster_scoped_;
  Arena& arena_;
  std::vector<std::optional<WantedObject>> objects_;  // absent: replaced
  std::map<ObjectKey, std::size_t> places_;           // in objects_
  Expansion expansion_;
};

}  // namespace

std::string Describe(const ReplacedObject& object) {
  const auto& [key, template_name, by] = object;
  if (template_name == by) {
    return key.ToString() + " comes twice in the template " + by + "; the last one counts";
  }
  return key.ToString() + " of the template " + template_name + " is replaced by that of " + by;
}

std::string DescribeStanding(std::string_view name, Expansion::Standing standing) {
  switch (standing) {
    case Expansion::Standing::kPopulated:
      return "";
    case Expansion::Standing::kOptedOut:
      return std::string(name) + " has " + kOptOutKey + "=true, so what it has stays as it is";
    case Expansion::Standing::kSystem:
      return std::string(name) + " is never populated";
  }
  return "";
}

std::string DescribeDisabled(std::string_view template_name) {
  return "the template " + std::string(template_name) + " has " + kApplyKey +
         "=disable, so what was made of it stays as it is";
}

std::string Describe(const HeldObject& object) {
  const auto& [key, template_name, by, is_disabled] = object;
  return key.ToString() + " of the template " + template_name +
         " is left out: the later template " + by +
         (is_disabled ? " has it too, and is disabled, so that it stays as it is"
                      : " has it too, which was refused");
}

Expansion Expand(const TargetNamespace& target, const std::vector<NamespaceTemplate>& templates,
                 const IsClusterScoped& is_cluster_scoped, Arena& arena) {
  if (target.name == kSystemNamespace) return {.standing = Expansion::Standing::kSystem};
  if (target.OptsOut()) return {.standing = Expansion::Standing::kOptedOut};
  Expander expander(target, is_cluster_scoped, arena);
  for (const NamespaceTemplate* each : ByName(templates)) expander.Take(*each);
  return expander.Finish();
}

}  // namespace migrate::populate
