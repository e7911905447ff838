#pragma once

#include <memory>
#include <string>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "tests/support/fake_api.h"

namespace test_support {

/// What etcd holds of a CRD after a merge patch of its spec.preserveUnknownFields, or with
/// `is_status` of its status.storedVersions, sent to `version` of apiextensions.k8s.io; other
/// fields of the spec or status are taken as they are. The generation moves with the spec.
///
/// Guarded by metadata.resourceVersion where the patch has one. The error is the server's answer:
/// a conflict, or v1's refusal to turn pruning off.
kube::base::Result<std::shared_ptr<kube::json::Document>, FakeAnswer> PatchFakeCrd(
    const kube::json::Value& stored, const kube::json::Value& patch, const std::string& version,
    bool is_status);

/// A SelfSubjectAccessReview, answered.
std::string AnswerReview(const kube::json::Value& review, bool is_allowed);

/// "verb resource.group/subresource" of a review, as FakeApi::Deny takes it.
std::string DeniedKey(const kube::json::Value& review);

}  // namespace test_support
