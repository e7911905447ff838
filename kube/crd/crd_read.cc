#include "kube/base/base64.h"
#include "kube/base/error.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_defaults.h"
#include "kube/crd/crd_metadata_read.h"
#include "kube/meta/typed_reader.h"

namespace kube::crd {
namespace {

using json::Value;
using kube::meta::GoType;
using meta::TypedReader;

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
