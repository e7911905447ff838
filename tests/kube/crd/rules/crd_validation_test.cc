#include "kube/crd/crd_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::ReadCrdText;
using support::TestCrd;

std::vector<std::string> Strings(const std::vector<CrdFinding>& findings) {
  std::vector<std::string> strings;
  for (const CrdFinding& finding : findings) strings.push_back(finding.error.ToString());
  return strings;
}

/// Writes out what most of the CRDs here have in common.
std::string Expand(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"$CRD", R"({$TYPE,"metadata":{"name":"foos.example.com"},"spec":)"},
      {"$TYPE", R"("apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition")"},
      {"$NAMES",
       R"("group":"example.com","scope":"Cluster","names":{"plural":"foos","kind":"Foo"})"},
      {"$V1", R"({$STORED,"schema":{"openAPIV3Schema":{"type":"object"}}})"},
      {"$STORED", R"("name":"v1","served":true,"storage":true)"},
  };
  std::string expanded(text);
  for (const auto& [word, meaning] : kWords) {
    for (std::size_t at = expanded.find(word); at != std::string::npos; at = expanded.find(word)) {
      expanded.replace(at, word.size(), meaning);
    }
  }
  return expanded;
}

// What k8s.io/apiextensions-apiserver 0.36 answers to these inputs, sorted.

struct Creation {
  std::string_view name;
  std::string_view crd;
  std::vector<std::string> errors;
};

