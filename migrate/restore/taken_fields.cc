#include "migrate/restore/taken_fields.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/meta/object_path.h"
#include "kube/meta/type_meta.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/restore/list_elements.h"

namespace migrate::restore {
namespace {

using kube::json::Type;
using kube::json::Value;
using kube::meta::PathStep;

// What tells entries apart, but for the version: the storage version may be another one by now.
bool AreOfOneManager(const Value& one, const Value& other) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"manager", "operation", "subresource"},
      [&](std::string_view key) { return one.FindText(key) == other.FindText(key); });
}

}  // namespace

bool LaterOwners::HaveSet(const PathStep* path) {
  Steps steps;
  for (; path != nullptr; path = path->parent) steps.push_back(path);
  std::ranges::reverse(steps);
  return std::ranges::any_of(cluster::FirstEntriesOf(live_),
                             [&](const Value& entry) { return HasSet(entry, steps); });
}

bool LaterOwners::HasSet(const Value& entry, const Steps& steps) {
  const auto entries = cluster::FirstEntriesOf(backup_);
  const auto before = std::ranges::find_if(
      entries, [&](const Value& other) { return AreOfOneManager(entry, other); });
  const Value* now = entry.Find("fieldsV1", Type::kObject);
  const Value* then = before == entries.end() ? nullptr : before->Find("fieldsV1", Type::kObject);
  const Value* value = &live_;
  for (const PathStep* step : steps) {
    const bool is_index = step->kind == PathStep::Kind::kIndex;
    if (now == nullptr || (is_index && step->index >= value->elements().size())) return false;
    value = is_index ? &value->elements()[step->index] : members_.Find(*value, step->name);
    if (value == nullptr) return false;
    const std::string selector = SelectorOf(*now, *step, *value);
    now = members_.Find(*now, selector);
    if (then != nullptr) then = members_.Find(*then, selector);
  }
  if (now == nullptr || then == nullptr) return now != nullptr;
  return entry.FindText("operation") == "Apply" &&
         entry.FindText("time") != before->FindText("time");
}

std::string LaterOwners::SelectorOf(const Value& fields, const PathStep& step, const Value& value) {
  if (step.kind != PathStep::Kind::kIndex) return "f:" + std::string(step.name);
  std::unique_ptr<check::ElementSelectors>& selectors = selectors_[&fields];
  if (!selectors) selectors = std::make_unique<check::ElementSelectors>(fields);
  return selectors->Of(value, step.index);
}

namespace {

using kube::json::Member;
using kube::schema::SchemaProps;
using Part = kube::meta::FieldChoice::Part;

// A name may be as long as an object.
constexpr std::size_t kLongestPath = 1000;
// Of one object: names that are keys of a map which no schema tells are ever new ones.
constexpr std::size_t kMostFolded = 10'000;
// Of lists without keys, beyond which nobody looks which element may be whose.
constexpr std::size_t kMostCompared = 1000;

std::string PathForPeople(const PathStep* last, bool is_folded) {
  std::vector<const PathStep*> steps;
  for (; last != nullptr; last = last->parent) steps.push_back(last);
  std::ranges::reverse(steps);
  std::string path;
  for (const PathStep* step : steps) {
    if (path.size() > kLongestPath) break;
    if (step->kind == PathStep::Kind::kIndex) {
      path += "[" + (is_folded ? "*" : std::to_string(step->index)) + "]";
    } else if (is_folded && step->kind == PathStep::Kind::kKey) {
      kube::meta::AppendPathOfKeys(path);
    } else {
      kube::meta::AppendPathName(path, kube::base::utf8::Shortened(step->name, kLongestPath));
    }
  }
  return path;
}

void Note(Paths& paths, const PathStep* path) {
  if (paths.count++ < Paths::kMost) paths.first.push_back(PathForPeople(path, false));
  if (paths.folded.size() < kMostFolded) paths.folded.insert(PathForPeople(path, true));
}

PathStep StepTo(const PathStep* parent, std::string_view key, const SchemaProps* schema) {
  const bool is_key = schema != nullptr && schema->FindProperty(key) == nullptr &&
                      schema->additional_properties != nullptr;
  return is_key ? PathStep::Key(parent, key) : PathStep::Field(parent, key);
}

/// One comparison. Each function returns what comes in the place of a live value; absent where that
/// stays as it is.
class Comparer {
 public:
  using Changed = std::optional<Value>;

