#include "migrate/populate/namespace_template.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_validation.h"
#include "kube/crd/custom_resource.h"
#include "kube/meta/field_error.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta_validation.h"
#include "kube/schema/object_validation.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/substitution.h"

namespace migrate::populate {

std::vector<kube::meta::FieldError> ClusterMetadataErrors(const kube::json::Value& metadata,
                                                          NameProblems name_problems) {
  std::vector<kube::meta::FieldError> errors;
  const std::string_view name = metadata.FindText("name");
  if (name.empty()) {
    errors.push_back(kube::meta::Required("metadata.name", "name is required"));
  } else {
    kube::meta::AppendInvalidTexts(errors, "metadata.name", name, name_problems(name));
  }
  kube::meta::Append(errors, kube::schema::ValidateObjectMeta(metadata, "metadata"));
  return errors;
}

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

namespace {

using Errors = std::vector<kube::meta::FieldError>;

constexpr std::string_view kFirstGroup = "policy";
constexpr std::string_view kSelectorPath = "spec.namespaces.labelSelector";

// An object without a name would be another one at each apply.
Errors MissingNames(std::span<const Value> objects) {
  Errors errors;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!objects[i].At("metadata").FindText("name").empty()) continue;
    errors.push_back(kube::meta::Required(kube::meta::Index("spec.templates", i) + ".metadata.name",
                                          "name is required"));
  }
  return errors;
}

void RequireFields(const Value& object, std::span<const std::string_view> known,
                   std::string_view path, Errors& errors) {
  for (const kube::json::Member* member : kube::json::SortedMembers(object)) {
    const std::string_view name = member->key.text();
    const std::string field = kube::meta::Child(path, name);
    if (std::ranges::find(known, name) == known.end()) {
      errors.push_back(kube::meta::Forbidden(field, "no selector has such a field"));
    } else if (member->value.is_null()) {
      errors.push_back(kube::meta::Required(field, "it is null"));
    }
  }
}

// Where a schema dropped such fields and nulls, one that is misspelt would select every namespace.
Errors SelectorFaults(const Value& selector) {
  constexpr std::string_view kParts[] = {"matchExpressions", "matchLabels"};
  constexpr std::string_view kOfExpressions[] = {"key", "operator", "values"};
  Errors errors;
  RequireFields(selector, kParts, kSelectorPath, errors);
  for (const kube::json::Member* label : kube::json::SortedMembers(selector.At("matchLabels"))) {
    if (!label->value.is_null()) continue;
    errors.push_back(kube::meta::Required(
        kube::meta::Key(kube::meta::Child(kSelectorPath, "matchLabels"), label->key.text()),
        "it is null"));
  }
  const std::span<const Value> expressions = selector.At("matchExpressions").elements();
  const std::string list = kube::meta::Child(kSelectorPath, "matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    RequireFields(expressions[i], kOfExpressions, kube::meta::Index(list, i), errors);
  }
  return errors;
}

/// Reads an object that the schema has no errors of.
class TemplateReader {
 public:
  explicit TemplateReader(const Value& object)
      : object_(object), metadata_(*object.Find("metadata")), spec_(*object.Find("spec")) {}

  NamespaceTemplate Read(Errors& errors) {
    NamespaceTemplate read;
    read.name = metadata_.FindText("name");
    read.is_disabled = HasEntry(object_, kApplyKey, "disable");
    read.requires_permission = HasEntry(object_, kRequirePermissionKey, "true");
    ReadSelector(read, errors);
    read.objects = spec_.Find("templates")->elements();
    read.uses_creator = std::ranges::any_of(read.objects, UsesCreator);
    kube::meta::Append(errors, MissingNames(read.objects));
    return read;
  }

 private:
  void ReadSelector(NamespaceTemplate& read, Errors& errors) const {
    auto selector = ReadNamespaceSelector(*spec_.Find("namespaces")->Find("labelSelector"));
    if (selector) {
      read.selector = *std::move(selector);
    } else {
      kube::meta::Append(errors, std::move(selector).error());
    }
  }

  const Value& object_;
  const Value& metadata_;
  const Value& spec_;
};

}  // namespace

bool IsNamespaceTemplate(const Value& object) {
  const kube::meta::GroupVersionKind type = kube::meta::TypeOf(object);
  const std::string_view group = type.group_version.group;
  return type.kind == kTemplateKind && type.group_version.version == kVersion &&
         (group == kGroup || group == kFirstGroup);
}

kube::base::Result<kube::meta::LabelSelector, Errors> ReadNamespaceSelector(const Value& selector) {
  Errors faults = SelectorFaults(selector);
  auto read = kube::meta::ReadLabelSelector(selector, kSelectorPath);
  if (!read) kube::meta::Append(faults, std::move(read).error());
  if (!faults.empty()) return kube::base::Unexpected(std::move(faults));
  return read;
}

kube::base::Result<NamespaceTemplate, std::vector<std::string>> ReadNamespaceTemplate(
    const Value& object) {
  const auto refuse = [](std::vector<std::string> errors) {
    return kube::base::Unexpected(std::move(errors));
  };
  auto document = std::make_shared<kube::json::Document>();
  Value& copy = document->root();
  copy = kube::json::DeepCopy(object, document->arena());
  const kube::meta::GroupVersion own{kGroup, kVersion};
  copy.Set("apiVersion", Value::String(document->arena().Copy(own.ToString())), document->arena());
  copy.Erase("status");  // which a create leaves to the status subresource
  auto unknown_fields = ReadBySchema(copy, document->arena());
  if (!unknown_fields) return refuse({unknown_fields.error()});

  Errors errors = ClusterMetadataErrors(copy.At("metadata"), kube::meta::Dns1123SubdomainProblems);
  kube::meta::Append(errors, ErrorsBySchema(copy));
  if (!errors.empty()) return refuse(kube::meta::SortedStrings(errors));
  NamespaceTemplate read = TemplateReader(copy).Read(errors);
  if (!errors.empty()) return refuse(kube::meta::SortedStrings(errors));
  read.document = std::move(document);
  read.unknown_fields = *std::move(unknown_fields);
  return read;
}

}  // namespace migrate::populate