const Creation
    kCreations
        [] =
            {{"A CRD without faults", R"($CRD {$NAMES,"versions":[$V1]}})", {}},
             {"A group without a dot",
              R"({$TYPE,"metadata":{"name":"foos.example"},"spec":{"group":"example","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(spec.group: Invalid value: "example": should be a domain with at least one dot)"}},
             {"No group",
              R"({$TYPE,"metadata":{"name":"foos."},"spec":{"scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(metadata.name: Invalid value: "foos.": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))",
               "spec.group: Required value"}},
             {"A group with upper case letters",
              R"({$TYPE,"metadata":{"name":"foos.Example.com"},"spec":{"group":"Example.com","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(metadata.name: Invalid value: "foos.Example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))",
               R"(spec.group: Invalid value: "Example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))"}},
             {"Another name than plural.group",
              R"({$TYPE,"metadata":{"name":"bars.example.com"},"spec":{$NAMES,"versions":[$V1]}})",
              {R"(metadata.name: Invalid value: "bars.example.com": must be spec.names.plural+"."+spec.group)"}},
             {"No scope",
              R"($CRD {"group":"example.com","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {"spec.scope: Required value"}},
             {"An unknown scope",
              R"($CRD {"group":"example.com","scope":"Galaxy","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced")"}},
             {"Bad names", R"({$TYPE,"metadata":{"name":"Foos.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"Foos","singular":"f_o","kind":"Foo-","listKind":"Foo-","shortNames":["F"],"categories":["all","-x"]},"versions":[$V1]}})", {R"(metadata.name: Invalid value: "Foos.example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))", R"(spec.names.categories[1]: Invalid value: "-x": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.names.kind: Invalid value: "Foo-": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.names.listKind: Invalid value: "Foo-": kind and listKind may not be the same)", R"(spec.names.listKind: Invalid value: "Foo-": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.names.plural: Invalid value: "Foos": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.names.shortNames[0]: Invalid value: "F": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.names.singular: Invalid value: "f_o": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))"}},
             {"No names",
              R"({$TYPE,"metadata":{"name":".example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{},"versions":[$V1]}})",
              {R"(metadata.name: Invalid value: ".example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))",
               "spec.names.kind: Required value", "spec.names.listKind: Required value",
               "spec.names.plural: Required value", "spec.names.singular: Required value"}},
             {"A name that is too long",
              R"($CRD {"group":"example.com","scope":"Cluster","names":{"plural":"foos","kind":"Foo","singular":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},"versions":[$V1]}})",
              {R"(spec.names.singular: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 characters)"}},
             {"No version",
              "$CRD {$NAMES}}",
              {"spec.versions: Invalid value: null: must have exactly one version marked as "
               "storage version",
               "status.storedVersions: Invalid value: null: must have at least one stored "
               "version"}},
             {"An empty list of versions",
              R"($CRD {$NAMES,"versions":[]}})",
              {"spec.versions: Invalid value: []: must have exactly one version marked as storage "
               "version",
               "status.storedVersions: Invalid value: null: must have at least one stored "
               "version"}},
             {"Two storage versions of one name",
              R"($CRD {$NAMES,"versions":[$V1,$V1]}})",
              {R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names)",
               R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version)",
               R"(status.storedVersions: Invalid value: ["v1"]: must have the storage version v1)"}},
             {"A bad name of a version", R"($CRD {$NAMES,"versions":[{"name":"V1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})", {R"(spec.version: Invalid value: "V1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))", R"(spec.versions[0].name: Invalid value: "V1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))"}},
             {"A version without schema",
              R"($CRD {$NAMES,"versions":[$V1,{"name":"v2","served":false,"storage":false}]}})",
              {"spec.versions[1].schema.openAPIV3Schema: Required value"}},
             {"preserveUnknownFields",
              R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
              {"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
               "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"}},
             {"preserveUnknownFields with defaults",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","default":"b"}}}}}],"preserveUnknownFields":true}})",
              {"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
               "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
               "spec.preserveUnknownFields: Invalid value: true: must be false in order to use "
               "defaults in the schema"}},
             {"A deprecation warning of a version that is not",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"deprecationWarning":"use v2"}]}})",
              {R"(spec.versions[0].deprecationWarning: Invalid value: "use v2": can only be set for deprecated versions)"}},
             {"An empty deprecation warning",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"deprecated":true,"deprecationWarning":""}]}})",
              {R"(spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string)"}},
             {"A deprecation warning with a control character",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"deprecated":true,"deprecationWarning":"é\u0007"}]}})",
              {R"(spec.versions[0].deprecationWarning: Invalid value: "é\u0007": must only contain printable UTF-8 characters; non-printable character found at index 2)"}},
             {"Bad paths of the scale subresource",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"scale":{"specReplicasPath":"spec.x","statusReplicasPath":".spec.x","labelSelectorPath":".x"}}}]}})",
              {R"(spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status)",
               R"(spec.subresources.scale.specReplicasPath: Invalid value: "spec.x": must be a simple json path starting with .)",
               R"(spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.x": should be a json path under .status)"}},
             {"No paths of the scale subresource",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"scale":{}}}]}})",
              {"spec.subresources.scale.specReplicasPath: Required value",
               "spec.subresources.scale.statusReplicasPath: Required value"}},
             {"Bad printer columns",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[{},{"name":"A","type":"text","format":"hex","jsonPath":"a"}]}]}})",
              {"spec.additionalPrinterColumns[0].JSONPath: Required value",
               "spec.additionalPrinterColumns[0].name: Required value",
               "spec.additionalPrinterColumns[0].type: Required value: must be one of "
               "boolean,date,integer,number,string",
               R"(spec.additionalPrinterColumns[1].JSONPath: Invalid value: "a": must be a simple json path starting with .)",
               R"(spec.additionalPrinterColumns[1].format: Invalid value: "hex": must be one of byte,date,date-time,double,float,int32,int64,password)",
               R"(spec.additionalPrinterColumns[1].type: Invalid value: "text": must be one of boolean,date,integer,number,string)"}},
             {"Printer columns that differ between versions",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[{"name":"A","type":"string"}]},{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})",
              {"spec.versions[0].additionalPrinterColumns[0].JSONPath: Required value"}},
             {"Bad selectable fields",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}},"metadata":{"type":"object","properties":{"name":{"type":"string"}}}}}},"selectableFields":[{},{"jsonPath":".spec.a"},{"jsonPath":".spec.a"},{"jsonPath":".spec"},{"jsonPath":".metadata.name"},{"jsonPath":".spec.b"},{"jsonPath":".spec['a']"}]}]}})",
              {"spec.selectableFields[0].jsonPath: Required value",
               R"(spec.selectableFields[2].jsonPath: Duplicate value: ".spec.a")",
               R"(spec.selectableFields[3].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.)",
               R"(spec.selectableFields[4].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata)",
               R"(spec.selectableFields[5].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field)",
               R"(spec.selectableFields[6].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed)"}},
             {"Too many selectable fields",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}},"selectableFields":[{"jsonPath":".a.0"},{"jsonPath":".a.1"},{"jsonPath":".a.2"},{"jsonPath":".a.3"},{"jsonPath":".a.4"},{"jsonPath":".a.5"},{"jsonPath":".a.6"},{"jsonPath":".a.7"},{"jsonPath":".a.8"}]}]}})",
              {"spec.selectableFields: Too many: 9: must have at most 8 items"}},
             {"Selectable fields without a schema",
              R"($CRD {$NAMES,"versions":[{$STORED,"selectableFields":[{"jsonPath":".a"}]}]}})",
              {R"(spec.selectableFields: Invalid value: "": may only be set when validations.schema is included)",
               "spec.versions[0].schema.openAPIV3Schema: Required value"}},
             {"A protected group without approval",
              R"({$TYPE,"metadata":{"name":"foos.x.k8s.io"},"spec":{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111)"}},
             {"A protected group with a bad approval",
              R"({$TYPE,"metadata":{"name":"foos.kubernetes.io","annotations":{"api-approved.kubernetes.io":"yes"}},"spec":{"group":"kubernetes.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {R"(metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111)"}},
             {"A protected group with an approval",
              R"({$TYPE,"metadata":{"name":"foos.kubernetes.io","annotations":{"api-approved.kubernetes.io":"https://github.com/kubernetes/kubernetes/pull/1"}},"spec":{"group":"kubernetes.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
              {}},
             {"Bad metadata",
              R"({$TYPE,"metadata":{"name":"foos.example.com","namespace":"ns","labels":{"a/b/c":"-"},"finalizers":["/x"],"ownerReferences":[{"apiVersion":"a/b/c","kind":"","name":"","uid":""}]},"spec":{$NAMES,"versions":[$V1]}})",
              {R"(metadata.finalizers: Invalid value: "/x": prefix part must be non-empty)",
               R"(metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'))",
               R"(metadata.labels: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName'))",
               "metadata.namespace: Forbidden: not allowed on this type",
               R"(metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty)",
               R"(metadata.ownerReferences.kind: Invalid value: "": must not be empty)",
               R"(metadata.ownerReferences.name: Invalid value: "": must not be empty)",
               R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"}},
             {"A status subresource beside validation at the root", R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","minProperties":1}},"subresources":{"status":{}}}]}})", {R"(spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":1,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled)"}},
             {"Structural faults come with others",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"uniqueItems":true}}}}}]}})",
              {"spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be "
               "empty for specified object fields",
               "spec.validation.openAPIV3Schema.properties[a].uniqueItems: Forbidden: uniqueItems "
               "cannot be set to true since the runtime complexity becomes quadratic",
               "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the "
               "root"}},
             {"A schema that cannot be converted, when nothing else is wrong",
              R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","$schema":"x"}}}]}})",
              {R"(spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported)"}},
             {"A webhook without conversion strategy Webhook",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"None","webhook":{"clientConfig":{},"conversionReviewVersions":["v1"]}}}})",
              {"spec.conversion.conversionReviewVersions: Forbidden: should not be set when "
               "strategy is not set to Webhook",
               "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is "
               "not set to Webhook"}},
             {"An unknown conversion strategy",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Magic"}}})",
              {R"(spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook")"}},
             {"No client config of the webhook",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook"}}})",
              {"spec.conversion.conversionReviewVersions: Required value",
               "spec.conversion.webhookClientConfig: Required value: required when strategy is set "
               "to Webhook"}},
             {"Neither url nor service",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{},"conversionReviewVersions":["v2","v2","V"]}}}})",
              {R"(spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2","V"]: must include at least one of v1, v1beta1)",
               R"(spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version)",
               R"(spec.conversion.conversionReviewVersions[2]: Invalid value: "V": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))",
               "spec.conversion.webhookClientConfig: Required value: exactly one of url or service "
               "is required"}},
             {"A bad url",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"http://u:p@/x?q#f"},"conversionReviewVersions":["v1"]}}}})",
              {R"(spec.conversion.webhookClientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path])",
               R"(spec.conversion.webhookClientConfig.url: Invalid value: "f": fragments are not permitted in the URL)",
               R"(spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path])",
               R"(spec.conversion.webhookClientConfig.url: Invalid value: "q": query parameters are not permitted in the URL)",
               R"(spec.conversion.webhookClientConfig.url: Invalid value: "u:p": user information is not permitted in the URL)"}},
             {"No url at all",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://[::1"},"conversionReviewVersions":["v1"]}}}})",
              {R"(spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://[::1": missing ']' in host; desired format: https://host[/path])"}},
             {"A bad service",
              R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"a","port":70000,"path":"x//Y/"}},"conversionReviewVersions":["v1"]}}}})",
              {"spec.conversion.webhookClientConfig.service.name: Required value",
               R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x//Y/": must start with a '/')",
               R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x//Y/": segment[0] may not be empty)",
               R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x//Y/": segment[1] may not be empty)", R"(spec.conversion.webhookClientConfig.service.path: Invalid value: "x//Y/": segment[2]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))",
               "spec.conversion.webhookClientConfig.service.port: Invalid value: 70000: port is "
               "not valid: must be between 1 and 65535, inclusive"}},
             {"v1beta1: schemas at the top and in a version",
              R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{$NAMES,"versions":[$V1,{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","description":"d"}}}],"preserveUnknownFields":false,"validation":{"openAPIV3Schema":{"type":"object"}}}})",
              {"spec.validation: Forbidden: top-level and per-version schemas are mutually "
               "exclusive"}},
             {"v1beta1: the same settings in all versions",
              R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{$NAMES,"versions":[{$STORED,"schema":{},"subresources":{"status":{},"scale":{"specReplicasPath":".spec.r","statusReplicasPath":".status.r","labelSelectorPath":""}},"additionalPrinterColumns":[{"name":"A","type":"date","description":"<d>","JSONPath":".a"}]}],"preserveUnknownFields":false}})",
              {R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":null},"Subresources":{"Status":{},"Scale":{"SpecReplicasPath":".spec.r","StatusReplicasPath":".status.r","LabelSelectorPath":""}},"AdditionalPrinterColumns":[{"Name":"A","Type":"date","Format":"","Description":"\u003cd\u003e","Priority":0,"JSONPath":".a"}],"SelectableFields":null}]: per-version additionalPrinterColumns may not all be set to identical values (top-level additionalPrinterColumns should be used instead))",
               R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":null},"Subresources":{"Status":{},"Scale":{"SpecReplicasPath":".spec.r","StatusReplicasPath":".status.r","LabelSelectorPath":""}},"AdditionalPrinterColumns":[{"Name":"A","Type":"date","Format":"","Description":"\u003cd\u003e","Priority":0,"JSONPath":".a"}],"SelectableFields":null}]: per-version schemas may not all be set to identical values (top-level validation should be used instead))", R"(spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":null},"Subresources":{"Status":{},"Scale":{"SpecReplicasPath":".spec.r","StatusReplicasPath":".status.r","LabelSelectorPath":""}},"AdditionalPrinterColumns":[{"Name":"A","Type":"date","Format":"","Description":"\u003cd\u003e","Priority":0,"JSONPath":".a"}],"SelectableFields":null}]: per-version subresources may not all be set to identical values (top-level subresources should be used instead))",
               "spec.versions[0].schema.openAPIV3Schema: Required value"}},
             {"v1beta1: another version than the first",
              R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{$NAMES,"versions":[{$STORED}],"preserveUnknownFields":false,"version":"v2","validation":{"openAPIV3Schema":{"type":"object"}}}})",
              {R"(spec.version: Invalid value: "v2": must match the first version in spec.versions)"}}};

