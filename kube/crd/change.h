#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/schema/keywords.h"

namespace kube::crd {

/// What of a CRD differs from the one that it would replace.
enum class ChangeKind : std::uint8_t {
  // Of a keyword: the number of its row in schema::kKeywords. These have code of their own.
  kType = schema::KeywordNumber("type"),
  kNullable = schema::KeywordNumber("nullable"),
  kFormat = schema::KeywordNumber("format"),
  kDefault = schema::KeywordNumber("default"),
  kMaximum = schema::KeywordNumber("maximum"),
  kMinimum = schema::KeywordNumber("minimum"),
  kMultipleOf = schema::KeywordNumber("multipleOf"),
  kEnum = schema::KeywordNumber("enum"),
  kRequired = schema::KeywordNumber("required"),
  kAllOf = schema::KeywordNumber("allOf"),
  kOneOf = schema::KeywordNumber("oneOf"),
  kAnyOf = schema::KeywordNumber("anyOf"),
  kNot = schema::KeywordNumber("not"),
  kAdditionalProperties = schema::KeywordNumber("additionalProperties"),
  kPreserveUnknownFields =  // also of the whole CRD
  schema::KeywordNumber("x-kubernetes-preserve-unknown-fields"),
  kEmbeddedResource = schema::KeywordNumber("x-kubernetes-embedded-resource"),
  kListMapKeys = schema::KeywordNumber("x-kubernetes-list-map-keys"),
  kListType = schema::KeywordNumber("x-kubernetes-list-type"),
  kMapType = schema::KeywordNumber("x-kubernetes-map-type"),
  kValidations = schema::KeywordNumber("x-kubernetes-validations"),
  // Of a field.
  kFieldRemoved = schema::kKeywordCount,
  kFieldAdded,
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
  /// Rules come that compare a value with what it was: later updates meet them, no value by itself.
  bool brings_transition_rules = false;

  bool operator==(const Change&) const = default;
};

}  // namespace kube::crd
