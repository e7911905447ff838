#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "tests/support/fake_api.h"
#include "tests/support/fake_writes.h"

namespace test_support {

inline constexpr char kCrds[] = "customresourcedefinitions.apiextensions.k8s.io";
inline constexpr char kApiServices[] = "apiservices.apiregistration.k8s.io";
inline constexpr char kNamespaces[] = "namespaces";

/// What a path points to.
struct FakePlace {
  std::string resource;  // "widgets.demo.example.com"
  std::string plural, group, version, kind, list_kind;
  bool namespaced = false;
  bool typed = true;  // a Go type of the server, not a custom resource
  std::string namespace_ = {}, name = {};
  std::string warning = {};
  std::optional<std::string> metadata_version = {};  // of meta.k8s.io, where only that is wanted
  std::shared_ptr<const FakeStorage> storage = {};   // of custom resources

  std::string api_version() const { return group + "/" + version; }
  /// As etcd's: "namespace/name" or "name".
  std::string key() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  /// RBAC's verb of a request.
  std::string VerbOf(const std::string& method) const;

  FakeAnswer NotFound() const;
  FakeAnswer Forbidden(const std::string& method) const;
  FakeAnswer Conflict(const std::string& why) const;

  /// The object as it is shown here; items of a list do not repeat a Go type's kind.
  std::string Print(const kube::json::Value& object, bool in_list) const;
};

/// The place of apis/GROUP/VERSION[/namespaces/NAMESPACE]/PLURAL[/NAME]; absent if nothing is
/// served there. CRDs are served in `crd_versions`; `find_crd` gives one by its name, or a null
/// pointer.
std::optional<FakePlace> FindFakePlace(
    const std::vector<std::string>& path, const std::vector<std::string>& crd_versions,
    const std::function<const kube::json::Value*(const std::string&)>& find_crd);

}  // namespace test_support
