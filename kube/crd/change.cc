#include "kube/crd/change.h"

#include <iterator>

namespace kube::crd {
namespace {

// In the order of ChangeKind.
constexpr std::string_view kChangeNames[] = {
    "scope",
    "group",
    "kind",
    "plural",
    "singular",
    "listKind",
    "shortNames",
    "conversionStrategy",
    "conversionWebhook",
    "conversionReviewVersions",
    "versionRemoved",
    "versionNotServed",
    "storageVersion",
    "storedVersionMissing",
    "statusSubresource",
    "scaleSubresource",
    "preserveUnknownFields",
    "fieldRemoved",
    "fieldAdded",
    "type",
    "enum",
    "required",
    "default",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "pattern",
    "format",
    "nullable",
    "listType",
    "listMapKeys",
    "mapType",
    "embeddedResource",
    "additionalProperties",
    "validations",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
};
static_assert(std::size(kChangeNames) == static_cast<std::size_t>(ChangeKind::kNot) + 1);

}  // namespace

std::string_view NameOf(ChangeKind kind) { return kChangeNames[static_cast<std::size_t>(kind)]; }

}  // namespace kube::crd
