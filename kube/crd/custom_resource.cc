#include "kube/crd/custom_resource.h"

#include <algorithm>
#include <iterator>

#include "kube/go/go_format.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_meta.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"

namespace kube::crd {
namespace {

using Error = std::optional<std::string>;

constexpr char kCannotServe[] = "the server could not properly serve the CR schema";

std::string MissingKind(const json::Value& object, std::string_view text) {
  const std::string body =
      text.empty() ? json::Print(object, json::KeyOrder::kAsWritten) : std::string(text);
  return "Object 'Kind' is missing in '" + body + "'";
}

constexpr char kTooManyDefaults[] = "the defaults of the schema make the object too large to store";

/// The server's Go code runs into a nil pointer there.
constexpr char kNoMetadata[] = "the API server cannot read an object without metadata";

std::string RewriteVersion(const Crd& crd) {
  const CrdVersion* storage = crd.StorageVersion();
  if (storage && storage->served) return storage->name;
  const auto served = std::ranges::find_if(crd.versions, &CrdVersion::served);
  if (served != crd.versions.end()) return served->name;
  return storage ? storage->name : std::string();
}

/// The generation of very old objects, which had none.
void RepairGeneration(json::Value& metadata, json::Arena& arena) {
  const json::Value* generation = metadata.Find("generation");
  if (generation && json::AsInt64(*generation) != 0) return;
  metadata.Set("generation", json::Value::Number("1"), arena);
}

}  // namespace

CustomResourceServer::CustomResourceServer(const Crd& crd, bool preserve_unknown_fields)
    : group_(crd.group),
      kind_(crd.accepted_names.kind.empty() ? crd.names.kind : crd.accepted_names.kind),
      rewrite_version_(RewriteVersion(crd)),
      preserve_unknown_fields_(preserve_unknown_fields),
      converts_by_webhook_(crd.conversion.strategy != "None") {
  if (const CrdVersion* storage = crd.StorageVersion()) storage_version_ = storage->name;
  versions_.reserve(crd.versions.size());
  for (const CrdVersion& version : crd.versions) AddVersion(version);
}

void CustomResourceServer::AddVersion(const CrdVersion& version) {
  Version& added = versions_.emplace_back(Version{version.name, std::nullopt});
  if (!version.schema) return;
  if (schema::ConversionError(*version.schema)) {
    if (!preserve_unknown_fields_) cannot_serve_ = kCannotServe;
    return;
  }
  added.schema = schema::MakeStructural(*version.schema, defaults_);
  // The server prunes the defaults only where it prunes objects.
  if (!preserve_unknown_fields_ && schema::PruneDefaults(*added.schema, defaults_)) {
    cannot_serve_ = kCannotServe;
  }
  schema::MarkSubtrees(*added.schema);
}

const CustomResourceServer::Version* CustomResourceServer::FindVersion(
    std::string_view name) const {
  const auto found = std::ranges::find(versions_, name, &Version::name);
  return found == versions_.end() ? nullptr : &*found;
}

const schema::StructuralSchema* CustomResourceServer::FindSchema(std::string_view version) const {
  const Version* found = FindVersion(version);
  return found && found->schema ? &*found->schema : nullptr;
}

Error CustomResourceServer::WebhookError(const json::Value& object,
                                         std::string_view version) const {
  const meta::GroupVersion from = meta::TypeOf(object).group_version;
  const meta::GroupVersion to{group_, version};
  if (!converts_by_webhook_ || from == to) return std::nullopt;
  return "a webhook converts it from " + from.ToString() + " to " + to.ToString() +
         ", which can only be asked by the API server";
}

bool CustomResourceServer::IsOwnKind(const meta::GroupVersionKind& type) const {
  return type.group_version.group == group_ && type.kind == kind_;
}

Error CustomResourceServer::OnRequest(json::Value& body, std::string_view endpoint_version,
                                      json::Arena& arena, ServerNotes* notes,
                                      std::string_view text) const {
  if (cannot_serve_) return cannot_serve_;
  if (auto error = meta::RequestTypeError(body)) return error;
  ApplyOptions options;
  std::vector<std::string> unknown_fields;
  if (notes) options.unknown_fields = &unknown_fields;
  if (auto error = Decode(body, text, options, notes, arena)) return error;
  if (notes) notes->unknown_fields = std::move(unknown_fields);
  const meta::GroupVersion endpoint{group_, endpoint_version};
  const meta::GroupVersion own = meta::TypeOf(body).group_version;
  if (own == endpoint) return std::nullopt;
  return "the API version in the data (" + own.ToString() +
         ") does not match the expected API version (" + endpoint.ToString() + ")";
}

Error CustomResourceServer::OnWrite(json::Value& object, json::Arena& arena,
                                    ServerNotes* notes) const {
  if (cannot_serve_) return cannot_serve_;
  // runtime/serializer/versioning encodes as it is what has the right version already.
  const meta::GroupVersion own = meta::TypeOf(object).group_version;
  if (own.version.empty() || own == meta::GroupVersion{group_, storage_version_})
    return std::nullopt;
  return Convert(object, storage_version_, arena, notes);
}

Error CustomResourceServer::OnRead(json::Value& stored, std::string_view version,
                                   json::Arena& arena, ServerNotes* notes,
                                   std::string_view text) const {
  if (cannot_serve_) return cannot_serve_;
  ApplyOptions options;
  options.from_etcd = true;
  if (auto error = Decode(stored, text, options, notes, arena)) return error;
  return Convert(stored, version, arena, notes);
}

Error CustomResourceServer::Rewrite(json::Value& stored, json::Arena& arena,
                                    ServerNotes* notes) const {
  if (auto error = OnRead(stored, rewrite_version_, arena, notes)) return error;
  // A patch, even {}, is decoded as a request body is, and so defaulted a second time.
  if (auto error = Decode(stored, {}, {}, notes, arena)) return error;
  return OnWrite(stored, arena, notes);
}

/// Both decoders: JSON to Unstructured, then schemaCoercingDecoder, then unstructuredDefaulter.
Error CustomResourceServer::Decode(json::Value& object, std::string_view text,
                                   const ApplyOptions& given, ServerNotes* notes,
                                   json::Arena& arena) const {
  if (!object.is_object() && !object.is_null()) {
    return "json: cannot unmarshal " + std::string(json::TypeName(object.type())) +
           " into Go value of type map[string]interface {}";
  }
  if (auto error = json::StoreNumbers(object, arena)) return error;
  if (meta::TypeOf(object).kind.empty()) return MissingKind(object, text);
  ApplyOptions options = given;
  if (notes) options.dropped_nulls = &notes->dropped_nulls;
  if (auto error = Apply(object, options, arena)) return error;
  const meta::GroupVersionKind type = meta::TypeOf(object);
  const schema::StructuralSchema* schema = FindSchema(type.group_version.version);
  if (!schema || !IsOwnKind(type)) return std::nullopt;
  if (!schema::SetDefaults(object, *schema, arena, notes ? &notes->added_defaults : nullptr)) {
    return kTooManyDefaults;
  }
  return std::nullopt;
}

/// unstructuredSchemaCoercer.apply.
Error CustomResourceServer::Apply(json::Value& object, const ApplyOptions& options,
                                  json::Arena& arena) const {
  auto kind = meta::NestedString(object, "kind");
  if (!kind) return kind.error();
  auto api_version = meta::NestedString(object, "apiVersion");
  if (!api_version) return api_version.error();
  auto meta = schema::GetObjectMeta(object, options.from_etcd, arena);
  if (!meta) return meta.error();
  if (options.unknown_fields && *meta) *options.unknown_fields = (*meta)->unknown_field_paths;
  auto group_version = meta::ParseGroupVersion(api_version->value_or(std::string_view()));
  if (!group_version) return group_version.error();

  if (IsOwnKind({*group_version, kind->value_or(std::string_view())})) {
    if (auto error = ApplySchema(object, group_version->version, options, arena)) return error;
    if (options.from_etcd && !*meta) return kNoMetadata;
    if (options.from_etcd) RepairGeneration((*meta)->metadata, arena);
  }
  if (*meta) object.Set("metadata", (*meta)->metadata, arena);
  return std::nullopt;
}

/// The part of it that is for custom resources only.
Error CustomResourceServer::ApplySchema(json::Value& object, std::string_view version,
                                        const ApplyOptions& options, json::Arena& arena) const {
  const schema::StructuralSchema* schema = FindSchema(version);
  if (!preserve_unknown_fields_) {
    if (options.unknown_fields) {
      std::ranges::move(schema::Prune(object, schema, /*is_resource_root=*/true),
                        std::back_inserter(*options.unknown_fields));
    } else {
      schema::DropUnknownFields(object, schema, /*is_resource_root=*/true);
    }
    if (schema) schema::DropNulls(object, *schema, options.dropped_nulls);
  }
  if (!schema) return std::nullopt;
  return schema::CoerceEmbedded(object, *schema, options.from_etcd, arena, options.unknown_fields);
}

/// crConverter with the strategy None, and schemaCoercingConverter around it.
Error CustomResourceServer::Convert(json::Value& object, std::string_view version,
                                    json::Arena& arena, ServerNotes* notes) const {
  const meta::GroupVersionKind from = meta::TypeOf(object);
  const meta::GroupVersion to{group_, version};
  if (from.group_version.group != group_) {
    return from.ToString() + " is unstructured and is not suitable for converting to " +
           go::GoQuote(to.ToString());
  }
  if (!FindVersion(version)) {
    return "request to convert CR to an invalid group/version: " + to.ToString();
  }
  if (!FindVersion(from.group_version.version)) {
    return "request to convert CR from an invalid group/version: " + from.group_version.ToString();
  }
  if (auto error = WebhookError(object, version)) return error;
  if (from.group_version != to) {
    object.Set("apiVersion", json::Value::String(arena.Copy(to.ToString())), arena);
  }
  ApplyOptions options;
  if (notes) options.dropped_nulls = &notes->dropped_nulls;
  return Apply(object, options, arena);
}

}  // namespace kube::crd
