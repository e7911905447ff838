#include "kube/schema/pruning.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/meta/object_path.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta.h"

namespace kube::schema {
namespace {

// The way from the root to a value, as a chain of steps on the stack. It becomes text only where a
// field is unknown, which is rare.
struct PruningStep {
  enum class Kind { kRoot, kField, kMapKey, kIndex };

  const PruningStep* parent = nullptr;
  Kind kind = Kind::kRoot;
  std::string_view name = {};
  std::size_t index = 0;

  void AppendFolded(std::string& path) const {
    if (kind == Kind::kRoot) return;
    parent->AppendFolded(path);
    if (kind == Kind::kIndex) {
      path += "[*]";
    } else if (kind == Kind::kMapKey) {
      meta::AppendPathOfKeys(path);
    } else {
      meta::AppendPathName(path, name);
    }
  }
};

// The server removes these at the top of an object that is no resource without recording them.
bool IsUnrecorded(std::string_view key, const PruningStep& parent) {
  return parent.kind == PruningStep::Kind::kRoot && meta::IsTypeMetaOrMetadata(key);
}

bool HasChildren(const json::Value& value) { return value.is_object() || value.is_array(); }

// Walks an object beside its schema. The caller's values are changed where something is to be
// removed, and only there.
class Walker {
 public:
  enum class Task { kFind, kFindWithEmbedded, kRemove };

  /// Without a sink nobody is told.
  Walker(UnknownFieldSink* sink, Task task) : sink_(sink), task_(task) {}

  void WalkRoot(json::Value& object, const StructuralSchema* schema, bool is_resource_root) {
    const PruningStep root;
    const bool keeps_meta = is_resource_root || (schema != nullptr && schema->embedded_resource);
    if (schema != nullptr && schema->preserve_unknown_fields) {
      Skip(object, *schema, keeps_meta, root);
    } else {
      Prune(object, schema, keeps_meta, root);
    }
  }

 private:
  bool removes() const { return task_ == Task::kRemove; }

  // prune() of pkg/apiserver/schema/pruning/algorithm.go: what the schema does not specify goes.
  void Walk(json::Value& value, const StructuralSchema* schema, const PruningStep& here) {
    if (schema != nullptr && schema->preserve_unknown_fields) {
      Skip(value, *schema, schema->embedded_resource, here);
    } else {
      Prune(value, schema, schema != nullptr && schema->embedded_resource, here);
    }
  }

  void Prune(json::Value& value, const StructuralSchema* schema, bool keeps_meta,
             const PruningStep& here) {
    if (value.is_array()) {
      const StructuralSchema* items = schema == nullptr ? nullptr : schema->items.get();
      std::size_t i = 0;
      for (json::Value& element : value.elements()) {
        Walk(element, items, {&here, PruningStep::Kind::kIndex, {}, i++});
      }
    } else if (value.is_object()) {
      PruneObject(value, schema, keeps_meta, here);
    }
  }

  void PruneObject(json::Value& object, const StructuralSchema* schema, bool keeps_meta,
                   const PruningStep& here) {
    std::size_t kept = 0, likely = 0;
    const std::span<json::Member> members = object.members();
    for (json::Member& member : members) {
      if (WalkMember(member, schema, likely, keeps_meta, here)) {
        if (removes() && &members[kept] != &member) members[kept] = member;
        ++kept;
      } else if (schema == nullptr || !IsUnrecorded(member.key.text(), here)) {
        ReportUnknown(member, here);
      }
    }
    if (removes()) object.Truncate(kept);
  }

