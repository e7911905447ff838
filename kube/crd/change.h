#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube::crd {

/// What of a CRD differs from the one that it would replace.
enum class ChangeKind : std::uint8_t {
  // Of the whole CRD, or of a version of it.
  kScope,
  kGroup,
  kKind,
  kPlural,
  kSingular,
  kListKind,
  kShortNames,
  kConversionStrategy,
  kConversionWebhook,
  kConversionReviewVersions,
  kVersionRemoved,
  kVersionNotServed,
  kStorageVersion,
  kStoredVersionMissing,
  kStatusSubresource,
  kScaleSubresource,
  // Of a field; that of preserving unknown fields of the whole CRD, too.
  kPreserveUnknownFields,
  kFieldRemoved,
  kFieldAdded,
  kType,
  kEnum,
  kRequired,
  kDefault,
  kMinimum,
  kMaximum,
  kMultipleOf,
  kMinLength,
  kMaxLength,
  kMinItems,
  kMaxItems,
  kMinProperties,
  kMaxProperties,
  kUniqueItems,
  kPattern,
  kFormat,
  kNullable,
  kListType,
  kListMapKeys,
  kMapType,
  kEmbeddedResource,
  kAdditionalProperties,
  kValidations,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
};

/// As reports have it: "fieldRemoved".
std::string_view NameOf(ChangeKind kind);

/// A difference between two CRDs. Texts of values are for people: of long ones the beginning.
struct Change {
  std::string version{};  ///< empty where the whole CRD is meant
  /// The field, indices as [*] and keys of maps as .*; empty for the whole object.
  std::string path{};
  ChangeKind kind{};
  std::string from{}, to{};  ///< empty: it was not there, or is not any more
  /// By the schemas alone somebody may be broken: a client, or an object that was fine.
  bool breaking = false;

  bool operator==(const Change&) const = default;
};

}  // namespace kube::crd
