#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/crd/crd.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"

namespace test_support {

/// What a server with some CRD stores and shows of its custom resources.
class FakeStorage {
 public:
  /// `crd` is complete (CompleteCrd). Throws std::invalid_argument if it cannot be read.
  explicit FakeStorage(const kube::json::Value& crd);

  bool prunes() const { return !crd_.preserve_unknown_fields; }

  /// What a read in `version` shows of what etcd holds: pruned where the CRD says so.
  std::shared_ptr<kube::json::Document> Show(const kube::json::Value& stored,
                                             const std::string& version) const;
  /// What etcd holds after `body` was sent to `version` in the place of `stored`. Throws
  /// std::invalid_argument where the server would find fault with it.
  std::shared_ptr<kube::json::Document> Store(const kube::json::Value& stored,
                                              const kube::json::Value& body,
                                              const std::string& version) const;
  /// What etcd holds of a new object that is sent to `version`.
  std::shared_ptr<kube::json::Document> StoreNew(const kube::json::Value& body,
                                                 const std::string& version) const;
  bool HasStatus(const std::string& version) const;
  /// With the status subresource a write of the object leaves the status as it is, and one of the
  /// status all else.
  void KeepOtherPart(kube::json::Document& body, const kube::json::Value& stored,
                     const std::string& version, bool is_status) const;
  /// As FakeApi::EmptyManagedFields says.
  void EmptyManagedFields(kube::json::Document& object) const;

 private:
  kube::crd::Crd crd_;
  kube::crd::CustomResourceServer server_;
};

/// True if a server would write nothing: both are the same in etcd, where there is no
/// resourceVersion.
bool IsStoredAlike(const kube::json::Value& stored, const kube::json::Value& anew);

/// The object as meta.k8s.io PartialObjectMetadata of `version`, as a server prints it. A missing
/// generation is 1, as a server would have set it.
std::string PartialObjectMetadata(const kube::json::Value& object, const std::string& version);

/// The version of meta.k8s.io in which `accept` asks for metadata first ("as=KIND"); absent if it
/// asks for none.
std::optional<std::string> MetadataVersion(const std::string& accept, const std::string& kind);

}  // namespace test_support