  // False if the member is not specified. `likely`: as FindProperty has it.
  bool WalkMember(json::Member& member, const StructuralSchema* schema, std::size_t& likely,
                  bool keeps_meta, const PruningStep& here) {
    const std::string_view key = member.key.text();
    if (keeps_meta && meta::IsTypeMetaOrMetadata(key)) {
      if (task_ == Task::kFindWithEmbedded) FindDropped(member, here);
      return true;
    }
    if (schema == nullptr) return false;
    if (const StructuralSchema* property = schema->FindProperty(key, likely)) {
      if (HasChildren(member.value)) {
        Walk(member.value, property, {&here, PruningStep::Kind::kField, key, 0});
      }
      return true;
    }
    if (!schema->has_additional_properties) return false;
    if (!HasChildren(member.value)) return true;
    // additionalProperties: true keeps the key, but specifies nothing below it.
    Walk(member.value, schema->additional_schema.get(),
         {&here, PruningStep::Kind::kMapKey, key, 0});
    return true;
  }

  // skipPrune() of the same file: what is not specified stays, but pruning starts again below what
  // is. Elements of an array are kept like the array itself.
  void Skip(json::Value& value, const StructuralSchema& schema, bool keeps_meta,
            const PruningStep& here) {
    std::size_t likely = 0;
    for (json::Member& member : value.members()) {
      WalkMember(member, &schema, likely, keeps_meta, here);
    }
    if (schema.items == nullptr) return;
    std::size_t i = 0;
    for (json::Value& element : value.elements()) {
      Skip(element, *schema.items, schema.items->embedded_resource,
           {&here, PruningStep::Kind::kIndex, {}, i++});
    }
  }

  // Pruning keeps what identifies an embedded resource; coercion looks at it afterwards.
  void FindDropped(const json::Member& member, const PruningStep& here) {
    if (here.kind == PruningStep::Kind::kRoot) return;
    if (member.key.text() != "metadata") {
      if (!member.value.is_string() && !member.value.is_null()) ReportUnknown(member, here);
      return;
    }
    for (const DroppedMetadata& dropped : FindDroppedMetadata(member.value)) {
      std::vector<PruningStep> steps{{&here, PruningStep::Kind::kField, member.key.text(), 0}};
      steps.reserve(dropped.way.size() + 1);  // they do not move
      for (const PathElement& element : dropped.way) {
        const auto kind = element.is_index ? PruningStep::Kind::kIndex : PruningStep::Kind::kField;
        steps.push_back({&steps.back(), kind, element.key, element.index});
      }
      Report(steps.back(), *dropped.value);
    }
  }

  void ReportUnknown(const json::Member& member, const PruningStep& here) {
    Report({&here, PruningStep::Kind::kField, member.key.text(), 0}, member.value);
  }

  void Report(const PruningStep& step, const json::Value& value) {
    if (sink_ == nullptr) return;
    folded_path_.clear();
    step.AppendFolded(folded_path_);
    elements_.clear();
    AppendElements(step);
    sink_->OnUnknownField({folded_path_, elements_, value});
  }

  void AppendElements(const PruningStep& step) {
    if (step.kind == PruningStep::Kind::kRoot) return;
    AppendElements(*step.parent);
    elements_.push_back({step.name, step.index, step.kind == PruningStep::Kind::kIndex});
  }

