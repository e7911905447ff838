#include "tests/support/fake_place.h"

#include <algorithm>
#include <string_view>

#include "tests/support/fake_crd.h"
#include "tests/support/fake_object.h"

namespace test_support {
namespace {

using kube::json::Document;
using kube::json::KeyOrder;
using kube::json::Type;
using kube::json::Value;

std::string Details(const FakePlace& place) {
  return "{" + (place.name.empty() ? "" : "\"name\":" + Quote(place.name) + ",") +
         "\"group\":" + Quote(place.group) + ",\"kind\":" + Quote(place.plural) + "}";
}

/// Members as Go's struct has them, kind first.
std::string PrintTyped(const FakePlace& place, const Value& object, bool in_list) {
  Document copy;
  copy.root() = kube::json::DeepCopy(object, copy.arena());
  if (place.resource == kCrds) ConvertCrd(copy, place.version);
  std::string text =
      in_list ? "{"
              : R"({"kind":")" + place.kind + R"(","apiVersion":")" + place.api_version() + "\",";
  for (const auto& [key, value] : copy.root().members()) {
    if (key.text() == "kind" || key.text() == "apiVersion") continue;
    text += Quote(key.text()) + ":" + kube::json::Print(value, KeyOrder::kAsWritten) + ",";
  }
  text.back() = '}';
  return text;
}

/// Unstructured is a map of Go: its keys are sorted. Conversion None replaces the apiVersion.
std::string PrintCustom(const FakePlace& place, const Value& object) {
  if (place.metadata_version) return PartialObjectMetadata(object, *place.metadata_version);
  Document copy;
  copy.root() = kube::json::DeepCopy(object, copy.arena());
  const std::string shown = place.api_version();
  copy.root().Set("apiVersion", Value::String(shown), copy.arena());
  return kube::json::Print(copy.root());
}

std::optional<FakePlace> CrdPlace(const std::string& version,
                                  const std::vector<std::string>& crd_versions) {
  if (std::ranges::find(crd_versions, version) == crd_versions.end()) return std::nullopt;
  FakePlace place{kCrds,   "customresourcedefinitions", "apiextensions.k8s.io",
                  version, "CustomResourceDefinition",  "CustomResourceDefinitionList"};
  if (version == "v1beta1") {
    place.warning =
        "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, "
        "unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition";
  }
  return place;
}

std::optional<FakePlace> CustomPlace(const std::string& resource, const std::string& version,
                                     const Value* crd) {
  const Value* served = crd ? ServedVersion(*crd, version) : nullptr;
  if (!served) return std::nullopt;
  FakePlace place{resource,
                  std::string(NameText(*crd, "plural")),
                  std::string(SpecText(*crd, "group")),
                  version,
                  std::string(NameText(*crd, "kind")),
                  std::string(NameText(*crd, "listKind")),
                  SpecText(*crd, "scope") != "Cluster",
                  false};
  const Value* deprecated = served->Find("deprecated", Type::kBool);
  if (deprecated && deprecated->AsBool()) {
    const std::string_view text = served->FindText("deprecationWarning");
    place.warning = !text.empty() ? std::string(text)
                                  : place.api_version() + " " + place.kind + " is deprecated";
  }
  return place;
}

}  // namespace

std::string FakePlace::VerbOf(const std::string& method) const {
  if (method == "POST") return "create";
  if (method == "DELETE") return "delete";
  return method == "PATCH" ? "patch" : method == "PUT" ? "update" : name.empty() ? "list" : "get";
}

FakeAnswer FakePlace::NotFound() const {
  return FakeStatus(404, "NotFound", resource + " \"" + name + "\" not found", Details(*this));
}

FakeAnswer FakePlace::Forbidden(const std::string& method) const {
  const std::string verb = VerbOf(method);
  const std::string named = name.empty() ? "" : " \"" + name + "\"";
  const std::string scope =
      namespace_.empty() ? "at the cluster scope" : "in the namespace \"" + namespace_ + "\"";
  return FakeStatus(403, "Forbidden",
                    resource + named + " is forbidden: User \"alice\" cannot " + verb +
                        " resource \"" + plural + "\" in API group \"" + group + "\" " + scope,
                    Details(*this));
}

FakeAnswer FakePlace::Conflict(const std::string& why) const {
  return FakeStatus(409, "Conflict",
                    "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why,
                    Details(*this));
}

std::string FakePlace::Print(const Value& object, bool in_list) const {
  if (typed) return PrintTyped(*this, object, in_list);
  const bool is_pruned = storage && storage->prunes();
  return PrintCustom(*this, is_pruned ? storage->Show(object, version)->root() : object);
}

std::optional<FakePlace> FindFakePlace(
    const std::vector<std::string>& path, const std::vector<std::string>& crd_versions,
    const std::function<const Value*(const std::string&)>& find_crd) {
  if (path.size() < 4) return std::nullopt;
  const bool in_namespace = path.size() >= 6 && path[3] == "namespaces";
  const std::size_t plural = in_namespace ? 5 : 3;
  if (path.size() > plural + 2) return std::nullopt;
  std::optional<FakePlace> place;
  if (path[plural] + "." + path[1] == kCrds) {
    place = CrdPlace(path[2], crd_versions);
  } else if (path[plural] + "." + path[1] == kApiServices && path[2] == "v1") {
    place = FakePlace{kApiServices, "apiservices", "apiregistration.k8s.io",
                      "v1",         "APIService",  "APIServiceList"};
  } else {
    const std::string resource = path[plural] + "." + path[1];
    place = CustomPlace(resource, path[2], find_crd(resource));
  }
  if (!place) return std::nullopt;
  if (in_namespace) place->namespace_ = path[4];
  if (path.size() == plural + 2) place->name = path[plural + 1];
  // One object of a namespaced resource is only found within its namespace.
  const bool wants_namespace = in_namespace || !place->name.empty();
  if (in_namespace > place->namespaced) return std::nullopt;
  if (place->namespaced && wants_namespace && !in_namespace) return std::nullopt;
  return place;
}

}  // namespace test_support
