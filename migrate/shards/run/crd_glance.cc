#include "migrate/shards/run/crd_glance.h"

#include "kube/json/json.h"
#include "migrate/crds/crd_request.h"
#include "migrate/crds/crd_shape.h"

namespace migrate::shards::run {

// status may change without it, which nobody looks at here.
bool CrdGlance::IsAsSeen() {
  if (!seen_) return false;
  const auto crd = crds::GetCrdMetadata(client_, target_);
  if (!crd) return false;
  const kube::json::Value* metadata = (*crd)->root().Find("metadata");
  if (metadata == nullptr || metadata->FindText("uid") != seen_->uid) return false;
  const kube::json::Value* generation = metadata->Find("generation", kube::json::Type::kNumber);
  return generation != nullptr && kube::json::AsInt64(*generation) == seen_->generation;
}

kube::base::Result<SeenCrd, std::string> CrdGlance::Look() {
  if (IsAsSeen()) return *seen_;
  const auto crd = crds::GetCrd(client_, target_);
  if (!crd) return kube::base::Unexpected(crd.error().message);
  const crds::CrdShape shape = crds::ShapeOf(*crd);
  seen_ = {.uid = shape.uid,
           .generation = shape.generation,
           .preserves_unknown_fields = shape.preserves_unknown_fields,
           .storage_version = shape.storage_version,
           .stored_versions = crd->stored_versions};
  return *seen_;
}

}  // namespace migrate::shards::run
