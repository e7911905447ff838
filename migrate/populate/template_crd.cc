#include "migrate/populate/template_crd.h"

#include <memory>
#include <utility>

#include "kube/base/error.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_validation.h"
#include "kube/crd/custom_resource.h"
#include "kube/schema/object_validation.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

/// The CRD, and how an API server treats its objects.
class TemplateServer {
 public:
  /// Made once, for all threads.
  static const TemplateServer& Get() {
    static const TemplateServer server;
    return server;
  }

  const kube::crd::CustomResourceServer& server() const { return server_; }
  kube::schema::ObjectRules rules() const {
    return {*crd_.FindVersion(kVersion)->schema, *server_.FindSchema(kVersion)};
  }

 private:
  TemplateServer() : crd_(Read()), server_(crd_, /*preserve_unknown_fields=*/false) {}

  static kube::crd::Crd Read() {
    auto document = std::make_unique<kube::json::Document>();
    if (const auto error = document->Parse(kTemplateCrd)) throw kube::base::Error(error->message);
    auto crd = kube::crd::ReadCrd(std::move(document));
    if (!crd) throw kube::base::Error(crd.error());
    return *std::move(crd);
  }

  kube::crd::Crd crd_;
  kube::crd::CustomResourceServer server_;
};

}  // namespace

kube::base::Result<std::vector<std::string>, std::string> ReadBySchema(Value& object,
                                                                       kube::json::Arena& arena) {
  kube::crd::ServerNotes notes;
  auto error = TemplateServer::Get().server().OnRequest(object, kVersion, arena, &notes);
  if (error) return kube::base::Unexpected(*std::move(error));
  return std::move(notes.unknown_fields);
}

std::vector<kube::meta::FieldError> ErrorsBySchema(const Value& object) {
  auto patterns = kube::crd::MakePatternChecks();
  return kube::schema::ErrorsOfCreate(object, TemplateServer::Get().rules(), patterns);
}

// A name becomes the value of a label, of which it has the form, but for its length.
const std::string_view kTemplateCrd = R"({
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
    "name": "namespacetemplates.policy.kubectl-prune.dev",
    "labels": {"applyset.kubernetes.io/is-parent-type": "true"}
  },
  "spec": {
    "group": "policy.kubectl-prune.dev",
    "scope": "Cluster",
    "names": {
      "plural": "namespacetemplates",
      "singular": "namespacetemplate",
      "kind": "NamespaceTemplate",
      "listKind": "NamespaceTemplateList",
      "shortNames": ["nstpl"]
    },
    "versions": [{
      "name": "v1alpha1",
      "served": true,
      "storage": true,
      "subresources": {"status": {}},
      "additionalPrinterColumns": [
        {"name": "Namespaces", "type": "integer", "jsonPath": ".status.namespaces"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
      ],
      "schema": {"openAPIV3Schema": {
        "type": "object",
        "required": ["spec"],
        "properties": {
          "apiVersion": {"type": "string"},
          "kind": {"type": "string"},
          "metadata": {
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 63}}
          },
          "spec": {
            "type": "object",
            "required": ["namespaces", "templates"],
            "properties": {
              "namespaces": {
                "type": "object",
                "required": ["labelSelector"],
                "properties": {
                  "labelSelector": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {
                      "matchLabels": {
                        "type": "object",
                        "nullable": true,
                        "additionalProperties": {"type": "string", "nullable": true}
                      },
                      "matchExpressions": {
                        "type": "array",
                        "nullable": true,
                        "x-kubernetes-list-type": "atomic",
                        "items": {
                          "type": "object",
                          "x-kubernetes-preserve-unknown-fields": true,
                          "required": ["key", "operator"],
                          "properties": {
                            "key": {"type": "string"},
                            "operator": {
                              "type": "string",
                              "enum": ["In", "NotIn", "Exists", "DoesNotExist"]
                            },
                            "values": {
                              "type": "array",
                              "x-kubernetes-list-type": "atomic",
                              "items": {"type": "string"}
                            }
                          }
                        }
                      }
                    }
                  }
                }
              },
              "templates": {
                "type": "array",
                "x-kubernetes-list-type": "atomic",
                "items": {
                  "type": "object",
                  "x-kubernetes-embedded-resource": true,
                  "x-kubernetes-preserve-unknown-fields": true
                }
              }
            }
          },
          "status": {
            "type": "object",
            "properties": {
              "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
              "namespaces": {"type": "integer", "format": "int32", "minimum": 0},
              "conditions": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": {
                  "type": "object",
                  "required": ["type", "status", "lastTransitionTime", "reason", "message"],
                  "properties": {
                    "type": {"type": "string"},
                    "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
                    "lastTransitionTime": {"type": "string", "format": "date-time"},
                    "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
                    "reason": {"type": "string"},
                    "message": {"type": "string"}
                  }
                }
              },
              "failures": {
                "type": "array",
                "x-kubernetes-list-type": "atomic",
                "maxItems": 100,
                "items": {
                  "type": "object",
                  "required": ["namespace", "message"],
                  "properties": {
                    "namespace": {"type": "string"},
                    "object": {"type": "string"},
                    "message": {"type": "string"}
                  }
                }
              }
            }
          }
        }
      }}
    }]
  }
})";

}  // namespace migrate::populate
