#include "kube/schema/coercion.h"

#include <algorithm>
#include <string_view>

#include "kube/go/go_format.h"
#include "kube/meta/field_error.h"
#include "kube/meta/object_path.h"
#include "kube/schema/object_meta.h"
#include "kube/schema/pruning.h"

namespace kube::schema {
namespace {

class NullDropper {
 public:
  explicit NullDropper(std::vector<std::string>* folded_paths) : folded_paths_(folded_paths) {}

  void Drop(json::Value& value, const StructuralSchema& schema, const meta::PathStep* at) {
    if (value.is_object()) {
      DropInObject(value, schema, at);
    } else if (value.is_array() && schema.items) {
      for (json::Value& element : value.elements()) {
        const meta::PathStep step = meta::PathStep::Index(at, 0);
        Drop(element, *schema.items, &step);
      }
    }
  }

 private:
  void DropInObject(json::Value& object, const StructuralSchema& schema, const meta::PathStep* at) {
    const std::span<json::Member> members = object.members();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (DropMember(members[i], schema, at)) continue;
      if (kept != i) members[kept] = members[i];
      ++kept;
    }
    if (kept != members.size()) object.Truncate(kept);
  }

  bool DropMember(json::Member& member, const StructuralSchema& schema, const meta::PathStep* at) {
    const std::string_view name = member.key.text();
    const StructuralSchema* property = schema.FindProperty(name);
    const StructuralSchema* child = property ? property : schema.additional_schema.get();
    if (child == nullptr) return false;
    const meta::PathStep step =
        property ? meta::PathStep::Field(at, name) : meta::PathStep::Key(at, name);
    if (!member.value.is_null()) {
      Drop(member.value, *child, &step);
      return false;
    }
    if (child->nullable || child->default_value) return false;
    if (folded_paths_) folded_paths_->push_back(meta::PrintFoldedPath(&step));
    return true;
  }

  std::vector<std::string>* const folded_paths_;
};

/// A bad value as field.Error prints it: plain %v for numbers and booleans, JSON for the rest.
std::string PrintBadValue(const json::Value& value) {
  if (value.is_string()) return go::GoQuote(value.text());
  if (value.is_number() && !json::AsInt64(value)) {
    if (const auto number = json::AsDouble(value)) return json::FormatFloatG(*number);
  }
  return json::Print(value);
}

std::string InvalidValue(const meta::PathStep* at, std::string_view name, const json::Value& value,
                         std::string detail) {
  const meta::PathStep step = meta::PathStep::Field(at, name);
  return meta::FieldError{meta::ErrorType::kInvalid, meta::PrintPath(&step), PrintBadValue(value),
                          std::move(detail)}
      .ToString();
}

class Coercer {
 public:
  Coercer(bool drop_invalid_fields, json::Arena& arena, std::vector<std::string>* paths)
      : drop_invalid_fields_(drop_invalid_fields), arena_(arena), unknown_field_paths_(paths) {}

  /// All return the server's error, or nothing. `embedded` says what an object is; the elements of
  /// a list are what their schema says.
  std::optional<std::string> CoerceRoot(json::Value& value, const StructuralSchema& schema,
                                        bool embedded) {
    if (value.is_object()) return CoerceObject(value, schema, embedded, nullptr);
    return Coerce(value, schema, nullptr);
  }

  std::optional<std::string> CoerceObject(json::Value& object, const StructuralSchema& schema,
                                          bool embedded, const meta::PathStep* at) {
    for (std::size_t i = 0; i < object.size();) {
      json::Member& member = object.members()[i];
      if (embedded && IsTypeMeta(member) && !member.value.is_string()) {
        if (!drop_invalid_fields_) {
          return InvalidValue(at, member.key.text(), member.value, "must be a string");
        }
        object.Erase(member.key.text());
        continue;
      }
      if (auto error = CoerceMember(object, member, schema, embedded, at)) return error;
      ++i;
    }
    return std::nullopt;
  }

 private:
  static bool IsTypeMeta(const json::Member& member) {
    return member.key.text() == "apiVersion" || member.key.text() == "kind";
  }

