#include "migrate/populate/apply_set.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "kube/json/json.h"
#include "kube/meta/names.h"

namespace migrate::populate {
namespace apply_set_test {

using Annotations = std::map<std::string, std::string>;

/// What a parent with these says in its annotations.
Annotations AnnotationsOf(const std::set<GroupKind>& types, const std::set<std::string>& places) {
  kube::json::Document patch;
  REQUIRE_FALSE(
      patch.Parse(ApplySetPatch(TemplateApplySetState("t", "v0.1.0", types, places), "1")));
  Annotations annotations;
  for (const kube::json::Member& entry :
       patch.root().Find("metadata")->Find("annotations")->members()) {
    annotations.emplace(entry.key.text(), entry.value.text());
  }
  return annotations;
}

// Of Python: "applyset-" + urlsafe_b64encode(sha256(NAME.NAMESPACE.KIND.GROUP)) without "=" +
// "-v1".
TEST_CASE("The id of an ApplySet is that of kubectl", "[migrate][populate]") {
  CHECK(ApplySetId({"mySet", "default", "ConfigMap", ""}) ==
        "applyset-sp79eKNqHGRbpvY3wC-4h8AT-HOJyCbIefONxI_zYLE-v1");
  CHECK(TemplateApplySetId("team-defaults") ==
        "applyset-P6KoU09DSdG-SPfUEFkMgbwTHmHvvCS8cs-V3ADeJdQ-v1");
  CHECK(TemplateApplySetId("team-2") == "applyset-sMEZRenJqDif9AoO_ujc6K1Z3T0c3EGl-OyFHonE3CA-v1");
}

TEST_CASE("The id of an ApplySet is a value of a label", "[migrate][populate]") {
  for (int i = 0; i < 1000; ++i) {
    CHECK(kube::meta::LabelValueProblems(TemplateApplySetId("t" + std::to_string(i))).empty());
  }
}

TEST_CASE("A parent says by what, of which kinds and where its objects are",
          "[migrate][populate]") {
  const std::set<GroupKind> types = {{"rbac.authorization.k8s.io", "RoleBinding"},
                                     {"rbac.authorization.k8s.io", "Role"},
                                     {"networking.k8s.io", "NetworkPolicy"},
                                     {"", "Secret"},
                                     {"", "LimitRange"}};
  CHECK(AnnotationsOf(types, {"b", "a"}) ==
        Annotations{{"applyset.kubernetes.io/tooling", "kubectl-prune/v0.1.0"},
                    {"applyset.kubernetes.io/contains-group-kinds",
                     "LimitRange,NetworkPolicy.networking.k8s.io,Role.rbac.authorization.k8s.io,"
                     "RoleBinding.rbac.authorization.k8s.io,Secret"},
                    {"applyset.kubernetes.io/additional-namespaces", "a,b"}});
}

TEST_CASE("A parent of nothing has its annotations all the same", "[migrate][populate]") {
  CHECK(AnnotationsOf({}, {}) ==
        Annotations{{"applyset.kubernetes.io/tooling", "kubectl-prune/v0.1.0"},
                    {"applyset.kubernetes.io/contains-group-kinds", ""},
                    {"applyset.kubernetes.io/additional-namespaces", ""}});
}

}  // namespace apply_set_test
}  // namespace migrate::populate
