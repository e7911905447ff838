#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/fake_api.h"
#include "tests/support/fake_object.h"
#include "tests/support/fake_patches.h"
#include "tests/support/fake_place.h"
#include "tests/support/fake_url.h"
#include "tests/support/fake_writes.h"

// Namespaces, and Events in them.
namespace test_support {
namespace {

using kube::json::Document;
using kube::json::Value;

constexpr char kEvents[] = "events";
constexpr char kSystem[] = "kube-system";

constexpr char kKubeSystem[] =
    R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system",)"
    R"("uid":"11111111-0000-4000-8000-000000000001"},"spec":{},"status":{"phase":"Active"}})"
    "\n";

FakeAnswer NoNamespace(const std::string& name) {
  return FakeStatus(404, "NotFound", "namespaces \"" + name + "\" not found",
                    R"({"name":)" + Quote(name) + R"(,"kind":"namespaces"})");
}

FakeAnswer ForbiddenIn(const std::string& namespace_, const std::string& verb,
                       const std::string& resource, const std::string& named) {
  return FakeStatus(403, "Forbidden",
                    resource + named + " is forbidden: User \"alice\" cannot " + verb +
                        " resource \"" + resource + "\" in API group \"\" in the namespace \"" +
                        namespace_ + "\"");
}

/// As the request wants it, whole or its metadata.
FakeAnswer Show(int code, const Value& object, const kube::client::HttpRequest& request) {
  const kube::client::ResponseHead head{0, request.headers};
  const std::string* accept = head.Find("Accept");
  const auto version =
      accept ? MetadataVersion(*accept, "PartialObjectMetadata") : std::optional<std::string>();
  return FakeText(
      code, "application/json",
      (version ? PartialObjectMetadata(object, *version) : kube::json::Print(object)) + "\n");
}

}  // namespace

/// Absent: it is of nothing that is known here.
std::optional<FakeAnswer> FakeApi::AnswerNamespaces(const kube::client::HttpRequest& request,
                                                    const std::vector<std::string>& path,
                                                    const Query& query) {
  const bool reads = request.method == "GET";
  if (path.size() == 3 && reads) {
    if (!query.contains("watch")) return ListNamespaces();
    const auto print = [](const Value& object) { return kube::json::Print(object); };
    return WatchChanges(kNamespaces, query, print, [] { return false; });
  }
  if (path.size() == 4 && reads) return GetNamespace(path[3]);
  if (path.size() == 4 && request.method == "PATCH") return PatchNamespace(path[3], request);
  const bool creates_event = path.size() == 5 && path[4] == kEvents && request.method == "POST";
  if (creates_event) return CreateEvent(path[3], request);
  return std::nullopt;
}

// kube-system, and those that were added.
FakeAnswer FakeApi::ListNamespaces() const {
  std::string items = FindObject(kNamespaces, kSystem) ? "" : kKubeSystem;
  const auto found = resources_.find(kNamespaces);
  if (found != resources_.end()) {
    for (const auto& [name, object] : found->second)
      items += (items.empty() ? "" : ",") + kube::json::Print(object->root());
  }
  return FakeText(200, "application/json",
                  R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                      std::to_string(resource_version_) + R"("},"items":[)" + items + "]}\n");
}

// There is kube-system, what was added, and what some object is in.
FakeAnswer FakeApi::GetNamespace(const std::string& name) const {
  if (name == kSystem && !FindObject(kNamespaces, kSystem)) {
    return FakeText(200, "application/json", kKubeSystem);
  }
  if (IsDenied("get", kNamespaces)) {
    return ForbiddenIn(name, "get", kNamespaces, " \"" + name + "\"");
  }
  if (const Value* added = FindObject(kNamespaces, name)) {
    return FakeText(200, "application/json", kube::json::Print(*added) + "\n");
  }
  const bool exists = std::ranges::any_of(resources_, [&name](const auto& resource) {
    const auto first = resource.second.lower_bound(name + "/");
    return first != resource.second.end() && first->first.starts_with(name + "/");
  });
  if (!exists) return FakeStatus(404, "NotFound", "namespaces \"" + name + "\" not found");
  return FakeText(200, "application/json",
                  R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":")" + name +
                      R"("},"spec":{},"status":{"phase":"Active"}})" + "\n");
}

// A uid in a patch is a precondition, which apiserver pkg/registry/rest/update.go sees to.
FakeAnswer FakeApi::PatchNamespace(const std::string& name,
                                   const kube::client::HttpRequest& request) {
  if (IsDenied("patch", kNamespaces)) {
    return ForbiddenIn(name, "patch", kNamespaces, " \"" + name + "\"");
  }
  const Value* stored = FindObject(kNamespaces, name);
  if (!stored) return NoNamespace(name);
  const kube::client::ResponseHead head{0, request.headers};
  const std::string* type = head.Find("Content-Type");
  auto patched = ApplyPatch(*stored, type ? *type : "", request.body);
  if (!patched) throw std::logic_error("the fake API server does not know " + request.body);
  const std::string uid(MetadataText(patched->root(), "uid"));
  const std::string stored_uid(MetadataText(*stored, "uid"));
  if (uid != stored_uid) {
    return FakeStatus(409, "Conflict",
                      "Operation cannot be fulfilled on namespaces \"" + name +
                          "\": Precondition failed: UID in precondition: " + uid +
                          ", UID in object meta: " + stored_uid);
  }
  if (!IsStoredAlike(*stored, patched->root())) Put(kNamespaces, name, std::move(patched));
  return Show(200, *FindObject(kNamespaces, name), request);
}

FakeAnswer FakeApi::CreateEvent(const std::string& namespace_,
                                const kube::client::HttpRequest& request) {
  if (IsDenied("create", kEvents)) return ForbiddenIn(namespace_, "create", kEvents, "");
  if (namespace_ != kSystem && !FindObject(kNamespaces, namespace_)) {
    return NoNamespace(namespace_);
  }
  const auto event = Parse(request.body);
  Value& metadata = *event->root().Find("metadata");
  const std::string name =
      std::string(metadata.FindText("generateName")) + std::to_string(resource_version_ + 1);
  metadata.Set("name", Value::String(event->arena().Copy(name)), event->arena());
  Put(kEvents, namespace_ + "/" + name, event);
  return Show(201, event->root(), request);
}

}  // namespace test_support
