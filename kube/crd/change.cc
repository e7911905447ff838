#include "kube/crd/change.h"

#include <iterator>

namespace kube::crd {
namespace {

constexpr auto kKeywordNames = schema::OfEachKeyword([](const auto& keyword) {
  return keyword.change.told_as.empty() ? keyword.name : keyword.change.told_as;
});

// Of the others, in the order of ChangeKind.
constexpr std::string_view kOtherNames[] = {
    "fieldRemoved",
    "fieldAdded",
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
};
static_assert(schema::kKeywordCount + std::size(kOtherNames) ==
              static_cast<std::size_t>(ChangeKind::kScaleSubresource) + 1);

}  // namespace

std::string_view NameOf(ChangeKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < schema::kKeywordCount ? kKeywordNames[number]
                                        : kOtherNames[number - schema::kKeywordCount];
}

}  // namespace kube::crd
