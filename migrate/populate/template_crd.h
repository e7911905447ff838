#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/field_error.h"

namespace migrate::populate {

/// The CRD of NamespaceTemplates as JSON: krew/manifests/populate/crd.yaml without its
/// descriptions.
extern const std::string_view kTemplateCrd;

/// Makes of a NamespaceTemplate what an API server with that CRD makes of it on a request: what the
/// schema does not specify is gone. Returns the paths of that, e.g. "spec.owner". The error is the
/// server's, of a request that it cannot decode. `object` borrows from itself and from `arena`.
kube::base::Result<std::vector<std::string>, std::string> ReadBySchema(kube::json::Value& object,
                                                                       kube::json::Arena& arena);

/// Why the API server refuses to create `object`, which was read by the schema, as far as the
/// schema says, in its words. Sorted bytewise; empty: it takes it.
std::vector<kube::meta::FieldError> ErrorsBySchema(const kube::json::Value& object);

}  // namespace migrate::populate