struct Update {
  std::string_view name;
  std::string_view old;
  std::string_view crd;
  std::vector<std::string> errors;
};

const Update kUpdates[] =
    {{"Names of an established CRD stay",
      R"($CRD {$NAMES,"versions":[$V1]},"status":{"conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"]}})",
      R"($CRD {"group":"example.com","scope":"Namespaced","names":{"plural":"foos","kind":"Bar"},"versions":[$V1]}})",
      {R"(spec.names.kind: Invalid value: "Bar": field is immutable)",
       R"(spec.scope: Invalid value: "Namespaced": field is immutable)"}},
     {"Names of a CRD that is not established may change",
      R"($CRD {$NAMES,"versions":[$V1]}})",
      R"($CRD {"group":"example.com","scope":"Namespaced","names":{"plural":"foos","kind":"Bar"},"versions":[$V1]}})",
      {}},
     {"Group and plural always stay",
      R"($CRD {$NAMES,"versions":[$V1]}})",
      R"($CRD {"group":"example.org","scope":"Cluster","names":{"plural":"bars","kind":"Foo"},"versions":[$V1]}})",
      {R"(spec.group: Invalid value: "example.org": field is immutable)",
       R"(spec.names.plural: Invalid value: "bars": field is immutable)"}},
     {"The name stays",
      R"($CRD {$NAMES,"versions":[$V1]}})",
      R"({$TYPE,"metadata":{"name":"x"},"spec":{$NAMES,"versions":[$V1]}})",
      {R"(metadata.name: Invalid value: "x": field is immutable)"}},
     {"preserveUnknownFields true stays allowed",
      R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
      {}},
     {"preserveUnknownFields cannot come back",
      R"($CRD {$NAMES,"versions":[$V1]}})",
      R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
      {"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
       "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"}},
     {"A schema stays not structural while unknown fields are preserved",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":true}})",
      {}},
     {"Pruning needs a structural schema",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":false}})",
      {"spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"}},
     {"Extensions need a structural schema",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}}}],"preserveUnknownFields":true}})",
      {}},
     {"A structural schema stays structural",
      R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"properties":{"a":{"type":"string"}}}}}],"preserveUnknownFields":true}})",
      {"spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"}},
     {"Served versions need a schema to prune by",
      R"($CRD {$NAMES,"versions":[{$STORED}],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{$STORED},{"name":"v2","served":false,"storage":false}]}})",
      {"spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are "
       "pruned"}},
     {"No version may lose its schema",
      R"($CRD {$NAMES,"versions":[$V1],"preserveUnknownFields":true}})",
      R"($CRD {$NAMES,"versions":[{"name":"v1","served":false,"storage":true}],"preserveUnknownFields":true}})",
      {"spec.versions[0].schema.openAPIV3Schema: Required value"}},
     {"Invalid types stay",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"int"}}}}}]}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"int"},"b":{"type":"long"}}}}}]}})",
      {}},
     {"Unpruned defaults stay",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"object","default":{"x":1}}}}}}]}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"object","default":{"x":2}}}}}}]}})",
      {}},
     {"Sets of objects stay",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}}}}}]}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}}}}}]}})",
      {}},
     {"Map keys without default stay",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}}}}}]}})",
      R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"b":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}}}}}]}})",
      {}},
     {"A stored version stays in the spec",
      R"($CRD {$NAMES,"versions":[$V1]},"status":{"storedVersions":["v1"]}})",
      R"($CRD {$NAMES,"versions":[{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})",
      {R"(status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions)"}},
     {"A stored version that is none",
      R"($CRD {$NAMES,"versions":[$V1]},"status":{"storedVersions":["v0","v1"]}})",
      R"($CRD {$NAMES,"versions":[$V1]}})",
      {R"(status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions)"}},
     {"The accepted names are checked", R"($CRD {$NAMES,"versions":[$V1]},"status":{"storedVersions":["v1"],"acceptedNames":{"plural":"Foos","kind":"Foo"}}})", R"($CRD {$NAMES,"versions":[$V1]}})", {R"(status.acceptedNames.plural: Invalid value: "Foos": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))"}},
     {"A missing approval stays missing",
      R"({$TYPE,"metadata":{"name":"foos.x.k8s.io"},"spec":{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
      R"({$TYPE,"metadata":{"name":"foos.x.k8s.io"},"spec":{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
      {}},
     {"An approval cannot become bad",
      R"({$TYPE,"metadata":{"name":"foos.x.k8s.io"},"spec":{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
      R"({$TYPE,"metadata":{"name":"foos.x.k8s.io","annotations":{"api-approved.kubernetes.io":"yes"}},"spec":{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})",
      {R"(metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111)"}},
     {"Unknown review versions stay",
      R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a/"},"conversionReviewVersions":["v9"]}}}})",
      R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a/"},"conversionReviewVersions":["v8"]}}}})",
      {}},
     {"A CA bundle of an established CRD cannot become bad",
      R"($CRD {$NAMES,"versions":[$V1]},"status":{"conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"]}})",
      R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a/","caBundle":"aGk="},"conversionReviewVersions":["v1"]}}}})",
      {R"(spec.conversion.webhookClientConfig.caBundle: Invalid value: "aGk=": unable to load root certificates: unable to parse bytes as PEM block)"}},
     {"Too many selectable fields stay", R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}},"selectableFields":[{"jsonPath":".a.0"},{"jsonPath":".a.1"},{"jsonPath":".a.2"},{"jsonPath":".a.3"},{"jsonPath":".a.4"},{"jsonPath":".a.5"},{"jsonPath":".a.6"},{"jsonPath":".a.7"},{"jsonPath":".a.8"}]}]}})", R"($CRD {$NAMES,"versions":[{$STORED,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}},"selectableFields":[{"jsonPath":".a.0"},{"jsonPath":".a.1"},{"jsonPath":".a.2"},{"jsonPath":".a.3"},{"jsonPath":".a.4"},{"jsonPath":".a.5"},{"jsonPath":".a.6"},{"jsonPath":".a.7"},{"jsonPath":".a.8"}]}]}})", {}}};

