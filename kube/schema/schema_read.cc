#include "kube/schema/schema_read.h"

#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/pruning.h"

namespace kube::schema {

bool ReadBySchema(json::Value& object, const StructuralSchema* schema, json::Arena& arena,
                  SchemaReadNotes* notes) {
  DropUnknownFields(object, schema, /*is_resource_root=*/true);
  if (schema == nullptr) return true;
  DropNulls(object, *schema, notes == nullptr ? nullptr : &notes->dropped_nulls);
  return SetDefaults(object, *schema, arena, notes == nullptr ? nullptr : &notes->added_defaults);
}

}  // namespace kube::schema
