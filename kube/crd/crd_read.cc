#include "kube/crd/crd_read.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/base64.h"
#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "kube/meta/names.h"
#include "kube/meta/typed_reader.h"

namespace kube::crd {
namespace {

void SetNames(CrdNames& names) {
  if (names.singular.empty()) names.singular = meta::ToLowerForDns(names.kind);
  if (names.list_kind.empty() && !names.kind.empty()) names.list_kind = names.kind + "List";
}

void SetV1beta1Defaults(Crd& crd) {
  if (crd.scope.empty()) crd.scope = "Namespaced";
  if (crd.versions.empty() && !crd.version.empty()) {
    CrdVersion& version = crd.versions.emplace_back();
    version.name = crd.version;
    version.served = true;
    version.storage = true;
  }
  std::optional<std::vector<std::string>>& review_versions = crd.conversion.review_versions;
  if (crd.conversion.strategy == "Webhook" && (!review_versions || review_versions->empty())) {
    review_versions = {"v1beta1"};
  }
}

void SetStoredVersions(Crd& crd) {
  if (!crd.stored_versions.empty()) return;
  if (const CrdVersion* storage = crd.StorageVersion()) {
    crd.stored_versions.push_back(storage->name);
  }
}

bool SameValidation(const VersionSettings& a, const VersionSettings& b) {
  if (a.has_validation != b.has_validation) return false;
  if (a.schema == nullptr || b.schema == nullptr) return a.schema == b.schema;
  return schema::DeepEqual(*a.schema, *b.schema);
}

// Nil and empty are the same.
template <typename T>
bool SameList(const std::optional<std::vector<T>>& a, const std::optional<std::vector<T>>& b) {
  if (!a || !b) return (!a || a->empty()) && (!b || b->empty());
  return *a == *b;
}

template <typename Same>
bool AllAgree(const std::vector<CrdVersion>& versions, Same same) {
  return std::ranges::all_of(
      versions, [&](const CrdVersion& v) { return same(versions.front().own, v.own); });
}

void MoveValidation(Crd& crd) {
  if (!AllAgree(crd.versions, SameValidation)) return;
  crd.common.has_validation = crd.versions.front().own.has_validation;
  crd.common.schema = crd.versions.front().own.schema;
  for (CrdVersion& version : crd.versions) {
    version.own.has_validation = false;
    version.own.schema = nullptr;
  }
}

template <typename T, typename Same>
void Move(Crd& crd, std::optional<T> VersionSettings::*field, Same same) {
  if (!AllAgree(crd.versions, [&](const VersionSettings& a, const VersionSettings& b) {
        return same(a.*field, b.*field);
      })) {
    return;
  }
  crd.common.*field = std::move(crd.versions.front().own.*field);
  for (CrdVersion& version : crd.versions) (version.own.*field).reset();
}

void MoveWhatAllVersionsAgreeOn(Crd& crd) {
  MoveValidation(crd);
  Move(crd, &VersionSettings::subresources, std::equal_to<>());
  Move(crd, &VersionSettings::printer_columns, SameList<PrinterColumn>);
  Move(crd, &VersionSettings::selectable_fields, SameList<std::string_view>);
}

}  // namespace

void SetCrdDefaults(Crd& crd) {
  SetNames(crd.names);
  if (crd.is_v1beta1()) SetV1beta1Defaults(crd);
  if (crd.version.empty() && !crd.versions.empty()) crd.version = crd.versions.front().name;
  SetStoredVersions(crd);
}

void SetInternalForm(Crd& crd) {
  if (!crd.is_v1beta1() && !crd.versions.empty()) MoveWhatAllVersionsAgreeOn(crd);
  for (CrdVersion& version : crd.versions) {
    version.schema = crd.common.has_validation ? crd.common.schema : version.own.schema;
    version.subresources =
        crd.common.subresources ? crd.common.subresources : version.own.subresources;
  }
}

namespace {

using json::Value;
using meta::TypedReader;

/// Reads the Go types of k8s.io/apimachinery/pkg/apis/meta/v1/types.go. What is not kept is read
/// into variables that end here.
class MetadataReader {
 public:
  MetadataReader(TypedReader& reader, Crd& crd) : reader_(reader), crd_(crd) {}

