#include <catch2/catch.hpp>

#include "kube/crd/crd.h"
#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::ReadCrdText;
using support::TestCrd;

std::string ErrorOf(const std::string& fields) {
  const auto crd =
      ReadCrdText(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)" +
                  fields + "}");
  return crd ? "" : crd.error();
}

TEST_CASE("A CRD of v1 is read", "[crd]") {
  const auto crd = ReadCrdText(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "crontabs.stable.example.com", "uid": "u", "resourceVersion": "7",
                 "generation": 3, "deletionTimestamp": "2026-01-01T00:00:00Z",
                 "labels": {"a": "b"}, "annotations": {"c": null}},
    "spec": {"group": "stable.example.com", "scope": "Cluster", "preserveUnknownFields": true,
             "names": {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"],
                       "categories": ["all"]},
             "versions": [{"name": "v1", "served": true, "storage": true, "deprecated": true,
                           "deprecationWarning": "old",
                           "schema": {"openAPIV3Schema": {"type": "object"}},
                           "subresources": {"status": {}}}]},
    "status": {"storedVersions": ["v1alpha1", "v1"], "acceptedNames": {"plural": "crontabs"}}})");
  REQUIRE(crd);
  CHECK(crd->name == "crontabs.stable.example.com");
  CHECK(crd->resource_version == "7");
  CHECK(crd->generation == 3);
  CHECK(crd->terminating);
  CHECK(crd->labels.at("a") == "b");
  CHECK(crd->annotations.at("c").empty());
  CHECK(crd->group == "stable.example.com");
  CHECK(crd->scope == "Cluster");
  CHECK(crd->preserve_unknown_fields);
  CHECK(crd->names.short_names == std::vector<std::string>{"ct"});
  CHECK(crd->names.categories == std::vector<std::string>{"all"});
  CHECK(crd->versions.at(0).deprecation_warning == "old");
  CHECK(crd->versions[0].schema->type == "object");
  CHECK(crd->versions[0].has_status_subresource());
  CHECK(crd->stored_versions == std::vector<std::string>{"v1alpha1", "v1"});
  CHECK(crd->accepted_names.plural == "crontabs");
}

TEST_CASE("Columns, scale and selectable fields are read", "[crd]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"name":"v1",
      "additionalPrinterColumns":[{"name":"Age","type":"date","jsonPath":".a","JSONPath":".b",
                                   "priority":1}],
      "subresources":{"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},
      "selectableFields":[{"jsonPath":".spec.color"}]}]})");
  const VersionSettings& common = crd.common;
  CHECK(common.printer_columns->at(0).json_path == ".a");
  CHECK(common.printer_columns->at(0).priority == 1);
  CHECK(common.subresources->scale->spec_replicas_path == ".spec.n");
  CHECK(!common.subresources->scale->label_selector_path);
  CHECK(!common.subresources->status);
  CHECK(common.selectable_fields->at(0) == ".spec.color");
}

TEST_CASE("A column of v1beta1 has its path under JSONPath", "[crd]") {
  const Crd crd =
      TestCrd("v1beta1", R"({"additionalPrinterColumns":[{"jsonPath":".a","JSONPath":".b"}]})");
  CHECK(crd.common.printer_columns->at(0).json_path == ".b");
}

TEST_CASE("A conversion webhook is read from either version's place", "[crd]") {
  const std::string config =
      R"({"service":{"name":"s","namespace":"n","path":"/c"},"caBundle":"YWJj"})";
  const Crd v1 = TestCrd("v1", R"({"conversion":{"strategy":"Webhook","webhook":{"clientConfig":)" +
                                   config + R"(,"conversionReviewVersions":["v1"]}}})");
  const Crd v1beta1 =
      TestCrd("v1beta1", R"({"conversion":{"strategy":"Webhook","webhookClientConfig":)" + config +
                             R"(,"conversionReviewVersions":["v1"]}})");
  for (const Crd* crd : {&v1, &v1beta1}) {
    CHECK(crd->conversion.strategy == "Webhook");
    CHECK(crd->conversion.client_config->service->name == "s");
    CHECK(crd->conversion.client_config->service->path == "/c");
    CHECK(crd->conversion.client_config->service->port == 443);
    CHECK(crd->conversion.client_config->ca_bundle == "abc");
    CHECK(crd->conversion.review_versions == std::vector<std::string>{"v1"});
  }
}

