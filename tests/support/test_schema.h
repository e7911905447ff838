#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/meta/field_error.h"
#include "kube/schema/schema_props.h"

namespace support {

/// A schema read from the text of an openAPIV3Schema, with the JSON that it borrows from.
struct TestSchema {
  explicit TestSchema(std::string_view text) {
    REQUIRE(!document.Parse(text));
    auto read = kube::schema::ReadSchemaProps(document.root());
    REQUIRE(read);
    props = *std::move(read);
  }

  kube::json::Document document;
  kube::schema::SchemaProps props;
};

inline kube::base::Result<kube::crd::Crd, std::string> ReadCrdText(std::string_view text) {
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE(!document->Parse(text));
  return kube::crd::ReadCrd(std::move(document));
}

/// A CRD with this spec, which must be readable.
inline kube::crd::Crd TestCrd(std::string_view version, std::string_view spec) {
  std::string text = R"({"apiVersion":"apiextensions.k8s.io/)";
  text.append(version).append(R"(","kind":"CustomResourceDefinition","spec":)");
  text.append(spec).append("}");
  auto crd = ReadCrdText(text);
  REQUIRE(crd);
  return *std::move(crd);
}

inline std::vector<std::string> Strings(const std::vector<kube::meta::FieldError>& errors) {
  std::vector<std::string> strings;
  for (const kube::meta::FieldError& error : errors) strings.push_back(error.ToString());
  return strings;
}

}  // namespace support