TEST_CASE("A new CRD is refused for what the API server refuses it for", "[crd_validation]") {
  for (const Creation& row : kCreations) {
    DYNAMIC_SECTION(row.name) {
      const auto crd = ReadCrdText(Expand(row.crd));
      REQUIRE(crd);
      CHECK(Strings(ValidateCrd(*crd)) == row.errors);
    }
  }
}

TEST_CASE("An update does not tighten what the old CRD got away with", "[crd_validation]") {
  for (const Update& row : kUpdates) {
    DYNAMIC_SECTION(row.name) {
      const auto old = ReadCrdText(Expand(row.old));
      const auto crd = ReadCrdText(Expand(row.crd));
      REQUIRE(old);
      REQUIRE(crd);
      CHECK(Strings(ValidateCrd(*crd, &*old)) == row.errors);
    }
  }
}

std::string CrdWithMetadata(const std::string& metadata) {
  return Expand(R"({$TYPE,"metadata":{"name":"foos.example.com")" + metadata +
                R"(},"spec":{$NAMES,"versions":[$V1]}})");
}

std::vector<std::string> RequestErrors(const std::string& metadata, const Crd* old) {
  const auto crd = ReadCrdText(CrdWithMetadata(metadata));
  REQUIRE(crd);
  schema::PatternChecks patterns = MakePatternChecks();
  return Strings(ValidateCrdRequest(*crd, old, patterns));
}

