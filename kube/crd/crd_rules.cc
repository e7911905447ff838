#include "kube/crd/crd_rules.h"

#include <algorithm>

#include "kube/crd/ca_bundle.h"
#include "kube/crd/crd_schema_validation.h"
#include "kube/schema/default_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "kube/schema/validation.h"

namespace kube::crd {
namespace {

using schema::SchemaProps;

/// True if `predicate` holds for the schema of the whole CRD or of some version.
template <typename Predicate>
bool AnyTopSchema(const Crd& crd, const Predicate& predicate) {
  if (crd.common.schema && predicate(*crd.common.schema)) return true;
  return std::ranges::any_of(crd.versions, [&predicate](const CrdVersion& version) {
    return version.own.schema && predicate(*version.own.schema);
  });
}

template <typename Predicate>
bool AnySchemaOf(const Crd& crd, const Predicate& predicate) {
  return AnyTopSchema(crd, [&predicate](const SchemaProps& schema) {
    return schema::AnySchema(schema, predicate);
  });
}

bool LacksSchema(const Crd& crd) {
  return !crd.common.schema && std::ranges::any_of(crd.versions, [](const CrdVersion& version) {
    return !version.own.schema;
  });
}

bool IsStructural(const SchemaProps& schema) {
  return !schema::ConversionError(schema) && schema::ValidateStructural(schema, "").empty();
}

bool HasDefault(const SchemaProps& schema) { return schema.default_value.has_value(); }

bool HasUnprunedDefaults(const SchemaProps& schema) {
  return schema::AnySchema(schema, HasDefault) && IsStructural(schema) &&
         schema::HasUnprunedDefaults(schema);
}

bool HasStructuralExtension(const SchemaProps& schema) {
  return schema.x_embedded_resource || schema.x_preserve_unknown_fields || schema.x_int_or_string ||
         (schema.x_list_map_keys && !schema.x_list_map_keys->empty()) || schema.x_list_type ||
         schema.HasRules();
}

bool HasRecognizedReviewVersionOrNone(const Crd& crd) {
  const auto& versions = crd.conversion.review_versions;
  return !versions || versions->empty() ||
         std::ranges::any_of(*versions, IsRecognizedReviewVersion);
}

bool AllowsInvalidCaBundle(const Crd& old) {
  if (!old.IsConditionTrue("Established")) return true;
  const auto& client_config = old.conversion.client_config;
  return client_config && !client_config->ca_bundle.empty() &&
         !CaBundleProblem(client_config->ca_bundle).empty();
}

/// The texts are those of `old`.
KnownExpressions ExpressionsOf(const Crd& old) {
  KnownExpressions known;
  AnySchemaOf(old, [&known](const SchemaProps& schema) {
    if (!schema.x_validations) return false;
    for (const schema::ValidationRule& rule : *schema.x_validations) {
      known.rules.insert(rule.rule);
      if (!rule.message_expression.empty()) known.messages.insert(rule.message_expression);
    }
    return false;
  });
  return known;
}

const SchemaProps* SchemaOf(const Crd& crd, const CrdVersion& version) {
  return crd.common.schema ? crd.common.schema.get() : version.own.schema.get();
}

bool HasSameSchema(const Crd& crd, const CrdVersion& version, const Crd& old,
                   const CrdVersion& old_version) {
  const SchemaProps* now = SchemaOf(crd, version);
  const SchemaProps* before = SchemaOf(old, old_version);
  return now != nullptr && before != nullptr && schema::DeepEqual(*now, *before);
}

using SelectableFields = std::optional<std::vector<std::string_view>>;

bool KeepsTooMany(const SelectableFields& fields, const SelectableFields& old) {
  return old && old->size() > kMostSelectableFields && fields == old;
}

}  // namespace

CrdRules RulesForUpdate(const Crd& crd, const Crd& old) {
  CrdRules rules;
  rules.require_recognized_review_version = HasRecognizedReviewVersionOrNone(old);
  rules.require_immutable_names = old.IsConditionTrue("Established");
  rules.require_schema = !LacksSchema(old);
  rules.require_valid_types =
      !AnySchemaOf(old, [](const SchemaProps& s) { return !HasValidType(s); });
  rules.require_structural =
      !AnyTopSchema(old, [](const SchemaProps& schema) { return !IsStructural(schema); });
  rules.require_pruned_defaults = !AnyTopSchema(old, HasUnprunedDefaults);
  rules.require_atomic_sets = !AnySchemaOf(old, IsSetOfCompounds);
  rules.require_map_keys =
      !AnySchemaOf(old, [](const SchemaProps& s) { return !FindMapKeyErrors(s, "").empty(); });
  rules.allow_invalid_ca_bundle = AllowsInvalidCaBundle(old);
  rules.known_expressions = ExpressionsOf(old);
  if (KeepsTooMany(crd.common.selectable_fields, old.common.selectable_fields)) {
    rules.allow_too_many_selectable_fields[""] = true;
  }
  for (const CrdVersion& version : crd.versions) {
    const CrdVersion* old_version = old.FindVersion(version.name);
    if (old_version && HasSameSchema(crd, version, old, *old_version)) {
      rules.unchanged_versions.insert(version.name);
    }
    if (old_version &&
        KeepsTooMany(version.own.selectable_fields, old_version->own.selectable_fields)) {
      rules.allow_too_many_selectable_fields[version.name] = true;
    }
  }
  return rules;
}

bool HasDefaults(const Crd& crd) { return AnySchemaOf(crd, HasDefault); }

bool HasStructuralExtensions(const Crd& crd) { return AnySchemaOf(crd, HasStructuralExtension); }

bool IsRecognizedReviewVersion(std::string_view version) {
  return version == "v1" || version == "v1beta1";
}

}  // namespace kube::crd
