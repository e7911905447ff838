#include "migrate/populate/namespace_template.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "kube/meta/field_error.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/metadata_entry.h"
#include "migrate/populate/object_metadata_errors.h"
#include "migrate/populate/substitution.h"
#include "migrate/populate/template_crd.h"

namespace migrate::populate {
namespace {

using kube::json::Type;
using kube::json::Value;
using Errors = std::vector<kube::meta::FieldError>;

constexpr std::string_view kFirstGroup = "policy";
constexpr std::string_view kSelectorPath = "spec.namespaces.labelSelector";

// An object without a name would be another one at each apply.
Errors MissingNames(std::span<const Value> objects) {
  Errors errors;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Value* metadata = objects[i].Find("metadata");
    if (metadata != nullptr && !metadata->FindText("name").empty()) continue;
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
  if (const Value* labels = selector.Find("matchLabels")) {
    for (const kube::json::Member* label : kube::json::SortedMembers(*labels)) {
      if (!label->value.is_null()) continue;
      errors.push_back(kube::meta::Required(
          kube::meta::Key(kube::meta::Child(kSelectorPath, "matchLabels"), label->key.text()),
          "it is null"));
    }
  }
  if (const Value* expressions = selector.Find("matchExpressions")) {
    const std::string list = kube::meta::Child(kSelectorPath, "matchExpressions");
    for (std::size_t i = 0; i < expressions->elements().size(); ++i) {
      RequireFields(expressions->elements()[i], kOfExpressions, kube::meta::Index(list, i), errors);
    }
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

  const Value* metadata = copy.Find("metadata");
  Errors errors = ClusterMetadataErrors(metadata == nullptr ? Value::Object() : *metadata,
                                        kube::meta::Dns1123SubdomainProblems);
  kube::meta::Append(errors, ErrorsBySchema(copy));
  if (!errors.empty()) return refuse(kube::meta::SortedStrings(errors));
  NamespaceTemplate read = TemplateReader(copy).Read(errors);
  if (!errors.empty()) return refuse(kube::meta::SortedStrings(errors));
  read.document = std::move(document);
  read.unknown_fields = *std::move(unknown_fields);
  return read;
}

}  // namespace migrate::populate
