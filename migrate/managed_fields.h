#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"

/// Who wrote what, from metadata.managedFields.
namespace migrate {

struct FieldOwners {
  std::vector<std::string_view> managers;  ///< sorted, each once; views into the object
  std::string_view last_written;           ///< the newest `time` of their entries; may be empty
};

/// The managers whose entries own the field at `elements` of `object` or, where none does, its
/// nearest owned ancestor (lists are often owned as one). Empty without managedFields.
FieldOwners FindOwners(const kube::json::Value& object,
                       std::span<const kube::schema::PathElement> elements);

/// A field that managedFields own but the object lacks.
struct LackingField {
  std::string path;          ///< indices as [*], keys of maps as .*, without a leading dot
  std::string_view manager;  ///< view into the object
};

/// Fields that some entry of managedFields owns and `object` does not have: where the CRD prunes
/// they may still be in etcd. Tops only; sorted by path, then manager; each once. What is a map is
/// told by `schema`, which may be the null pointer. Of one entry no more than 1 MiB of paths.
std::vector<LackingField> FindLackingFields(const kube::json::Value& object,
                                            const kube::schema::StructuralSchema* schema);

}  // namespace migrate
