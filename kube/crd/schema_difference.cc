#include "kube/crd/schema_difference.h"

#include <algorithm>
#include <string>

#include "kube/crd/keyword_changes.h"
#include "kube/go/go_value.h"
#include "kube/meta/object_path.h"
#include "kube/meta/type_meta.h"

namespace kube::crd {
namespace {

using meta::PathStep;
using schema::SchemaProps;

// Each: of breaking ones, and of others.
constexpr std::size_t kMostChanges = 1000;
constexpr std::size_t kMostChangeBytes = std::size_t{4} << 20;

/// What a schema makes of a member of an object.
struct MemberRule {
  enum class State {
    kGone,       ///< not specified: pruned
    kForbidden,  ///< kept, and an error
    kBare,       ///< kept, without the members of objects in it
    kAny,        ///< kept, whatever it is
    kSchema,
  };
  State state = State::kGone;
  const SchemaProps* schema = nullptr;
  bool is_property = false;
};
using State = MemberRule::State;

/// One side of the comparison at one place.
struct Side {
  const SchemaProps& schema;
  bool preserves;  // what it does not specify

  /// Of members that it does not name.
  MemberRule OthersRule() const {
    if (const schema::SchemaPropsOrBool* additional = schema.additional_properties.get()) {
      if (additional->schema) return {State::kSchema, additional->schema.get()};
      return {additional->allows ? State::kBare : State::kForbidden};
    }
    return {preserves ? State::kAny : State::kGone};
  }
  MemberRule RuleOf(std::string_view name, bool is_kept) const {
    if (const SchemaProps* property = schema.FindProperty(name)) {
      return {State::kSchema, property, true};
    }
    const MemberRule rule = OthersRule();
    return rule.state == State::kGone && is_kept ? MemberRule{State::kAny} : rule;
  }
  Side Items(const SchemaProps& none) const {
    const SchemaProps* items = schema.ItemsSchema();
    // Elements of an array that preserves do so too.
    return {items ? *items : none, preserves || (items && items->Preserves())};
  }
};

std::string OthersText(const SchemaProps& schema) {
  const schema::SchemaPropsOrBool* additional = schema.additional_properties.get();
  if (additional == nullptr) return "";
  if (additional->schema) return "schema";
  return additional->allows ? "true" : "false";
}

std::vector<std::string_view> SortedNames(
    const std::optional<std::vector<std::string_view>>& list) {
  std::vector<std::string_view> names;
  if (list) names = *list;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::size_t SizeOf(const SchemaProps& schema) {
  const auto size = [](const auto& list) { return list ? list->size() : 0; };
  return 1 + size(schema.enum_values) + size(schema.required) + size(schema.x_validations) +
         schema.properties.size();
}

bool SameDefault(const json::Value* live, const json::Value* proposed) {
  if (live == nullptr || proposed == nullptr) return live == proposed;
  return go::GoDeepEqual(*live, *proposed);
}

const json::Value* DefaultOf(const MemberRule& rule) {
  // What no name stands for is never absent.
  if (!rule.is_property || !rule.schema->default_value) return nullptr;
  return &*rule.schema->default_value;
}

class SchemaComparer {
 public:
  SchemaComparer(const SchemaPair& schemas, std::string_view version, ChangeList& list)
      : schemas_(schemas),
        is_all_preserved_(schemas.is_all_preserved),
        version_(version),
        list_(list) {}

  std::unique_ptr<SchemaDifference> CompareRoot() {
    return Compare(MakeSide(schemas_.live, is_all_preserved_), MakeSide(schemas_.proposed, false),
                   nullptr, true);
  }

 private:
  using Difference = std::unique_ptr<SchemaDifference>;

  static Side MakeSide(const SchemaProps& schema, bool preserves) {
    return {schema, preserves || schema.Preserves()};
  }

  Difference Compare(const Side& live, const Side& proposed, const PathStep* at, bool is_resource) {
    if (!list_.Spend(SizeOf(live.schema) + SizeOf(proposed.schema))) return nullptr;
    auto found = std::make_unique<SchemaDifference>(
        SchemaDifference{.live = &live.schema, .proposed = &proposed.schema});
    found->is_resource =
        is_resource || (live.schema.x_embedded_resource && proposed.schema.x_embedded_resource);
    for (KeywordChange& change : CompareKeywords(live.schema, proposed.schema)) {
      if (change.kind == ChangeKind::kValidations) {
        AddRules(*found, at, std::move(change));
        continue;
      }
      const bool is_seen = change.breaking || change.kind == ChangeKind::kFormat;
      Add(*found, at, {.kind = change.kind, .is_seen_in_values = is_seen}, std::move(change));
    }
    if (ShareTypes(live.schema, proposed.schema)) CompareParts(live, proposed, at, *found);
    const bool is_same =
        found->entries.empty() && found->members.empty() && !found->keys && !found->items;
    return is_same ? nullptr : std::move(found);
  }

  void AddRules(SchemaDifference& found, const PathStep* at, KeywordChange change) {
    auto rules = std::make_shared<const ChangedRules>(*found.live, *found.proposed,
                                                      found.is_resource, schemas_.server);
    change.brings_transition_rules = rules->bring_transitions();
    Add(found, at, {.kind = ChangeKind::kValidations, .rules = std::move(rules)},
        std::move(change));
  }

  void CompareParts(const Side& live, const Side& proposed, const PathStep* at,
                    SchemaDifference& found) {
    ComparePreserving(live, proposed, at, found);
    CompareRequired(live, proposed, at, found);
    CompareNamed(live, proposed, at, found);
    CompareOthers(live, proposed, at, found);
    if (!live.schema.ItemsSchema() && !proposed.schema.ItemsSchema()) return;
    const PathStep step = PathStep::Index(at, 0);
    found.items =
        Compare(live.Items(Nothing()), proposed.Items(Nothing()), &step, /*is_resource=*/false);
  }

  // Of arrays their elements tell.
  void ComparePreserving(const Side& live, const Side& proposed, const PathStep* at,
                         SchemaDifference& found) {
    const bool is_array = live.schema.ItemsSchema() && proposed.schema.ItemsSchema();
    // Of a CRD that preserves all its own flag tells.
    const bool live_says = live.preserves && (!is_all_preserved_ || live.schema.Preserves());
    if (live_says == proposed.preserves || live.preserves == proposed.preserves || is_array) return;
    Add(found, at, {.kind = ChangeKind::kPreserveUnknownFields, .is_seen_in_values = live_says},
        {.from = live_says ? "true" : "false",
         .to = proposed.preserves ? "true" : "false",
         .breaking = live_says});
  }

  void CompareRequired(const Side& live, const Side& proposed, const PathStep* at,
                       SchemaDifference& found) {
    const std::vector<std::string_view> before = SortedNames(live.schema.required);
    const std::vector<std::string_view> after = SortedNames(proposed.schema.required);
    std::vector<std::string_view> changed;
    std::ranges::set_symmetric_difference(before, after, std::back_inserter(changed));
    for (const std::string_view name : changed) {
      const bool is_added = std::ranges::binary_search(after, name);
      const PathStep step = PathStep::Field(at, name);
      Add(found, &step,
          {.kind = ChangeKind::kRequired, .member = name, .is_seen_in_values = is_added},
          {.from = is_added ? "optional" : "required",
           .to = is_added ? "required" : "optional",
           .breaking = is_added});
    }
  }

  void CompareNamed(const Side& live, const Side& proposed, const PathStep* at,
                    SchemaDifference& found) {
    const auto name_of = [](const auto& property) { return property.first; };
    std::vector<std::string_view> names;
    std::ranges::transform(live.schema.properties, std::back_inserter(names), name_of);
    std::ranges::transform(proposed.schema.properties, std::back_inserter(names), name_of);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string_view name : names) {
      const bool is_kept = found.is_resource && meta::IsTypeMetaOrMetadata(name);
      CompareMember(live.RuleOf(name, is_kept), proposed.RuleOf(name, is_kept), at, name, found);
    }
  }

  void CompareMember(const MemberRule& live, const MemberRule& proposed, const PathStep* at,
                     std::string_view name, SchemaDifference& found) {
    const PathStep step = PathStep::Field(at, name);
    if (live.state == State::kSchema && proposed.state != State::kSchema) {
      Add(found, &step, {.kind = ChangeKind::kFieldRemoved, .member = name},
          {.from = TypeText(*live.schema), .breaking = proposed.state != State::kAny});
      return;
    }
    if (proposed.state != State::kSchema) return;
    if (live.state == State::kAny || live.state == State::kBare) {
      Add(found, &step,
          {.kind = ChangeKind::kFieldAdded, .member = name, .judge = MakeJudge(*proposed.schema)},
          {.to = TypeText(*proposed.schema), .breaking = true});
    }
    CompareDefaults(live, proposed, &step, name, found);
    if (live.state != State::kSchema) return;
    const bool keeps_all = found.is_resource && name == "metadata";
    Difference below = Compare(MakeSide(*live.schema, is_all_preserved_ || keeps_all),
                               MakeSide(*proposed.schema, keeps_all), &step, false);
    if (below) found.members.emplace_back(name, std::move(below));
  }

  void CompareDefaults(const MemberRule& live, const MemberRule& proposed, const PathStep* at,
                       std::string_view name, SchemaDifference& found) {
    const json::Value *before = DefaultOf(live), *after = DefaultOf(proposed);
    if (SameDefault(before, after)) return;
    Add(found, at, {.kind = ChangeKind::kDefault, .member = name, .live_default = before},
        {.from = before ? ValueText(*before) : "",
         .to = after ? ValueText(*after) : "",
         .breaking = live.state == State::kSchema});
  }

  // The members that neither names.
  void CompareOthers(const Side& live, const Side& proposed, const PathStep* at,
                     SchemaDifference& found) {
    const MemberRule before = live.OthersRule(), after = proposed.OthersRule();
    const PathStep step = PathStep::Key(at, "");
    if (before.state == State::kSchema && after.state == State::kSchema) {
      found.keys = Compare(MakeSide(*before.schema, is_all_preserved_),
                           MakeSide(*after.schema, false), &step, false);
      return;
    }
    const std::string from = OthersText(live.schema), to = OthersText(proposed.schema);
    if (from == to) return;
    const bool may_be_there = before.state != State::kGone && before.state != State::kForbidden;
    const bool is_breaking = may_be_there && after.state != State::kAny;
    Add(found, &step,
        {.kind = ChangeKind::kAdditionalProperties,
         .is_seen_in_values = is_breaking,
         .judge = after.schema ? MakeJudge(*after.schema) : nullptr},
        {.from = from, .to = to, .breaking = is_breaking});
  }

  std::shared_ptr<const PartRules> MakeJudge(const SchemaProps& schema) const {
    return std::make_shared<const PartRules>(schema, schemas_.server);
  }

  void Add(SchemaDifference& found, const PathStep* at, SchemaDifference::Entry entry,
           KeywordChange change) {
    // Paths may be long, and there may be very many.
    if (!list_.HasRoom(change.breaking)) return list_.LeaveOut();
    const auto number = list_.Add({.version = std::string(version_),
                                   .path = meta::PrintFoldedPath(at),
                                   .kind = entry.kind,
                                   .from = std::move(change.from),
                                   .to = std::move(change.to),
                                   .breaking = change.breaking,
                                   .brings_transition_rules = change.brings_transition_rules});
    if (!number) return;
    entry.number = *number;
    found.entries.push_back(std::move(entry));
  }

  static const SchemaProps& Nothing() {
    static const SchemaProps kNothing;
    return kNothing;
  }

  const SchemaPair schemas_;
  bool is_all_preserved_;
  std::string_view version_;
  ChangeList& list_;
};

}  // namespace

bool ChangeList::HasRoom(bool breaking) const {
  return (breaking ? breaking_ : others_) < kMostChanges && bytes_ < kMostChangeBytes;
}

std::optional<std::size_t> ChangeList::Add(Change change) {
  if (!HasRoom(change.breaking)) {
    LeaveOut();
    return std::nullopt;
  }
  ++(change.breaking ? breaking_ : others_);
  bytes_ += change.path.size();
  changes_.push_back(std::move(change));
  return changes_.size() - 1;
}

bool ChangeList::Spend(std::size_t work) {
  is_partial_ = is_partial_ || work > work_left_;
  if (!is_partial_) work_left_ -= work;
  return !is_partial_;
}

std::unique_ptr<SchemaDifference> CompareSchemas(const SchemaPair& schemas,
                                                 std::string_view version, ChangeList& list) {
  return SchemaComparer(schemas, version, list).CompareRoot();
}

}  // namespace kube::crd