TEST_CASE("Unknown fields and nulls are ignored", "[crd]") {
  const Crd crd = TestCrd("v1", R"({"validation":{"openAPIV3Schema":{}},"version":"v2",
      "subresources":{},"scope":null,"names":null,"garbage":1,"conversion":null,
      "versions":[null,{"name":"v1","schema":null,"subresources":null,"Served":true}]})");
  CHECK(!crd.common.has_validation);
  CHECK(crd.versions.size() == 2);
  CHECK(crd.versions[1].schema == nullptr);
  CHECK(!crd.versions[1].subresources);
  CHECK(!crd.versions[1].served);
  CHECK(crd.conversion.strategy == "None");
}

TEST_CASE("A schema may be absent where schema is present", "[crd]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"name":"a","schema":{}},{"name":"b"}]})");
  CHECK(crd.versions[0].own.has_validation);
  CHECK(crd.versions[0].schema == nullptr);
  CHECK(!crd.versions[1].own.has_validation);
}

TEST_CASE("What the server cannot decode is an error at its path", "[crd]") {
  const auto [fields, want] = GENERATE(table<std::string, std::string>({
      {R"("spec":[])",
       "spec: json: cannot unmarshal array into Go struct field CustomResourceDefinition.spec of "
       "type v1.CustomResourceDefinitionSpec"},
      {R"("spec":{"versions":[{},{"served":"x"}]})",
       "spec.versions[1].served: json: cannot unmarshal string into Go struct field "
       "CustomResourceDefinitionVersion.spec.versions.served of type bool"},
      {R"("spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"type":[]}}}}}]})",
       "spec.versions[0].schema.openAPIV3Schema.properties[a].type: json: cannot unmarshal array "
       "into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type "
       "of type string"},
      {R"("spec":{"names":{"shortNames":["a",{}]}})",
       "spec.names.shortNames[1]: json: cannot unmarshal object into Go struct field "
       "CustomResourceDefinitionNames.spec.names.shortNames of type string"},
      {R"("spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"!"}}}})",
       "spec.conversion.webhook.clientConfig.caBundle: illegal base64 data at input byte 0"},
      {R"("metadata":{"labels":{"a":1}})",
       "metadata.labels[a]: json: cannot unmarshal number into Go struct field "
       "ObjectMeta.metadata.labels of type string"},
      {R"("metadata":1)",
       "metadata: json: cannot unmarshal number into Go struct field "
       "CustomResourceDefinition.metadata of type v1.ObjectMeta"},
      {R"("status":{"storedVersions":"v1"})",
       "status.storedVersions: json: cannot unmarshal string into Go struct field "
       "CustomResourceDefinitionStatus.status.storedVersions of type []string"},
  }));
  CHECK(ErrorOf(fields) == want);
}