  void Read(const Value& metadata) {
    ForEachField(metadata, "v1.ObjectMeta", [this](std::string_view key, const Value& v) {
      if (key == "name") reader_.Read(v, crd_.name);
      if (key == "uid") reader_.Read(v, crd_.uid, "types.UID");
      if (key == "resourceVersion") reader_.Read(v, crd_.resource_version);
      if (key == "generation") reader_.Read(v, crd_.generation);
      if (key == "deletionTimestamp") crd_.terminating = !v.is_null();
      if (key == "labels") ReadStringMap(v, crd_.labels);
      if (key == "annotations") ReadStringMap(v, crd_.annotations);
      CheckUnused(key, v);
    });
  }

 private:
  template <typename ReadField>
  void ForEachField(const Value& value, const char* type, ReadField read) {
    if (!reader_.ExpectObject(value, type)) return;
    const std::string_view name = std::string_view(type).substr(sizeof("v1.") - 1);
    for (const json::Member& member : value.members()) {
      const TypedReader::Step step(reader_, name, member.key.text());
      read(member.key.text(), member.value);
      if (reader_.ended()) return;
    }
  }

  template <typename CheckElement>
  void ForEachElement(const Value& value, const char* type, CheckElement check) {
    if (!reader_.ExpectArray(value, type)) return;
    for (std::size_t i = 0; i < value.size() && !reader_.ended(); ++i) {
      const TypedReader::Step step(reader_, i);
      check(value.elements()[i]);
    }
  }

  void ReadStringMap(const Value& value, std::map<std::string, std::string, std::less<>>& map) {
    if (!reader_.ExpectObject(value, "map[string]string")) return;
    for (const json::Member& member : value.members()) {
      const TypedReader::Step step(reader_, member.key.text());
      reader_.Read(member.value, map[std::string(member.key.text())]);
    }
  }

  void CheckUnused(std::string_view key, const Value& value) {
    if (key == "generateName" || key == "namespace" || key == "selfLink") CheckString(value);
    if (key == "creationTimestamp" || key == "deletionTimestamp") reader_.CheckTime(value);
    if (key == "deletionGracePeriodSeconds") {
      std::int64_t seconds = 0;
      reader_.Read(value, seconds);
    }
    if (key == "finalizers") {
      std::vector<std::string_view> finalizers;
      reader_.Read(value, finalizers);
    }
    if (key == "ownerReferences") {
      ForEachElement(value, "[]v1.OwnerReference", [this](const Value& v) { CheckOwner(v); });
    }
    if (key == "managedFields") {
      ForEachElement(value, "[]v1.ManagedFieldsEntry", [this](const Value& v) { CheckManaged(v); });
    }
  }

  void CheckOwner(const Value& owner) {
    ForEachField(owner, "v1.OwnerReference", [this](std::string_view key, const Value& v) {
      if (key == "apiVersion" || key == "kind" || key == "name") CheckString(v);
      if (key == "uid") CheckString(v, "types.UID");
      if (key == "controller" || key == "blockOwnerDeletion") {
        bool is_set = false;
        reader_.Read(v, is_set);
      }
    });
  }

  void CheckManaged(const Value& entry) {
    ForEachField(entry, "v1.ManagedFieldsEntry", [this](std::string_view key, const Value& v) {
      if (key == "manager" || key == "apiVersion" || key == "fieldsType" || key == "subresource") {
        CheckString(v);
      }
      if (key == "operation") CheckString(v, "v1.ManagedFieldsOperationType");
      if (key == "time") reader_.CheckTime(v);
    });
  }

  void CheckString(const Value& value, const char* go_type = "string") {
    std::string_view text;
    reader_.Read(value, text, go_type);
  }

