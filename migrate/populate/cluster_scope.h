#pragma once

#include "migrate/populate/apply_set.h"

namespace migrate::populate {

/// True for kinds of Kubernetes (1.36) whose objects are in no namespace, whatever their version,
/// and for NamespaceTemplates. What else there is only a cluster can tell.
bool IsKnownClusterScoped(const GroupKind& type);

}  // namespace migrate::populate