  Comparer(const ThreeForms& forms, const CompareOptions& options, kube::json::Arena& arena)
      : forms_(forms), options_(options), arena_(arena), owners_(forms.backup, forms.live) {}

  Comparison Run() {
    const Pruned pruned{forms_.pruned != nullptr, forms_.pruned};
    result_.restored = Members(forms_.backup, pruned, forms_.live, forms_.schema, nullptr, 0);
    return std::move(result_);
  }

 private:
  Changed Members(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                  const PathStep* path, std::size_t depth) {
    Changed changed;
    for (const Member& member : backup.members()) {
      const std::string_view key = member.key.text();
      if (path == nullptr && kube::meta::IsTypeMetaOrMetadata(key)) continue;
      const PathStep step = StepTo(path, key, schema);
      if (options_.fields.Of(&step) == Part::kNone) continue;
      const Value* there = index_.Find(live, key);
      const Changed value = OfMember(member.value, pruned.Member(key, index_), there,
                                     MemberSchema(schema, key), &step, depth + 1);
      if (value) Set(changed, live, key, there, *value);
    }
    return changed;
  }

  // `there` is what `live` has at that key.
  void Set(Changed& changed, const Value& live, std::string_view key, const Value* there,
           const Value& value) {
    if (!changed) changed = ShallowCopy(live);
    if (there == nullptr) {
      changed->SetNew(key, value, arena_);
      return;
    }
    // Without a search: there may be very many.
    const auto bytes = reinterpret_cast<const char*>(there) -
                       reinterpret_cast<const char*>(&live.members().front().value);
    changed->members()[static_cast<std::size_t>(bytes) / sizeof(Member)].value = value;
  }

  Value ShallowCopy(const Value& value) {
    Value copy = value.is_array() ? Value::Array() : Value::Object();
    for (const Value& element : value.elements()) copy.Append(element, arena_);
    for (const Member& member : value.members()) {
      copy.SetNew(member.key.text(), member.value, arena_);
    }
    return copy;
  }

  Changed OfMember(const Value& backup, Pruned pruned, const Value* live, const SchemaProps* schema,
                   const PathStep* path, std::size_t depth) {
    const bool was_taken = pruned.is_known ? pruned.value == nullptr : live == nullptr;
    if (was_taken) return Taken(backup, live, schema, path, depth);
    if (live != nullptr) return Left(backup, pruned, *live, schema, path, depth);
    if (HasLost(backup, pruned.value, index_)) Note(result_.kept, path);
    return std::nullopt;
  }

  // Pruning took it as a whole.
  Changed Taken(const Value& backup, const Value* live, const SchemaProps* schema,
                const PathStep* path, std::size_t depth) {
    static const Value kNothing = Value::Object();
    const bool is_whole = options_.fields.Of(path) == Part::kAll;
    if (live == nullptr && is_whole) return Back(backup, path);
    if (!is_whole && !backup.is_object()) {
      if (live == nullptr && backup.is_array()) Note(result_.whole_lists, path);
      return std::nullopt;
    }
    const Value& there = live == nullptr ? kNothing : *live;
    const bool is_default = live != nullptr && IsDefaultOfNobody(*live, schema, path);
    const bool is_free = is_default || live == nullptr || options_.overwrite;
    const bool is_emptied = there.is_object() && there.empty() && !backup.empty();
    if (backup.is_object() && there.is_object() && depth < kDeepest && (is_free || !is_emptied)) {
      return Members(backup, {.is_known = true, .value = nullptr}, there, schema, path, depth);
    }
    if (kube::json::Equal(backup, there)) return std::nullopt;
    if (is_free && is_whole) return Back(backup, path);
    Note(result_.kept, path);
    return std::nullopt;
  }

  // A read shows a default that is not stored.
  bool IsDefaultOfNobody(const Value& live, const SchemaProps* schema, const PathStep* path) {
    return IsDefault(live, schema) && !owners_.HaveSet(path);
  }

  Changed Back(const Value& backup, const PathStep* path) {
    Note(result_.taken, path);
    return backup;
  }