// EnsureObjectNamespaceMatchesRequestNamespace (apiserver pkg/registry/rest/meta.go).
TEST_CASE("The server clears the namespace of a CRD before it looks at it", "[crd_validation]") {
  const auto crd = ReadCrdText(CrdWithMetadata(R"(,"namespace":"ns")"));
  REQUIRE(crd);
  CHECK(Strings(ValidateCrd(*crd)) ==
        std::vector<std::string>{"metadata.namespace: Forbidden: not allowed on this type"});
  CHECK(RequestErrors(R"(,"namespace":"ns")", nullptr).empty());
  CHECK(RequestErrors(R"(,"namespace":"ns")", &*crd).empty());
}

struct MetadataUpdate {
  std::string_view name;
  std::string old;
  std::string metadata;
  std::vector<std::string> errors;
};

// ValidateObjectMetaAccessor and ValidateObjectMetaAccessorUpdate
// (apimachinery pkg/api/validation/objectmeta.go) behind what BeforeUpdate takes from the old
// object.
const MetadataUpdate kMetadataUpdates[] = {
    {"Finalizers may be added to a CRD that stays", "", R"(,"finalizers":["a/b"])", {}},
    {"Not to one that is being deleted",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["b/c"])",
     R"(,"finalizers":["b/c","x/y","a/b"])",
     {R"(metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b", "x/y"})"}},
    {"From that they may be removed",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["b/c"])",
     "",
     {}},
    {"The time of the deletion is the server's to set",
     "",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")",
     {R"(metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable)"}},
    {"Once it is set another one does not count",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")",
     R"(,"deletionTimestamp":"2027-01-01T00:00:00Z")",
     {}},
    {"The grace period stays",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0)",
     R"(,"deletionGracePeriodSeconds":5)",
     {"metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable"}},
    {"It may be left out",
     R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0)",
     "",
     {}},
    {"A finalizer that is none",
     "",
     R"(,"finalizers":["a b"])",
     {R"(metadata.finalizers: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))"}},
    {"A generateName that is no part of a path",
     "",
     R"(,"generateName":"a/b")",
     {R"(metadata.generateName: Invalid value: "a/b": may not contain '/')"}},
    {"A generation does not count", "", R"(,"generation":-1)", {}},
};