  TypedReader& reader_;
  Crd& crd_;
};

}  // namespace

void ReadCrdMetadata(TypedReader& reader, const Value& metadata, Crd& crd) {
  MetadataReader(reader, crd).Read(metadata);
}

namespace {

using kube::meta::GoType;

GoType Api(std::string_view name, std::string_view prefix = "") {
  return GoType::Api(name, prefix);
}

/// Reads the Go types CustomResourceDefinition of apiextensions' v1 and v1beta1 (types.go). Fields
/// that one of the two does not have are ignored in it, as unknown fields are.
class CrdReader {
 public:
  CrdReader(TypedReader& reader, Crd& crd)
      : reader_(reader), crd_(crd), is_v1beta1_(crd.is_v1beta1()) {}

  void Read(const Value& root) {
    ForEachField(root, "CustomResourceDefinition", [this](std::string_view key, const Value& v) {
      if (key == "metadata") ReadCrdMetadata(reader_, v, crd_);
      if (key == "spec") ReadSpec(v);
      if (key == "status") ReadStatus(v);
    });
  }

 private:
  /// Calls `read(key, value)` for each field of the Go struct `type`.
  template <typename ReadField>
  void ForEachField(const Value& value, std::string_view type, ReadField read) {
    if (!reader_.ExpectObject(value, Api(type))) return;
    for (const json::Member& member : value.members()) {
      const TypedReader::Step step(reader_, type, member.key.text());
      read(member.key.text(), member.value);
      if (reader_.ended()) return;
    }
  }

  /// Reads a slice of structs with `read(value, element)`; null leaves it nil.
  template <typename T, typename ReadElement>
  void ReadList(const Value& value, std::string_view type, std::optional<std::vector<T>>& list,
                ReadElement read) {
    if (!reader_.ExpectArray(value, Api(type, "[]"))) return;
    list.emplace(value.size());
    for (std::size_t i = 0; i < list->size() && !reader_.ended(); ++i) {
      const TypedReader::Step step(reader_, i);
      read(value.elements()[i], (*list)[i]);
    }
  }

  void ReadSpec(const Value& value) {
    ForEachField(value, "CustomResourceDefinitionSpec",
                 [this](std::string_view key, const Value& v) {
                   if (key == "group") reader_.Read(v, crd_.group);
                   if (key == "names") ReadNames(v, crd_.names);
                   if (key == "scope") reader_.Read(v, crd_.scope, Api("ResourceScope"));
                   if (key == "versions") ReadVersions(v);
                   if (key == "preserveUnknownFields")
                     reader_.Read(v, crd_.preserve_unknown_fields);
                   if (key == "conversion") ReadConversion(v);
                   if (!is_v1beta1_) return;
                   if (key == "version") reader_.Read(v, crd_.version);
                   if (key == "validation") ReadValidation(v, crd_.common);
                   ReadSetting(key, v, crd_.common);
                 });
  }

  void ReadNames(const Value& value, CrdNames& names) {
    ForEachField(value, "CustomResourceDefinitionNames", [&](std::string_view key, const Value& v) {
      if (key == "plural") reader_.Read(v, names.plural);
      if (key == "singular") reader_.Read(v, names.singular);
      if (key == "kind") reader_.Read(v, names.kind);
      if (key == "listKind") reader_.Read(v, names.list_kind);
      if (key == "shortNames") reader_.Read(v, names.short_names);
      if (key == "categories") reader_.Read(v, names.categories);
    });
  }

  void ReadVersions(const Value& value) {
    std::optional<std::vector<CrdVersion>> versions;
    ReadList(value, "CustomResourceDefinitionVersion", versions,
             [this](const Value& v, CrdVersion& version) { ReadVersion(v, version); });
    if (versions) crd_.versions = std::move(*versions);
  }

  void ReadVersion(const Value& value, CrdVersion& version) {
    ForEachField(value, "CustomResourceDefinitionVersion",
                 [&](std::string_view key, const Value& v) {
                   if (key == "name") reader_.Read(v, version.name);
                   if (key == "served") reader_.Read(v, version.served);
                   if (key == "storage") reader_.Read(v, version.storage);
                   if (key == "deprecated") reader_.Read(v, version.deprecated);
                   if (key == "deprecationWarning") reader_.Read(v, version.deprecation_warning);
                   if (key == "schema") ReadValidation(v, version.own);
                   ReadSetting(key, v, version.own);
                 });
  }

