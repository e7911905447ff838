#include <string>

#include "kube/crd/crd_spec_validation.h"
#include "kube/meta/make_field_error.h"

namespace kube::crd {
namespace {

using kube::meta::PrintJsonText;

std::string PrintBool(bool value) { return value ? "true" : "false"; }

std::string PrintScale(const ScaleSubresource& scale) {
  const std::string selector =
      scale.label_selector_path ? PrintJsonText(*scale.label_selector_path) : "null";
  return "{\"SpecReplicasPath\":" + PrintJsonText(scale.spec_replicas_path) +
         ",\"StatusReplicasPath\":" + PrintJsonText(scale.status_replicas_path) +
         ",\"LabelSelectorPath\":" + selector + "}";
}

std::string PrintSubresources(const std::optional<Subresources>& subresources) {
  if (!subresources) return "null";
  return std::string("{\"Status\":") + (subresources->status ? "{}" : "null") +
         ",\"Scale\":" + (subresources->scale ? PrintScale(*subresources->scale) : "null") + "}";
}

std::string PrintColumn(const PrinterColumn& column) {
  return "{\"Name\":" + PrintJsonText(column.name) + ",\"Type\":" + PrintJsonText(column.type) +
         ",\"Format\":" + PrintJsonText(column.format) +
         ",\"Description\":" + PrintJsonText(column.description) +
         ",\"Priority\":" + std::to_string(column.priority) +
         ",\"JSONPath\":" + PrintJsonText(column.json_path) + "}";
}

std::string PrintSelectableField(std::string_view json_path) {
  return "{\"JSONPath\":" + PrintJsonText(json_path) + "}";
}

template <typename List, typename Print>
std::string PrintList(const List& list, const Print& print) {
  std::string printed = "[";
  for (const auto& element : list) {
    if (printed.size() > 1) printed += ',';
    printed += print(element);
  }
  return printed + "]";
}

std::string PrintSchema(const VersionSettings& settings) {
  if (!settings.has_validation) return "null";
  return "{\"OpenAPIV3Schema\":" + (settings.schema ? schema::PrintGo(*settings.schema) : "null") +
         "}";
}

std::string PrintVersion(const CrdVersion& version) {
  const VersionSettings& own = version.own;
  return "{\"Name\":" + PrintJsonText(version.name) + ",\"Served\":" + PrintBool(version.served) +
         ",\"Storage\":" + PrintBool(version.storage) +
         ",\"Deprecated\":" + PrintBool(version.deprecated) + ",\"DeprecationWarning\":" +
         (version.deprecation_warning ? PrintJsonText(*version.deprecation_warning) : "null") +
         ",\"Schema\":" + PrintSchema(own) +
         ",\"Subresources\":" + PrintSubresources(own.subresources) +
         ",\"AdditionalPrinterColumns\":" +
         (own.printer_columns ? PrintList(*own.printer_columns, PrintColumn) : "null") +
         ",\"SelectableFields\":" +
         (own.selectable_fields ? PrintList(*own.selectable_fields, PrintSelectableField)
                                : "null") +
         "}";
}

/// True if spec.versions was written, maybe as [].
bool HasVersionList(const Crd& crd) {
  return crd.document->root().At("spec").At("versions").is_array();
}

}  // namespace

std::string PrintGoVersions(const Crd& crd) {
  if (crd.versions.empty() && !HasVersionList(crd)) return "null";
  return PrintList(crd.versions, PrintVersion);
}

}  // namespace kube::crd