TEST_CASE("An update is held to the rules for all kinds of objects", "[crd_validation]") {
  for (const MetadataUpdate& row : kMetadataUpdates) {
    DYNAMIC_SECTION(row.name) {
      const auto old = ReadCrdText(CrdWithMetadata(row.old));
      REQUIRE(old);
      CHECK(RequestErrors(row.metadata, &*old) == row.errors);
    }
  }
}

// Two certificates of two bytes; why they are none is told by ca_bundle_test.cc.
TEST_CASE("A broken CA bundle may stay broken, but none may become so", "[crd_validation]") {
  const auto with_bundle = [](std::string_view bundle) {
    return Expand(R"($CRD {$NAMES,"versions":[$V1],"conversion":{"strategy":"Webhook","webhook":{
        "clientConfig":{"url":"https://a/","caBundle":")" +
                  std::string(bundle) + R"("},"conversionReviewVersions":["v1"]}}},"status":{
        "conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"]}})");
  };
  constexpr std::string_view kBroken =
      "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmFHaz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
  const auto without = ReadCrdText(with_bundle(""));
  const auto no_pem = ReadCrdText(with_bundle("aGk="));
  const auto broken = ReadCrdText(with_bundle(kBroken));
  REQUIRE((without && no_pem && broken));
  CHECK(Strings(ValidateCrd(*broken, &*without)) ==
        std::vector<std::string>{"spec.conversion.webhookClientConfig.caBundle: Invalid value: \"" +
                                 std::string(kBroken) +
                                 "\": unable to load root certificates: failed to parse "
                                 "certificate: x509: malformed certificate"});
  CHECK(Strings(ValidateCrd(*broken, &*no_pem)).empty());
  CHECK(Strings(ValidateCrd(*no_pem, &*broken)).empty());
}

