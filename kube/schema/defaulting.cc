#include "kube/schema/defaulting.h"

#include <algorithm>
#include <utility>

#include "kube/meta/object_path.h"
#include "kube/schema/coercion.h"
#include "kube/schema/pruning.h"

namespace kube::schema {

namespace {

std::size_t CountValues(const json::Value& value) {
  std::size_t count = 1;
  for (const json::Value& element : value.elements()) count += CountValues(element);
  for (const json::Member& member : value.members()) count += CountValues(member.value);
  return count;
}

class Defaulter {
 public:
  Defaulter(json::Arena& arena, std::vector<std::string>* folded_paths)
      : arena_(arena), folded_paths_(folded_paths) {}

  /// `inside_default`: the value is itself a default that was added, and recorded.
  void SetIn(json::Value& value, const StructuralSchema& schema, const meta::PathStep* at,
             bool inside_default) {
    if (!schema.may_have_defaults_below) return;
    if (value.is_object()) {
      SetInObject(value, schema, at, inside_default);
    } else if (value.is_array() && schema.items) {
      for (json::Value& element : value.elements()) {
        const meta::PathStep step = meta::PathStep::Index(at, 0);
        SetInChild(element, *schema.items, &step, inside_default);
      }
    }
  }

  bool too_many() const { return too_many_; }

 private:
  using Properties = std::vector<const StructuralSchema*>;

  void SetInObject(json::Value& object, const StructuralSchema& schema, const meta::PathStep* at,
                   bool inside_default) {
    Properties present;
    for (json::Member& member : object.members()) {
      const std::string_view name = member.key.text();
      if (const StructuralSchema* property = schema.FindProperty(name)) {
        if (property->default_value) present.push_back(property);
        const meta::PathStep step = meta::PathStep::Field(at, name);
        SetInChild(member.value, *property, &step, inside_default);
      } else if (schema.additional_schema) {
        const meta::PathStep step = meta::PathStep::Key(at, name);
        SetInChild(member.value, *schema.additional_schema, &step, inside_default);
      }
    }
    AddAbsentProperties(object, schema, std::move(present), at, inside_default);
  }

  // A search for each would take minutes where there are very many.
  void AddAbsentProperties(json::Value& object, const StructuralSchema& schema, Properties present,
                           const meta::PathStep* at, bool inside_default) {
    std::ranges::sort(present);
    for (const StructuralSchema::Property& property : schema.properties) {
      if (!property.schema.default_value) continue;
      if (std::ranges::binary_search(present, &property.schema)) continue;
      json::Value* value = object.SetNew(property.name, json::Value(), arena_);
      const meta::PathStep step = meta::PathStep::Field(at, property.name);
      Add(*value, property.schema, &step, inside_default);
    }
  }

  /// A null that may not be one gets the default or, where there is none, stays.
  void SetInChild(json::Value& value, const StructuralSchema& schema, const meta::PathStep* at,
                  bool inside_default) {
    if (value.is_null() && !schema.nullable && schema.default_value) {
      Add(value, schema, at, inside_default);
    } else {
      SetIn(value, schema, at, inside_default);
    }
  }

  void Add(json::Value& value, const StructuralSchema& schema, const meta::PathStep* at,
           bool inside_default) {
    if (too_many_) return;
    added_values_ += CountValues(*schema.default_value);
    too_many_ = added_values_ > kMaxAddedValues;
    if (too_many_) return;
    value = json::DeepCopy(*schema.default_value, arena_);
    if (folded_paths_ && !inside_default) folded_paths_->push_back(meta::PrintFoldedPath(at));
    SetIn(value, schema, at, true);
  }

  json::Arena& arena_;
  std::vector<std::string>* const folded_paths_;
  std::size_t added_values_ = 0;
  bool too_many_ = false;
};

/// Prunes each default in an object that has nothing but the way to it, since what holds for a
/// value depends on where it is: metadata, embedded resources.
class DefaultPruner {
 public:
  DefaultPruner(const StructuralSchema& root, json::Arena& arena) : root_(root), arena_(arena) {}

  /// Both return the server's error, or nothing.
  std::optional<std::string> PruneBelow(StructuralSchema& schema, const meta::PathStep* at) {
    if (auto error = PruneOwn(schema, at)) return error;
    for (auto& property : schema.properties) {
      const meta::PathStep step = meta::PathStep::Field(at, property.name);
      if (auto error = PruneBelow(property.schema, &step)) return error;
    }
    if (schema.items) {
      const meta::PathStep step = meta::PathStep::Index(at, 0);
      if (auto error = PruneBelow(*schema.items, &step)) return error;
    }
    if (schema.additional_schema) {
      const meta::PathStep step = meta::PathStep::Key(at, "*");
      return PruneBelow(*schema.additional_schema, &step);
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> PruneOwn(StructuralSchema& schema, const meta::PathStep* at) {
    if (!schema.default_value) return std::nullopt;
    json::Value object = Surround(*schema.default_value, at);
    if (!object.is_object()) {
      return "failed to prune default value: object root default value must be of object type";
    }
    if (auto error = CoerceEmbedded(object, root_, /*drop_invalid_fields=*/true, arena_,
                                    /*unknown_field_paths=*/nullptr, /*is_resource_root=*/true)) {
      return "failed to prune default value: " + *error;
    }
    DropUnknownFields(object, &root_, /*is_resource_root=*/true);
    const json::Value* pruned = Reach(object, at);
    // A bad kind or a bad field of metadata is gone: then there is no default.
    schema.default_value = pruned ? std::optional(*pruned) : std::nullopt;
    if (schema.default_value && schema.default_value->is_null()) schema.default_value.reset();
    return std::nullopt;
  }

  json::Value Surround(json::Value value, const meta::PathStep* at) {
    for (const meta::PathStep* step = at; step != nullptr; step = step->parent) {
      json::Value parent;
      if (step->kind == meta::PathStep::Kind::kIndex) {
        parent = json::Value::Array();
        parent.Append(value, arena_);
      } else {
        parent = json::Value::Object();
        parent.Set(step->name, value, arena_);
      }
      value = parent;
    }
    return value;
  }

  /// The value at `last`; null pointer where the way to it is gone.
  static const json::Value* Reach(const json::Value& object, const meta::PathStep* last) {
    if (last == nullptr) return &object;
    const json::Value* parent = Reach(object, last->parent);
    if (parent == nullptr) return nullptr;
    if (last->kind != meta::PathStep::Kind::kIndex) return parent->Find(last->name);
    return parent->is_array() && !parent->empty() ? &parent->elements().front() : nullptr;
  }

  const StructuralSchema& root_;
  json::Arena& arena_;
};

}  // namespace

bool SetDefaults(json::Value& object, const StructuralSchema& schema, json::Arena& arena,
                 std::vector<std::string>* folded_paths) {
  Defaulter defaulter(arena, folded_paths);
  defaulter.SetIn(object, schema, nullptr, false);
  return !defaulter.too_many();
}

std::optional<std::string> PruneDefaults(StructuralSchema& schema, json::Arena& arena) {
  return DefaultPruner(schema, arena).PruneBelow(schema, nullptr);
}

bool ReadBySchema(json::Value& object, const StructuralSchema* schema, json::Arena& arena,
                  SchemaReadNotes* notes) {
  DropUnknownFields(object, schema, /*is_resource_root=*/true);
  if (schema == nullptr) return true;
  DropNulls(object, *schema, notes == nullptr ? nullptr : &notes->dropped_nulls);
  return SetDefaults(object, *schema, arena, notes == nullptr ? nullptr : &notes->added_defaults);
}

}  // namespace kube::schema
