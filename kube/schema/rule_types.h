#pragma once

#include <deque>
#include <unordered_map>

#include "kube/cel/schema_type.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// The types by which rules of x-kubernetes-validations see the values of a structural schema: one
/// for each schema that is reached by properties, items and additionalProperties (SchemaDeclType of
/// apiserver pkg/cel/common/schemas.go). What has no type that expressions know is not declared,
/// nor is a list or map of such.
///
/// Owns the types; borrows nothing from the schema but the addresses of its parts.
class RuleTypes {
 public:
  /// Of a custom resource: apiVersion, kind, metadata.name and metadata.generateName are there
  /// whatever the schema says; so they are in embedded resources.
  static RuleTypes OfResource(const SchemaProps& schema) { return RuleTypes(schema, true); }
  /// Of a value in one.
  static RuleTypes OfValue(const SchemaProps& schema) { return RuleTypes(schema, false); }

  const cel::SchemaType& root() const { return *root_; }
  /// The type of a schema in the one that this was made of; null where there is none.
  const cel::SchemaType* Find(const SchemaProps& schema) const;

 private:
  RuleTypes(const SchemaProps& schema, bool is_resource);

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