  // Pruning left something of it, or, where that is not known, it is there.
  Changed Left(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
               const PathStep* path, std::size_t depth) {
    if (depth < kDeepest) {
      if (backup.is_object() && live.is_object()) {
        return Members(backup, pruned, live, schema, path, depth);
      }
      if (backup.is_array() && live.is_array()) {
        return OfList(backup, pruned, live, schema, path, depth);
      }
      // A later writer has put something of another kind there.
      if (pruned.is_known && HasLost(backup, pruned.value, index_)) Note(result_.kept, path);
      return std::nullopt;
    }
    if (pruned.is_known && HasLost(backup, pruned.value, index_)) Note(result_.conflicts, path);
    return std::nullopt;
  }

  Changed OfList(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                 const PathStep* path, std::size_t depth) {
    if (pruned.is_known ? !HasLost(backup, pruned.value, index_)
                        : kube::json::Equal(backup, live)) {
      return std::nullopt;
    }
    if (IsAsPruned(backup, pruned, live, schema, index_)) {
      std::vector<std::optional<std::size_t>> matches(backup.size());
      for (std::size_t i = 0; i < matches.size(); ++i) matches[i] = i;
      return Elements(backup, pruned, live, schema, path, depth, matches);
    }
    if (const auto matches = MatchByKeys(backup, live, schema)) {
      return Elements(backup, pruned, live, schema, path, depth, *matches);
    }
    if (live.empty()) {
      if (pruned.is_known) Note(result_.kept, path);
    } else if (pruned.is_known ? !HasAll(backup, pruned, live) : ShowsLoss(backup, live)) {
      Note(result_.conflicts, path);
    }
    return std::nullopt;
  }

  Changed Elements(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                   const PathStep* path, std::size_t depth,
                   const std::vector<std::optional<std::size_t>>& matches) {
    const SchemaProps* of_elements = schema == nullptr ? nullptr : schema->ItemsSchema();
    Changed changed;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const Value& element = backup.elements()[i];
      const PathStep step = PathStep::Index(path, matches[i].value_or(i));
      if (!matches[i]) {
        if (pruned.is_known && HasLost(element, pruned.Element(i).value, index_))
          Note(result_.kept, &step);
        continue;
      }
      const Value& there = live.elements()[*matches[i]];
      const Changed value = Left(element, pruned.Element(i), there, of_elements, &step, depth + 1);
      if (!value) continue;
      if (!changed) changed = ShallowCopy(live);
      changed->elements()[*matches[i]] = *value;
    }
    return changed;
  }

  // Each element that lost something is there as it was, whatever else became of the list.
  bool HasAll(const Value& backup, Pruned pruned, const Value& live) {
    if (backup.size() > kMostCompared || live.size() > kMostCompared) return false;
    std::vector<bool> is_taken(live.size());
    for (std::size_t i = 0; i < backup.elements().size(); ++i) {
      const Value& element = backup.elements()[i];
      if (!HasLost(element, pruned.Element(i).value, index_)) continue;
      std::size_t found = 0;
      while (found < is_taken.size() &&
             (is_taken[found] || !Contains(live.elements()[found], element, index_))) {
        ++found;
      }
      if (found == is_taken.size()) return false;
      is_taken[found] = true;
    }
    return true;
  }

  // Some element looks like what is left of one of the backup.
  bool ShowsLoss(const Value& backup, const Value& live) {
    if (backup.size() > kMostCompared || live.size() > kMostCompared) return true;
    return std::ranges::any_of(live.elements(), [&](const Value& there) {
      const auto is_as_it_was = [&](const Value& element) {
        return Contains(there, element, index_);
      };
      const auto is_its_rest = [&](const Value& element) {
        return !element.empty() && IsAsPruned(element, {}, there, nullptr, index_);
      };
      return std::ranges::none_of(backup.elements(), is_as_it_was) &&
             std::ranges::any_of(backup.elements(), is_its_rest);
    });
  }

  const ThreeForms& forms_;
  const CompareOptions& options_;
  kube::json::Arena& arena_;
  LaterOwners owners_;
  MemberIndex index_;
  Comparison result_;
};

}  // namespace

Comparison Compare(const ThreeForms& forms, const CompareOptions& options,
                   kube::json::Arena& arena) {
  return Comparer(forms, options, arena).Run();
}

bool Contains(const Value& value, const Value& part) {
  MemberIndex index;
  return Contains(value, part, index);
}

}  // namespace migrate::restore