TEST_CASE("What nobody asks for later must be decodable, too", "[crd]") {
  const std::string time =
      R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")";
  const std::string start = ": json: cannot unmarshal ";
  const auto [fields, want] = GENERATE_COPY(table<std::string, std::string>({
      {R"("metadata":{"finalizers":"x"})",
       "metadata.finalizers" + start +
           "string into Go struct field ObjectMeta.metadata.finalizers of type []string"},
      {R"("metadata":{"namespace":5})",
       "metadata.namespace" + start +
           "number into Go struct field ObjectMeta.metadata.namespace of type string"},
      {R"("metadata":{"generateName":5})",
       "metadata.generateName" + start +
           "number into Go struct field ObjectMeta.metadata.generateName of type string"},
      {R"("metadata":{"selfLink":5})",
       "metadata.selfLink" + start +
           "number into Go struct field ObjectMeta.metadata.selfLink of type string"},
      {R"("metadata":{"deletionGracePeriodSeconds":"5"})",
       "metadata.deletionGracePeriodSeconds" + start +
           "string into Go struct field ObjectMeta.metadata.deletionGracePeriodSeconds of type "
           "int64"},
      {R"("metadata":{"creationTimestamp":5})",
       "metadata.creationTimestamp" + start +
           "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
      {R"("metadata":{"creationTimestamp":"x"})", "metadata.creationTimestamp: " + time},
      {R"("metadata":{"deletionTimestamp":"x"})", "metadata.deletionTimestamp: " + time},
      {R"("metadata":{"ownerReferences":[{"name":5}]})",
       "metadata.ownerReferences[0].name" + start +
           "number into Go struct field OwnerReference.metadata.ownerReferences.name of type "
           "string"},
      {R"("metadata":{"ownerReferences":[{"controller":"true"}]})",
       "metadata.ownerReferences[0].controller" + start +
           "string into Go struct field OwnerReference.metadata.ownerReferences.controller of "
           "type bool"},
      {R"("metadata":{"managedFields":[{"operation":5}]})",
       "metadata.managedFields[0].operation" + start +
           "number into Go struct field ManagedFieldsEntry.metadata.managedFields.operation of "
           "type v1.ManagedFieldsOperationType"},
      {R"("metadata":{"managedFields":[{"time":"x"}]})", "metadata.managedFields[0].time: " + time},
      {R"("status":{"conditions":[{"type":5}]})",
       "status.conditions[0].type" + start +
           "number into Go struct field CustomResourceDefinitionCondition.status.conditions.type "
           "of type v1.CustomResourceDefinitionConditionType"},
      {R"("status":{"conditions":[{"lastTransitionTime":"x"}]})",
       "status.conditions[0].lastTransitionTime: " + time},
      // A time that cannot be read ends the decoding, and wins over what was wrong before.
      {R"("metadata":{"namespace":5,"creationTimestamp":"x"})",
       "metadata.creationTimestamp: " + time},
  }));
  CHECK(ErrorOf(fields) == want);
}

TEST_CASE("Unset and unknown metadata is no error", "[crd]") {
  CHECK(ErrorOf(R"("metadata":{"finalizers":null,"creationTimestamp":null,"namespace":null,
      "deletionGracePeriodSeconds":null,"ownerReferences":[{"controller":null}],
      "managedFields":[{"time":"2026-01-01T00:00:00Z","fieldsV1":5}],"clusterName":5},
      "status":{"conditions":[{"lastTransitionTime":null}],"foo":5})") == "");
}

TEST_CASE("Another object is no CRD", "[crd]") {
  const auto crd = ReadCrdText(R"({"apiVersion":"v1","kind":"ConfigMap"})");
  REQUIRE(!crd);
  CHECK(crd.error() == "not a CustomResourceDefinition of v1 or v1beta1");
}

TEST_CASE("A CRD can be moved and keeps what it borrows", "[crd]") {
  auto crd = std::make_unique<Crd>(TestCrd(
      "v1", R"({"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a long name":{}}}}}]})"));
  const Crd moved = std::move(*crd);
  crd.reset();
  CHECK(moved.versions[0].schema->FindProperty("a long name") != nullptr);
}

TEST_CASE("A copy of a CRD is the same and shares nothing with it", "[crd]") {
  auto crd = std::make_unique<Crd>(TestCrd(
      "v1", R"({"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a long name":{}}}}}]})"));
  const std::string text = json::Print(crd->document->root());
  const Crd copy = CopyCrd(*crd);
  crd.reset();
  CHECK(json::Print(copy.document->root()) == text);
  CHECK(copy.versions[0].schema->FindProperty("a long name") != nullptr);
}

}  // namespace
}  // namespace kube::crd
