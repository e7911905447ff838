#include "migrate/crd_guard.h"

#include "kube/schema/go_format.h"
#include "migrate/crd_request.h"

namespace migrate {
namespace {

using kube::schema::GoQuote;

std::string StorageVersionOf(const kube::Crd& crd) {
  const kube::CrdVersion* storage = crd.StorageVersion();
  return storage == nullptr ? "" : storage->name;
}

}  // namespace

CrdShape ShapeOf(const kube::Crd& crd) {
  return {.uid = crd.uid,
          .generation = crd.generation,
          .preserves_unknown_fields = crd.preserve_unknown_fields,
          .storage_version = StorageVersionOf(crd)};
}

std::optional<std::string> FindChange(const CrdShape& expected, const kube::Crd& crd) {
  if (crd.uid != expected.uid) {
    return "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  // Deletion moves the generation too.
  if (crd.terminating) return "the CustomResourceDefinition is being deleted";
  const CrdShape now = ShapeOf(crd);
  if (now.preserves_unknown_fields != expected.preserves_unknown_fields) {
    return std::string("spec.preserveUnknownFields was turned ") +
           (now.preserves_unknown_fields ? "on" : "off") + " meanwhile";
  }
  if (now.storage_version != expected.storage_version) {
    return "the storage version was changed from " + GoQuote(expected.storage_version) + " to " +
           GoQuote(now.storage_version) + " meanwhile";
  }
  if (now.generation != expected.generation) {
    return "the CustomResourceDefinition was changed meanwhile (generation " +
           std::to_string(expected.generation) + " became " + std::to_string(now.generation) + ")";
  }
  return std::nullopt;
}

std::optional<std::string> CrdGuard::FindChange() const {
  const auto crd = GetCrd(client_, target_);
  if (crd) return migrate::FindChange(expected_, *crd);
  if (!crd.error().status || !crd.error().status->IsNotFound()) return std::nullopt;
  return "the CustomResourceDefinition was deleted";
}

}  // namespace migrate
