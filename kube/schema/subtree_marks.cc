#include "kube/schema/subtree_marks.h"

namespace kube::schema {
namespace {

void MarkChild(StructuralSchema& parent, StructuralSchema& child) {
  MarkSubtrees(child);
  parent.may_have_defaults_below |=
      child.default_value.has_value() || child.may_have_defaults_below;
  parent.may_have_embedded |= child.may_have_embedded;
}

}  // namespace

void MarkSubtrees(StructuralSchema& schema) {
  schema.may_have_defaults_below = false;
  schema.may_have_embedded = schema.embedded_resource;
  for (auto& property : schema.properties) MarkChild(schema, property.schema);
  if (schema.items) MarkChild(schema, *schema.items);
  if (schema.additional_schema) MarkChild(schema, *schema.additional_schema);
}

}  // namespace kube::schema
