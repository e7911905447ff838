#include "kube/crd/object_changes.h"

#include <algorithm>
#include <string_view>

#include "kube/crd/value_rules.h"
#include "kube/meta/type_meta.h"

namespace kube::crd {
namespace {

using json::Value;
using schema::PatternChecks;
using Entry = SchemaDifference::Entry;

bool IsNamed(const SchemaDifference& at, std::string_view name) {
  return at.live->FindProperty(name) != nullptr || at.proposed->FindProperty(name) != nullptr ||
         (at.is_resource && meta::IsTypeMetaOrMetadata(name));
}

/// Walks both views of one object along what differs.
class TouchFinder {
 public:
  TouchFinder(PatternChecks& patterns, std::vector<std::size_t>& numbers)
      : patterns_(patterns), numbers_(numbers) {}

  /// `then`: the null pointer where the value is not there any more.
  void Walk(const Value& now, const Value* then, const SchemaDifference& at) {
    for (const Entry& entry : at.entries) {
      if (!entry.is_seen_in_values || IsOfMember(entry.kind) || IsOfOthers(entry.kind)) continue;
      const bool is_touched =
          entry.rules ? then != nullptr && entry.rules->ChangeAnswer(now, *then, patterns_)
                      : IsValueTouched(now, then, at, entry.kind);
      if (is_touched) numbers_.push_back(entry.number);
    }
    if (then == nullptr || then->type() != now.type()) return;
    if (now.is_object()) WalkObject(now, *then, at);
    if (now.is_array() && at.items) WalkArray(now, *then, *at.items);
  }

 private:
  // Of one that has a name, or of those that have none in the schemas.
  static bool IsOfMember(ChangeKind kind) {
    return kind == ChangeKind::kRequired || kind == ChangeKind::kDefault ||
           kind == ChangeKind::kFieldAdded || kind == ChangeKind::kFieldRemoved;
  }
  static bool IsOfOthers(ChangeKind kind) {
    return kind == ChangeKind::kPreserveUnknownFields || kind == ChangeKind::kAdditionalProperties;
  }

  bool IsValueTouched(const Value& now, const Value* then, const SchemaDifference& at,
                      ChangeKind kind) {
    if (kind == ChangeKind::kNullable && !now.is_null()) return false;
    // Of null the change of nullable tells.
    const bool is_other_null = now.is_null() && at.live->nullable != at.proposed->nullable;
    if (kind == ChangeKind::kType && is_other_null) return false;
    if (kind == ChangeKind::kEmbeddedResource && LosesMeta(now, then)) return true;
    if (!Satisfies(now, *at.live, kind, patterns_)) return false;
    // A null is dropped, or becomes the default.
    if (now.is_null() && (then == nullptr || !then->is_null())) {
      return kind == ChangeKind::kNullable || kind == ChangeKind::kType;
    }
    return then == nullptr || !IsFine(*then, at, kind);
  }

  bool IsFine(const Value& then, const SchemaDifference& at, ChangeKind kind) {
    if (Satisfies(then, *at.proposed, kind, patterns_)) return true;
    // Where the type is wrong, the change of the type tells.
    const bool is_type_at_fault = kind == ChangeKind::kFormat &&
                                  at.live->type != at.proposed->type &&
                                  !HasType(then, *at.proposed, patterns_);
    return is_type_at_fault;
  }

  // What names a resource goes from it, or is made another by its types.
  static bool LosesMeta(const Value& now, const Value* then) {
    if (then == nullptr || !now.is_object()) return false;
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"apiVersion", "kind", "metadata"},
        [&](std::string_view name) {
          const Value *before = now.Find(name), *after = then->Find(name);
          return before != nullptr && (after == nullptr || !IsContained(*before, *after));
        });
  }

