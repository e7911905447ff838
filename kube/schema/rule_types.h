#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "kube/cel/schema_type.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// The largest request that a server takes (apiserver pkg/apis/cel).
inline constexpr std::int64_t kMostRequestBytes = std::int64_t{3} << 20;

/// The types by which rules of x-kubernetes-validations see the values of a structural schema: one
/// for each schema that is reached by properties, items and additionalProperties (SchemaDeclType of
/// apiserver pkg/cel/common/schemas.go). What has no type that expressions know is not declared,
/// nor is a list or map of such.
///
/// Owns the types; borrows nothing from the schema but the addresses of its parts.
class RuleTypes {
 public:
  /// `is_resource`: of a custom resource, or an embedded one. There apiVersion, kind, metadata.name
  /// and metadata.generateName are, whatever the schema says.
  RuleTypes(const SchemaProps& schema, bool is_resource);
  RuleTypes(const RuleTypes&) = delete;
  RuleTypes& operator=(const RuleTypes&) = delete;

  const cel::SchemaType& root() const { return *root_; }
  /// The type of a schema in the one that this was made of; null where there is none.
  const cel::SchemaType* Find(const SchemaProps& schema) const;

 private:
  cel::SchemaType* Make(const SchemaProps& schema, bool is_resource);
  void MakeList(const SchemaProps& schema, cel::SchemaType& type);
  void MakeMap(const SchemaProps& values, const SchemaProps& schema, cel::SchemaType& type);
  void MakeObject(const SchemaProps& schema, bool is_resource, cel::SchemaType& type);
  void AddResourceFields(const SchemaProps& schema, cel::SchemaType& type);
  cel::SchemaType* MakeText();

  std::deque<cel::SchemaType> types_;
  std::unordered_map<const SchemaProps*, const cel::SchemaType*> by_schema_;
  const cel::SchemaType* root_;
};

}  // namespace kube::schema
