#pragma once

#include <optional>
#include <utility>

#include "kube/json/json.h"
#include "kube/schema/structural.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

/// What stands in the lines of an input: a schema, then an object.
struct SchemaAndObject {
  kube::json::Document schema_text, object_text;
  kube::schema::SchemaProps props;
  kube::schema::StructuralSchema schema;

  kube::json::Value& object() { return object_text.root(); }
  kube::json::Arena& arena() { return object_text.arena(); }
};

/// False where the input holds no such thing.
inline bool Read(std::string_view text, SchemaAndObject& input) {
  if (input.schema_text.Parse(TakeLine(text)) || input.object_text.Parse(text)) return false;
  auto props = kube::schema::ReadSchemaProps(input.schema_text.root());
  if (!props || kube::schema::ConversionError(*props)) return false;
  input.props = *std::move(props);
  input.schema = kube::schema::MakeStructural(input.props, input.schema_text.arena());
  return true;
}

}  // namespace fuzz