  void ReadSetting(std::string_view key, const Value& value, VersionSettings& settings) {
    if (key == "subresources") ReadSubresources(value, settings.subresources);
    if (key == "additionalPrinterColumns") {
      ReadList(value, "CustomResourceColumnDefinition", settings.printer_columns,
               [this](const Value& v, PrinterColumn& column) { ReadColumn(v, column); });
    }
    if (key == "selectableFields") {
      ReadList(value, "SelectableField", settings.selectable_fields,
               [this](const Value& v, std::string_view& path) { ReadSelectableField(v, path); });
    }
  }

  void ReadValidation(const Value& value, VersionSettings& settings) {
    settings.has_validation = !value.is_null();
    ForEachField(value, "CustomResourceValidation", [&](std::string_view key, const Value& v) {
      if (key != "openAPIV3Schema" || v.is_null()) return;
      const auto schema = std::make_shared<schema::SchemaProps>();
      schema::ReadSchemaProps(reader_, v, *schema);
      settings.schema = schema;
    });
  }

  void ReadSubresources(const Value& value, std::optional<Subresources>& subresources) {
    if (value.is_null()) return;
    subresources.emplace();
    ForEachField(value, "CustomResourceSubresources", [&](std::string_view key, const Value& v) {
      if (key == "status") {
        subresources->status = reader_.ExpectObject(v, Api("CustomResourceSubresourceStatus"));
      }
      if (key == "scale" && !v.is_null()) ReadScale(v, subresources->scale.emplace());
    });
  }

  void ReadScale(const Value& value, ScaleSubresource& scale) {
    ForEachField(value, "CustomResourceSubresourceScale",
                 [&](std::string_view key, const Value& v) {
                   if (key == "specReplicasPath") reader_.Read(v, scale.spec_replicas_path);
                   if (key == "statusReplicasPath") reader_.Read(v, scale.status_replicas_path);
                   if (key == "labelSelectorPath") reader_.Read(v, scale.label_selector_path);
                 });
  }

  void ReadColumn(const Value& value, PrinterColumn& column) {
    const std::string_view json_path = is_v1beta1_ ? "JSONPath" : "jsonPath";
    ForEachField(value, "CustomResourceColumnDefinition",
                 [&](std::string_view key, const Value& v) {
                   if (key == "name") reader_.Read(v, column.name);
                   if (key == "type") reader_.Read(v, column.type);
                   if (key == "format") reader_.Read(v, column.format);
                   if (key == "description") reader_.Read(v, column.description);
                   if (key == "priority") reader_.Read(v, column.priority);
                   if (key == json_path) reader_.Read(v, column.json_path);
                 });
  }

  void ReadSelectableField(const Value& value, std::string_view& json_path) {
    ForEachField(value, "SelectableField", [&](std::string_view key, const Value& v) {
      if (key == "jsonPath") reader_.Read(v, json_path);
    });
  }

  void ReadConversion(const Value& value) {
    if (value.is_null()) return;
    CrdConversion& conversion = crd_.conversion;
    conversion.strategy.clear();  // the default is for an absent conversion only
    ForEachField(value, "CustomResourceConversion", [&](std::string_view key, const Value& v) {
      if (key == "strategy") reader_.Read(v, conversion.strategy, Api("ConversionStrategyType"));
      if (is_v1beta1_) ReadWebhookField(key, "webhookClientConfig", v);
      if (key == "webhook" && !is_v1beta1_) {
        ForEachField(v, "WebhookConversion", [this](std::string_view field, const Value& w) {
          ReadWebhookField(field, "clientConfig", w);
        });
      }
    });
  }

  void ReadWebhookField(std::string_view key, std::string_view client_config, const Value& value) {
    if (key == "conversionReviewVersions") reader_.Read(value, crd_.conversion.review_versions);
    if (key == client_config && !value.is_null()) {
      ReadClientConfig(value, crd_.conversion.client_config.emplace());
    }
  }