  std::optional<std::string> CoerceMember(json::Value& object, json::Member& member,
                                          const StructuralSchema& schema, bool embedded,
                                          const meta::PathStep* at) {
    // The schema of metadata in an embedded resource is applied to what was there before the round
    // trip, as in Go; it changes nothing any more, but its errors count.
    json::Value before = member.value;
    json::Value* value = &member.value;
    if (embedded && member.key.text() == "metadata") {
      if (auto error = CoerceMetadata(object, member, at)) return error;
      value = &before;
    }
    const std::string_view name = member.key.text();
    if (const StructuralSchema* property = schema.FindProperty(name)) {
      const meta::PathStep step = meta::PathStep::Field(at, name);
      return Coerce(*value, *property, &step);
    }
    if (!schema.additional_schema) return std::nullopt;
    const meta::PathStep step = meta::PathStep::Key(at, name);
    return Coerce(*value, *schema.additional_schema, &step);
  }

  std::optional<std::string> Coerce(json::Value& value, const StructuralSchema& schema,
                                    const meta::PathStep* at) {
    if (!schema.may_have_embedded) return std::nullopt;
    if (value.is_object()) return CoerceObject(value, schema, schema.embedded_resource, at);
    if (!schema.items) return std::nullopt;
    std::size_t index = 0;
    for (json::Value& element : value.elements()) {
      const meta::PathStep step = meta::PathStep::Index(at, index++);
      if (auto error = Coerce(element, *schema.items, &step)) return error;
    }
    return std::nullopt;
  }

  std::optional<std::string> CoerceMetadata(const json::Value& object, json::Member& member,
                                            const meta::PathStep* at) {
    auto meta = GetObjectMeta(object, drop_invalid_fields_, arena_);
    if (!meta) {
      // A read passes over metadata that is no object at all.
      if (drop_invalid_fields_) return std::nullopt;
      return InvalidValue(at, "metadata", member.value, meta.error());
    }
    if (!*meta) return std::nullopt;
    RecordUnknownFields((*meta)->unknown_field_paths, at);
    member.value = (*meta)->metadata;
    return std::nullopt;
  }

  void RecordUnknownFields(const std::vector<std::string>& paths, const meta::PathStep* at) {
    if (!unknown_field_paths_) return;
    for (const std::string& path : paths) {
      const meta::PathStep step = meta::PathStep::Field(at, path);
      unknown_field_paths_->push_back(meta::PrintPath(&step));
    }
  }

  const bool drop_invalid_fields_;
  json::Arena& arena_;
  std::vector<std::string>* const unknown_field_paths_;
};

}  // namespace

void DropNulls(json::Value& object, const StructuralSchema& schema,
               std::vector<std::string>* folded_paths) {
  NullDropper(folded_paths).Drop(object, schema, nullptr);
}

std::optional<std::string> CoerceEmbedded(json::Value& value, const StructuralSchema& schema,
                                          bool drop_invalid_fields, json::Arena& arena,
                                          std::vector<std::string>* unknown_field_paths,
                                          bool is_resource_root) {
  if (!schema.may_have_embedded && !is_resource_root) return std::nullopt;
  std::vector<std::string> paths;
  Coercer coercer(drop_invalid_fields, arena, unknown_field_paths ? &paths : nullptr);
  auto error = coercer.CoerceRoot(value, schema, schema.embedded_resource || is_resource_root);
  if (paths.empty()) return error;
  std::sort(paths.begin(), paths.end());
  unknown_field_paths->insert(unknown_field_paths->end(), paths.begin(), paths.end());
  return error;
}

void DropLostFields(json::Value& object, const StructuralSchema* schema, json::Arena& arena) {
  DropUnknownFields(object, schema, /*is_resource_root=*/true);
  // Metadata that is no object stays in the way of everything: that is found by itself.
  if (schema != nullptr) (void)CoerceEmbedded(object, *schema, /*drop_invalid_fields=*/true, arena);
}

}  // namespace kube::schema
