#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace kube::test {

/// Parses JSON that a test wrote itself. Throws where that is none.
inline json::Value ParseOrThrow(std::string_view text, json::Document& document) {
  if (auto error = document.Parse(text)) throw std::invalid_argument(error->message);
  return document.root();
}

/// A structural schema from the text of an openAPIV3Schema, with the memory of its defaults.
class StructuralText {
 public:
  explicit StructuralText(std::string_view text) {
    auto props = schema::ReadSchemaProps(ParseOrThrow(text, document_));
    if (!props) throw std::invalid_argument(props.error());
    schema_ = schema::MakeStructural(*props, arena_);
  }

  schema::StructuralSchema& operator*() { return schema_; }
  schema::StructuralSchema* operator->() { return &schema_; }
  json::Arena& arena() { return arena_; }

 private:
  json::Document document_;
  json::Arena arena_;
  schema::StructuralSchema schema_;
};

}  // namespace kube::test
