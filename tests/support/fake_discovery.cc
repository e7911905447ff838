#include "tests/support/fake_discovery.h"

#include <map>
#include <span>
#include <string_view>

#include "tests/support/fake_object.h"

namespace test_support {
namespace {

using kube::json::Value;

std::span<const Value> VersionsOf(const Value& crd) {
  const Value* versions = crd.Find("spec")->Find("versions");
  return versions ? versions->elements() : std::span<const Value>();
}

std::string VersionText(const std::string& group, const std::string& version) {
  return R"({"groupVersion":)" + Quote(group + "/" + version) + R"(,"version":)" + Quote(version) +
         "}";
}

std::string ResourceText(const std::string& name, std::string_view kind, bool is_namespaced) {
  return R"({"name":)" + Quote(name) + R"(,"singularName":"","namespaced":)" +
         (is_namespaced ? "true" : "false") + R"(,"kind":)" + Quote(kind) +
         R"(,"verbs":["delete","get","list","patch"]})";
}

std::string ListText(const std::string& group_version, const std::string& resources) {
  return R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":)" + Quote(group_version) +
         R"(,"resources":[)" + resources + "]}\n";
}

using Groups = std::map<std::string, std::vector<std::string>>;  // versions, as they are served

Groups GroupsOf(const std::vector<const Value*>& crds) {
  Groups groups;
  for (const Value* crd : crds) {
    const std::string group(SpecText(*crd, "group"));
    for (const Value& version : VersionsOf(*crd)) {
      const std::string name(version.FindText("name"));
      if (ServedVersion(*crd, name)) groups[group].push_back(VersionText(group, name));
    }
  }
  return groups;
}

std::string GroupText(const std::string& group, const std::vector<std::string>& versions) {
  std::string texts;
  for (const std::string& version : versions) texts += (texts.empty() ? "" : ",") + version;
  return R"("name":)" + Quote(group) + R"(,"versions":[)" + texts + R"(],"preferredVersion":)" +
         versions.front();
}

}  // namespace

FakeAnswer FakeGroups(const std::vector<const Value*>& crds) {
  std::string list;
  for (const auto& [group, versions] : GroupsOf(crds)) {
    list += (list.empty() ? "{" : ",{") + GroupText(group, versions) + "}";
  }
  return FakeText(200, "application/json",
                  R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" + list + "]}\n");
}

FakeAnswer FakeGroup(const std::vector<const Value*>& crds, const std::string& group) {
  const Groups groups = GroupsOf(crds);
  const auto found = groups.find(group);
  if (found == groups.end()) {
    return FakeText(404, "text/plain; charset=utf-8", "404 page not found\n");
  }
  return FakeText(
      200, "application/json",
      R"({"kind":"APIGroup","apiVersion":"v1",)" + GroupText(group, found->second) + "}\n");
}

FakeAnswer FakeResources(const std::vector<const Value*>& crds, const std::string& group,
                         const std::string& version) {
  std::string resources;
  for (const Value* crd : crds) {
    if (SpecText(*crd, "group") != group || !ServedVersion(*crd, version)) continue;
    const std::string plural(NameText(*crd, "plural"));
    const bool is_namespaced = SpecText(*crd, "scope") != "Cluster";
    resources += (resources.empty() ? "" : ",");
    resources += ResourceText(plural, NameText(*crd, "kind"), is_namespaced) + "," +
                 ResourceText(plural + "/status", NameText(*crd, "kind"), is_namespaced);
  }
  if (resources.empty()) return FakeText(404, "text/plain; charset=utf-8", "404 page not found\n");
  return FakeText(200, "application/json", ListText(group + "/" + version, resources));
}

FakeAnswer FakeCoreResources() {
  return FakeText(200, "application/json",
                  ListText("v1", ResourceText("namespaces", "Namespace", false)));
}

}  // namespace test_support