  void WalkObject(const Value& now, const Value& then, const SchemaDifference& at) {
    const Members before(now, at.entries.size());
    const Members after(then, at.entries.size() + now.size());
    for (const Entry& entry : at.entries) {
      if (!entry.is_seen_in_values || !IsOfMember(entry.kind)) continue;
      const Value* member = before.Find(entry.member);
      if (IsMemberTouched(entry, member, after)) numbers_.push_back(entry.number);
    }
    FindOthers(now, after, at);
    if (at.members.empty() && !at.keys) return;
    for (const json::Member& member : now.members()) {
      const SchemaDifference* below = Below(at, member.key.text());
      if (below != nullptr) Walk(member.value, after.Find(member.key.text()), *below);
    }
  }

  bool IsMemberTouched(const Entry& entry, const Value* member, const Members& after) {
    switch (entry.kind) {
      case ChangeKind::kFieldRemoved:
        return member != nullptr;
      case ChangeKind::kRequired:
        return after.Find(entry.member) == nullptr;
      case ChangeKind::kDefault:
        return IsByDefault(entry, member, after);
      default:
        return member != nullptr && IsSpoilt(*member, after.Find(entry.member), entry.judge.get());
    }
  }

  static bool IsByDefault(const Entry& entry, const Value* member, const Members& after) {
    if (member == nullptr) return true;
    if (entry.live_default != nullptr && IsSame(*member, *entry.live_default)) return true;
    const Value* then = after.Find(entry.member);
    return member->is_null() && then != nullptr && !then->is_null();
  }

  static bool IsSame(const Value& a, const Value& b) {
    return IsContained(a, b) && IsContained(b, a);
  }

  bool IsSpoilt(const Value& before, const Value* after, const PartRules* judge) {
    if (after == nullptr || !IsContained(before, *after)) return true;
    return judge == nullptr || !judge->AreKept(*after, patterns_);
  }

  // The members that no schema names.
  void FindOthers(const Value& now, const Members& after, const SchemaDifference& at) {
    for (const Entry& entry : at.entries) {
      if (!entry.is_seen_in_values || !IsOfOthers(entry.kind)) continue;
      const bool is_kept = entry.kind == ChangeKind::kPreserveUnknownFields;
      const auto is_touched = [&](const json::Member& member) {
        if (IsNamed(at, member.key.text())) return false;
        const Value* then = after.Find(member.key.text());
        return is_kept ? then == nullptr : IsOtherSpoilt(member.value, then, at, entry);
      };
      if (std::ranges::any_of(now.members(), is_touched)) numbers_.push_back(entry.number);
    }
  }

  bool IsOtherSpoilt(const Value& before, const Value* after, const SchemaDifference& at,
                     const Entry& entry) {
    const schema::SchemaPropsOrBool* additional = at.proposed->additional_properties.get();
    if (additional != nullptr && !additional->schema && !additional->allows) return true;
    if (additional != nullptr && !additional->schema) {
      return after == nullptr || !IsContained(before, *after);
    }
    return IsSpoilt(before, after, entry.judge.get());
  }

  static const SchemaDifference* Below(const SchemaDifference& at, std::string_view name) {
    const auto found = std::ranges::lower_bound(at.members, name, {},
                                                [](const auto& member) { return member.first; });
    if (found != at.members.end() && found->first == name) return found->second.get();
    return at.keys && !IsNamed(at, name) ? at.keys.get() : nullptr;
  }

  void WalkArray(const Value& now, const Value& then, const SchemaDifference& items) {
    const std::size_t size = std::min(now.size(), then.size());
    for (std::size_t i = 0; i < size; ++i) {
      Walk(now.elements()[i], &then.elements()[i], items);
    }
  }

  PatternChecks& patterns_;
  std::vector<std::size_t>& numbers_;
};

}  // namespace

void FindTouching(const ObjectViews& object, const SchemaDifference& difference,
                  PatternChecks& patterns, std::vector<std::size_t>& numbers) {
  TouchFinder(patterns, numbers).Walk(object.now, &object.then, difference);
}

}  // namespace kube::crd
