#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/structural.h"

namespace kube::crd {

/// What the API server did to an object beside returning it. Fields are appended to, in the order
/// in which the server comes to them; one path may come twice.
struct ServerNotes {
  /// What strict field validation objects to: unknown fields of metadata, then those that were
  /// pruned, then those of embedded metadata. Only OnRequest sets it.
  std::vector<std::string> unknown_fields;
  /// The tops of what defaulting added, indices as [*] and keys of maps as .*; also of what a later
  /// conversion pruned again.
  std::vector<std::string> added_defaults;
  /// The nulls that were removed, in the same form.
  std::vector<std::string> dropped_nulls;
};

/// What the API server makes of custom resources of one CRD: on a request, when it writes to etcd
/// and when it reads from there (apiextensions pkg/apiserver/customresource_handler.go). Where a
/// webhook converts versions, and one would have to be made from another, that is an error.
///
/// All methods change the object in place and return nothing or the server's error, with which the
/// object is left half done. Objects borrow from `*this` then, which must outlive them.
///
/// Copies what it needs of the CRD. Not changed after construction: can be used by several threads.
class CustomResourceServer {
 public:
  /// `preserve_unknown_fields` may differ from the CRD's own, to see what turning pruning on
  /// would do.
  /// A version whose schema has a ConversionError counts as one without a schema while unknown
  /// fields are preserved; otherwise the server cannot serve the CRD and every method says so.
  CustomResourceServer(const Crd& crd, bool preserve_unknown_fields);

  /// The schema of a version, with its defaults pruned; null pointer where the version has none or
  /// is unknown. Without a schema nothing is specified: everything is pruned.
  const schema::StructuralSchema* FindSchema(std::string_view version) const;

  bool converts_by_webhook() const { return converts_by_webhook_; }
  /// The error of all methods below that would have to make of `object` one of another `version`
  /// where a webhook does that; absent where none is needed.
  std::optional<std::string> WebhookError(const json::Value& object,
                                          std::string_view version) const;

  /// Makes of a request body what admission would see: pruned, coerced and defaulted by the schema
  /// of its own apiVersion. `text` is the body as sent, which one error quotes; printed anew if
  /// empty. Where the error is only that `endpoint_version` (of the URL) is another version, the
  /// object is complete and `notes` is too; with any other error there are no unknown_fields.
  [[nodiscard]] std::optional<std::string> OnRequest(json::Value& body,
                                                     std::string_view endpoint_version,
                                                     json::Arena& arena,
                                                     ServerNotes* notes = nullptr,
                                                     std::string_view text = {}) const;

  /// Makes of what OnRequest left what the server writes to etcd.
  [[nodiscard]] std::optional<std::string> OnWrite(json::Value& object, json::Arena& arena,
                                                   ServerNotes* notes = nullptr) const;

  /// Makes of an object as etcd holds it what a read in `version` shows. `text` as in OnRequest.
  [[nodiscard]] std::optional<std::string> OnRead(json::Value& stored, std::string_view version,
                                                  json::Arena& arena, ServerNotes* notes = nullptr,
                                                  std::string_view text = {}) const;

  /// Makes of an object as etcd holds it what etcd holds after a storage migration rewrote it: a
  /// read in the storage version (in the first served one where that is not served), the same sent
  /// back, a write. Fields that only the server sets (generation, managedFields) stay as read.
  [[nodiscard]] std::optional<std::string> Rewrite(json::Value& stored, json::Arena& arena,
                                                   ServerNotes* notes = nullptr) const;

 private:
  struct Version {
    std::string name;
    std::optional<schema::StructuralSchema> schema;
  };
  struct ApplyOptions {
    bool from_etcd = false;  ///< drop bad metadata, repair the generation
    std::vector<std::string>* unknown_fields = nullptr;
    std::vector<std::string>* dropped_nulls = nullptr;
  };

  void AddVersion(const CrdVersion& version);
  bool IsOwnKind(const meta::GroupVersionKind& type) const;
  const Version* FindVersion(std::string_view name) const;
  std::optional<std::string> Decode(json::Value& object, std::string_view text,
                                    const ApplyOptions& given, ServerNotes* notes,
                                    json::Arena& arena) const;
  std::optional<std::string> Apply(json::Value& object, const ApplyOptions& options,
                                   json::Arena& arena) const;
  std::optional<std::string> ApplySchema(json::Value& object, std::string_view version,
                                         const ApplyOptions& options, json::Arena& arena) const;
  std::optional<std::string> Convert(json::Value& object, std::string_view version,
                                     json::Arena& arena, ServerNotes* notes) const;

  std::string group_, kind_, storage_version_, rewrite_version_;
  bool preserve_unknown_fields_;
  bool converts_by_webhook_;
  std::optional<std::string> cannot_serve_;
  json::Arena defaults_;  // the defaults of the schemas live here
  std::vector<Version> versions_;
};

}  // namespace kube::crd