TEST_CASE("A new scope is printed as JSON where it may not change", "[crd_validation]") {
  const auto old = ReadCrdText(Expand(R"($CRD {$NAMES,"versions":[$V1]},"status":{
      "conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"]}})"));
  const auto crd = ReadCrdText(Expand(R"($CRD {"group":"example.com","scope":"a<b",
      "names":{"plural":"foos","kind":"Foo"},"versions":[$V1]}})"));
  REQUIRE((old && crd));
  CHECK(Strings(ValidateCrd(*crd, &*old)) ==
        std::vector<std::string>{
            R"(spec.scope: Invalid value: "a\u003cb": field is immutable)",
            R"(spec.scope: Unsupported value: "a<b": supported values: "Cluster", "Namespaced")"});
}

TEST_CASE("Structural findings can be told from the others", "[crd_validation]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"name":"v1","storage":true,"schema":{
      "openAPIV3Schema":{"nullable":true,"properties":{"a":{"type":"array"}}}}}]})");
  std::vector<std::string> structural;
  for (const CrdFinding& finding : ValidateCrd(crd)) {
    if (finding.structural) structural.push_back(finding.error.field);
  }
  CHECK(structural ==
        std::vector<std::string>{"spec.validation.openAPIV3Schema.properties[a].items",
                                 "spec.validation.openAPIV3Schema.type"});
}

TEST_CASE("A schema that cannot be converted is structural, too", "[crd_validation]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"name":"v1","storage":true,"schema":{
      "openAPIV3Schema":{"type":"object","$schema":"x"}}}]})");
  bool found = false;
  for (const CrdFinding& finding : ValidateCrd(crd)) found = found || finding.structural;
  CHECK(found);
}

}  // namespace
// The library of IP addresses came with 1.30: new rules may use it one release later, what is
// stored at once. Before 1.25 servers drop rules.
TEST_CASE("Rules are compiled as the server's release does", "[crd][cel]") {
  const Crd crd = support::TestCrd("v1", R"json({"group": "example.com", "scope": "Namespaced",
      "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
      "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
        {"type": "object", "properties": {"a": {"type": "string", "maxLength": 40,
         "x-kubernetes-validations": [{"rule": "ip(self).family() == 4"}]}}}}}]})json");
  const auto refusals = [&crd](const Crd* old, base::Release server) {
    schema::PatternChecks patterns = MakePatternChecks();
    std::size_t count = 0;
    for (const CrdFinding& finding : ValidateCrd(crd, old, patterns, server)) {
      if (finding.error.detail.starts_with("compilation failed: ")) ++count;
    }
    return count;
  };
  CHECK(refusals(nullptr, {1, 31}) == 0);
  CHECK(refusals(nullptr, {1, 30}) == 1);
  CHECK(refusals(&crd, {1, 30}) == 0);
  CHECK(refusals(&crd, {1, 29}) == 1);
  CHECK(refusals(nullptr, {1, 24}) == 0);
}

}  // namespace kube::crd