  UnknownFieldSink* sink_;
  const Task task_;
  std::string folded_path_;  // kept for its memory, as is the next
  std::vector<PathElement> elements_;
};

class PathCollector : public UnknownFieldSink {
 public:
  void OnUnknownField(const UnknownField& field) override { paths.push_back(field.Path()); }
  std::vector<std::string> paths;
};

}  // namespace

std::string UnknownField::Path() const {
  std::string path;
  for (const PathElement& element : elements) {
    if (element.is_index) {
      path += "[" + std::to_string(element.index) + "]";
    } else {
      if (&element != &elements.front()) path += '.';
      path += element.key;
    }
  }
  return path;
}

std::string UnknownField::QuotedPath() const {
  std::string path;
  for (const PathElement& element : elements) {
    if (element.is_index) {
      path += "[" + std::to_string(element.index) + "]";
    } else {
      meta::AppendPathName(path, element.key);
    }
  }
  return path;
}

std::vector<meta::PathStep> UnknownField::Steps() const {
  std::vector<meta::PathStep> steps;
  steps.reserve(elements.size());  // they do not move
  for (const PathElement& element : elements) {
    const meta::PathStep* parent = steps.empty() ? nullptr : &steps.back();
    steps.push_back(element.is_index ? meta::PathStep::Index(parent, element.index)
                                     : meta::PathStep::Key(parent, element.key));
  }
  return steps;
}

std::vector<std::string> Prune(json::Value& object, const StructuralSchema* schema,
                               bool is_resource_root) {
  PathCollector collector;
  Walker(&collector, Walker::Task::kRemove).WalkRoot(object, schema, is_resource_root);
  std::sort(collector.paths.begin(), collector.paths.end());
  return collector.paths;
}

void DropUnknownFields(json::Value& object, const StructuralSchema* schema, bool is_resource_root) {
  Walker(nullptr, Walker::Task::kRemove).WalkRoot(object, schema, is_resource_root);
}

void FindUnknownFields(const json::Value& object, const StructuralSchema* schema,
                       bool is_resource_root, UnknownFieldSink& sink) {
  // The walker changes nothing where it only finds.
  Walker(&sink, Walker::Task::kFind)
      .WalkRoot(const_cast<json::Value&>(object), schema, is_resource_root);
}

void FindLostFields(const json::Value& object, const StructuralSchema* schema,
                    UnknownFieldSink& sink) {
  Walker(&sink, Walker::Task::kFindWithEmbedded)
      .WalkRoot(const_cast<json::Value&>(object), schema, /*is_resource_root=*/true);
}

bool KeepsPath(const StructuralSchema& root, std::string_view path) {
  const StructuralSchema* schema = &root;
  while (schema != nullptr && !schema->preserve_unknown_fields && !path.empty()) {
    if (path.starts_with("[*]")) {
      path.remove_prefix(3);
      schema = schema->items.get();
      continue;
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(name.size());
    if (name.empty()) return false;
    const StructuralSchema* property = schema->FindProperty(name);
    schema = property == nullptr ? schema->additional_schema.get() : property;
  }
  return schema != nullptr;
}

namespace {

using json::Value;

bool SaysNothing(const Value& value) {
  if (value.is_string()) return value.text().empty();
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_null() || (value.is_number() && json::AsInt64(value) == 0);
}

// What is there before and not afterwards. Below the fields of ObjectMeta and of the elements of
// its two lists everything stays as it is, or goes with its field.
class MetadataComparison {
 public:
  void Compare(const Value& before, const Value& after, std::string_view list = {}) {
    if (!before.is_object() || !after.is_object()) return;
    for (const json::Member& member : before.members()) {
      const std::string_view name = member.key.text();
      way_.push_back({name, 0, false});
      if (const Value* kept = after.Find(name)) {
        if (list.empty()) CompareElements(name, member.value, *kept);
      } else if (!SaysNothing(member.value) || !IsObjectMetaField(name, list)) {
        dropped.push_back({way_, &member.value});
      }
      way_.pop_back();
    }
  }
  std::vector<DroppedMetadata> dropped;

 private:
  void CompareElements(std::string_view name, const Value& before, const Value& after) {
    if (name != "ownerReferences" && name != "managedFields") return;
    if (!before.is_array() || !after.is_array() || before.size() != after.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      way_.push_back({{}, i, true});
      Compare(before.elements()[i], after.elements()[i], name);
      way_.pop_back();
    }
  }

  std::vector<PathElement> way_;
};

}  // namespace

std::vector<DroppedMetadata> FindDroppedMetadata(const Value& metadata) {
  json::Arena arena;
  Value holder = Value::Object();
  holder.Set("metadata", metadata, arena);
  const auto read = GetObjectMeta(holder, /*drop_invalid_fields=*/true, arena);
  if (!read || !*read) return {};
  MetadataComparison comparison;
  comparison.Compare(metadata, (*read)->metadata);
  return std::move(comparison.dropped);
}

}  // namespace kube::schema
