#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "kube/base/file_text.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_validation.h"
#include "kube/yaml/yaml.h"
#include "migrate/populate/namespace_template.h"

namespace migrate::populate {
namespace template_crd_test {

using kube::json::Document;
using kube::json::Value;

// Tests run in the root of the project.
constexpr char kShipped[] = "krew/manifests/populate/crd.yaml";

void DropDescriptions(Value& value) {
  value.Erase("description");
  for (Value& element : value.elements()) DropDescriptions(element);
  for (kube::json::Member& member : value.members()) DropDescriptions(member.value);
}

std::unique_ptr<Document> ReadShipped() {
  const auto text = kube::base::ReadFileText(kShipped);
  REQUIRE(text);
  auto document = std::make_unique<Document>();
  REQUIRE_FALSE(kube::yaml::Parse(*text, 1, *document));
  return document;
}

TEST_CASE("The CRD that is shipped is the one that templates are read by", "[migrate][populate]") {
  const auto shipped = ReadShipped();
  DropDescriptions(shipped->root());
  Document own;
  REQUIRE_FALSE(own.Parse(kTemplateCrd));
  CHECK(kube::json::Print(shipped->root()) == kube::json::Print(own.root()));
}

TEST_CASE("An API server takes the CRD that is shipped", "[migrate][populate]") {
  const auto crd = kube::crd::ReadCrd(ReadShipped());
  REQUIRE(crd);
  CHECK(kube::crd::ValidateCrd(*crd).empty());
  CHECK_FALSE(crd->preserve_unknown_fields);
  CHECK(crd->labels.at("applyset.kubernetes.io/is-parent-type") == "true");
}

TEST_CASE("A status of a template is kept by the schema", "[migrate][populate]") {
  Document document;
  REQUIRE_FALSE(document.Parse(
      R"({"apiVersion":"policy.kubectl-prune.dev/v1alpha1","kind":"NamespaceTemplate",
          "metadata":{"name":"a"},"spec":{"namespaces":{"labelSelector":{}},"templates":[]},
          "status":{"observedGeneration":3,"namespaces":2,"conditions":[
            {"type":"Refused","status":"True","reason":"Invalid","message":"x","observedGeneration":3,
             "lastTransitionTime":"2026-01-01T00:00:00Z"}],"failures":[
            {"namespace":"b","object":"Secret \"c\"","message":"forbidden"}],"more":1}})"));
  const auto unknown_fields = ReadBySchema(document.root(), document.arena());
  REQUIRE(unknown_fields);
  CHECK(*unknown_fields == std::vector<std::string>{"status.more"});
  CHECK(ErrorsBySchema(document.root()).empty());
}

}  // namespace template_crd_test
}  // namespace migrate::populate
