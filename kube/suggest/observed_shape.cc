#include "kube/suggest/observed_shape.h"

#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/object_meta.h"
#include "kube/schema/structural.h"

namespace kube::suggest {
namespace {

using json::Value;

constexpr std::size_t kMostDepth = 100;      // schemas of real CRDs have less
constexpr std::size_t kMostPlaces = 50'000;  // of one thread: some 10 MiB
constexpr std::size_t kKeptDepth = 2;        // what is in spec and status is kept beyond that

unsigned TypeOf(const Value& value) {
  switch (value.type()) {
    case json::Type::kNull:
      return kNull;
    case json::Type::kBool:
      return kBoolean;
    case json::Type::kString:
      return kString;
    case json::Type::kArray:
      return kArray;
    case json::Type::kObject:
      return kObject;
    case json::Type::kNumber:
      break;
  }
  const auto stored = json::StoredNumber(value.text());
  const bool is_integer = stored && json::AsInt64(Value::Number(*stored)).has_value();
  return is_integer ? kInteger : kNumber;
}

bool HasTypeMeta(const Value& value) {
  return value.Find("apiVersion", json::Type::kString) != nullptr &&
         value.Find("kind", json::Type::kString) != nullptr &&
         value.Find("metadata", json::Type::kObject) != nullptr;
}

// The server drops unknown fields of embedded metadata, and refuses what no resource can be.
bool IsEmbeddable(const Value& value) {
  json::Arena arena;
  const auto metadata = schema::GetObjectMeta(value, /*drop_invalid_fields=*/false, arena);
  if (!metadata || !*metadata || !(*metadata)->unknown_field_paths.empty()) return false;
  schema::StructuralSchema any;
  any.embedded_resource = true;
  any.preserve_unknown_fields = true;
  return schema::ValidateEmbeddedResources(value, any, "").empty();
}

/// Adds one object to a shape.
class ShapeWalk {
 public:
  ShapeWalk(std::uint64_t object, std::size_t& places) : object_(object), places_(places) {}

  void Take(const Value& value, ObservedShape& shape, std::size_t depth) {
    if (shape.last_object != object_) ++shape.objects;
    shape.last_object = object_;
    ++shape.values;
    shape.types |= TypeOf(value);
    if (value.empty()) {
      if (value.is_object()) shape.are_resources = shape.are_embeddable = false;
      return;
    }
    if (depth == kMostDepth) {
      shape.is_cut = true;
      return;
    }
    if (value.is_object()) TakeMembers(value, shape, depth + 1);
    for (const Value& element : value.elements()) TakeAt(element, shape.elements, shape, depth + 1);
  }

 private:
  void TakeMembers(const Value& object, ObservedShape& shape, std::size_t depth) {
    shape.are_resources &= HasTypeMeta(object);
    if (shape.are_embeddable) {
      shape.are_embeddable = shape.are_resources && depth > 1 && IsEmbeddable(object);
    }
    for (const json::Member& member : object.members()) {
      const std::string_view name = member.key.text();
      const auto found = shape.fields.find(name);
      if (found != shape.fields.end()) {
        Take(member.value, *found->second, depth);
      } else if (shape.fields.size() >= kMostKeys) {
        TakeAt(member.value, shape.other_values, shape, depth);
      } else if (MayBeNew(depth)) {
        TakeAt(member.value, shape.fields[std::string(name)], shape, depth);
      } else {
        shape.is_cut = true;
      }
    }
  }

  bool MayBeNew(std::size_t depth) const { return places_ < kMostPlaces || depth <= kKeptDepth; }

  // A place that is known counts on, whatever the number of all.
  void TakeAt(const Value& value, std::unique_ptr<ObservedShape>& at, ObservedShape& holder,
              std::size_t depth) {
    if (at == nullptr) {
      if (!MayBeNew(depth)) {
        holder.is_cut = true;
        return;
      }
      at = std::make_unique<ObservedShape>();
      ++places_;
    }
    Take(value, *at, depth);
  }

  std::uint64_t object_;
  std::size_t& places_;
};

void MergeAt(std::unique_ptr<ObservedShape>& into, const ObservedShape& from) {
  if (into == nullptr) into = std::make_unique<ObservedShape>();
  MergeShape(*into, from);
}

}  // namespace

const ObservedShape* ObservedShape::Field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : found->second.get();
}

void MergeShape(ObservedShape& into, const ObservedShape& from) {
  into.objects += from.objects;
  into.values += from.values;
  into.types |= from.types;
  into.are_resources &= from.are_resources;
  into.are_embeddable &= from.are_embeddable;
  into.is_cut |= from.is_cut;
  for (const auto& [name, shape] : from.fields) {
    const bool is_kept = into.fields.contains(name) || into.fields.size() < kMostKeys;
    MergeAt(is_kept ? into.fields[name] : into.other_values, *shape);
  }
  if (from.elements != nullptr) MergeAt(into.elements, *from.elements);
  if (from.other_values != nullptr) MergeAt(into.other_values, *from.other_values);
}

void Observations::Add(const json::Value& object) {
  ShapeWalk(root_.objects + 1, places_).Take(object, root_, 0);
}

void Observations::Merge(Observations&& other) {
  MergeShape(root_, other.root_);
  places_ += other.places_;
}

}  // namespace kube::suggest