  void ReadClientConfig(const Value& value, WebhookClientConfig& config) {
    ForEachField(value, "WebhookClientConfig", [&](std::string_view key, const Value& v) {
      if (key == "url") reader_.Read(v, config.url);
      if (key == "caBundle") ReadBytes(v, config.ca_bundle);
      if (key == "service" && !v.is_null()) ReadService(v, config.service.emplace());
    });
  }

  void ReadBytes(const Value& value, std::string& bytes) {
    std::string_view text;
    reader_.Read(value, text, "[]uint8");
    auto decoded = base::DecodeBase64(text);
    if (!decoded) return reader_.Refuse(decoded.error());
    bytes = *std::move(decoded);
  }

  void ReadService(const Value& value, WebhookService& service) {
    ForEachField(value, "ServiceReference", [&](std::string_view key, const Value& v) {
      if (key == "name") reader_.Read(v, service.name);
      if (key == "namespace") reader_.Read(v, service.namespace_);
      if (key == "path") reader_.Read(v, service.path);
      if (key == "port") {
        if (!v.is_null()) reader_.Read(v, service.port);
      }
    });
  }

  void ReadStatus(const Value& value) {
    ForEachField(value, "CustomResourceDefinitionStatus",
                 [this](std::string_view key, const Value& v) {
                   if (key == "storedVersions") reader_.Read(v, crd_.stored_versions);
                   if (key == "acceptedNames") ReadNames(v, crd_.accepted_names);
                   if (key == "conditions") ReadConditions(v);
                   if (key == "observedGeneration") CheckInteger(v);
                 });
  }

  void ReadConditions(const Value& value) {
    constexpr std::string_view kCondition = "CustomResourceDefinitionCondition";
    if (!reader_.ExpectArray(value, Api(kCondition, "[]"))) return;
    for (std::size_t i = 0; i < value.size() && !reader_.ended(); ++i) {
      const TypedReader::Step step(reader_, i);
      ForEachField(value.elements()[i], kCondition, [this](std::string_view key, const Value& v) {
        std::string_view text;
        if (key == "type") reader_.Read(v, text, Api("CustomResourceDefinitionConditionType"));
        if (key == "status") reader_.Read(v, text, Api("ConditionStatus"));
        if (key == "reason" || key == "message") reader_.Read(v, text);
        if (key == "lastTransitionTime") reader_.CheckTime(v);
        if (key == "observedGeneration") CheckInteger(v);
      });
    }
    crd_.status_conditions = value;
  }

  void CheckInteger(const Value& value) {
    std::int64_t number = 0;
    reader_.Read(value, number);
  }

  TypedReader& reader_;
  Crd& crd_;
  bool is_v1beta1_;
};

std::string Describe(const TypedReader::Error& error) {
  return error.path.empty() ? error.message : error.path + ": " + error.message;
}

}  // namespace

base::Result<Crd, std::string> ReadCrd(std::unique_ptr<json::Document> document) {
  const Value& root = document->root();
  if (!IsCrd(root))
    return base::Unexpected(std::string("not a CustomResourceDefinition of v1 or v1beta1"));
  Crd crd;
  crd.api_version = root.FindText("apiVersion");
  crd.preserve_unknown_fields = crd.is_v1beta1();
  TypedReader reader(crd.is_v1beta1() ? "v1beta1" : "v1");
  CrdReader(reader, crd).Read(root);
  if (reader.error()) return base::Unexpected(Describe(*reader.error()));
  SetCrdDefaults(crd);
  SetInternalForm(crd);
  crd.document = std::move(document);
  return crd;
}

base::Result<Crd, std::string> ReadCopiedCrd(const json::Value& crd) {
  auto document = std::make_unique<json::Document>();
  document->root() = json::DeepCopy(crd, document->arena());
  return ReadCrd(std::move(document));
}

Crd CopyCrd(const Crd& crd) {
  auto copy = ReadCopiedCrd(crd.document->root());
  if (!copy) throw base::Error(crd.name + ": " + copy.error());
  return *std::move(copy);
}

}  // namespace kube::crd
