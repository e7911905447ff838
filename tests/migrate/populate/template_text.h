#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/populate/namespace_template.h"

namespace migrate::populate::populate_test {

inline kube::json::Document ParseJson(const std::string& text) {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  return document;
}

/// A NamespaceTemplate with this metadata and spec.
inline std::string TemplateText(const std::string& metadata, const std::string& spec) {
  return R"({"apiVersion":"policy.kubectl-prune.dev/v1alpha1","kind":"NamespaceTemplate",
             "metadata":)" +
         metadata + R"(,"spec":)" + spec + "}";
}

inline NamespaceTemplate ReadTemplate(const std::string& metadata, const std::string& spec) {
  auto read = ReadNamespaceTemplate(ParseJson(TemplateText(metadata, spec)).root());
  if (!read) FAIL(read.error().front());
  return *std::move(read);
}

/// One for all namespaces, with these objects.
inline NamespaceTemplate TemplateOf(const std::string& name, const std::string& objects) {
  return ReadTemplate(R"({"name":")" + name + "\"}",
                      R"({"namespaces":{"labelSelector":{}},"templates":[)" + objects + "]}");
}

}  // namespace migrate::populate::populate_test
