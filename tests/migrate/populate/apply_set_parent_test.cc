#include "migrate/populate/apply_set.h"
#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace apply_set_parent_test {

using Catch::Matchers::Contains;
using populate_test::ParseJson;

ApplySetState Read(const std::string& metadata) {
  return ReadApplySetState(ParseJson(R"({"metadata":)" + metadata + "}").root());
}

TEST_CASE("A parent says what its ApplySet may have, and where", "[migrate][populate]") {
  const ApplySetState state = Read(R"({"labels":{"applyset.kubernetes.io/id":"i"},"annotations":{
      "applyset.kubernetes.io/tooling":"kubectl-prune/v0.1.0",
      "applyset.kubernetes.io/contains-group-kinds":"Secret,Role.rbac.authorization.k8s.io",
      "applyset.kubernetes.io/additional-namespaces":"a,b"}})");
  CHECK(state.id == "i");
  CHECK(state.tooling == "kubectl-prune/v0.1.0");
  CHECK(state.types == std::set<GroupKind>{{"", "Secret"}, {"rbac.authorization.k8s.io", "Role"}});
  CHECK(state.namespaces == std::set<std::string>{"a", "b"});
}

TEST_CASE("A template that says nothing is nobody's parent yet", "[migrate][populate]") {
  for (const char* metadata :
       {"{}", R"({"labels":{},"annotations":{}})", R"({"labels":5,"annotations":[]})",
        R"({"annotations":{"applyset.kubernetes.io/contains-group-kinds":",.,,.x,"}})"}) {
    CAPTURE(metadata);
    CHECK(Read(metadata) == ApplySetState{});
    CHECK(WhyForeign(Read(metadata), "t").empty());
  }
}

TEST_CASE("What is written is read again", "[migrate][populate]") {
  const ApplySetState state = TemplateApplySetState(
      "t", "v0.1.0", {{"", "Secret"}, {"networking.k8s.io", "NetworkPolicy"}}, {"a", "b"});
  const std::string patch = ApplySetPatch(state, "7");
  CHECK_THAT(patch, Contains(R"("resourceVersion":"7")"));
  CHECK(ReadApplySetState(ParseJson(patch).root()) == state);
  CHECK(WhyForeign(state, "t").empty());
}

TEST_CASE("The parent of another tool's ApplySet is foreign", "[migrate][populate]") {
  const std::string start =
      "ApplySet parent object "
      "\"namespacetemplates.policy.kubectl-prune.dev/t\" already exists and ";
  CHECK(WhyForeign({.id = TemplateApplySetId("t"), .tooling = "kubectl/v1.36.0"}, "t") ==
        start + R"(is managed by tooling "kubectl" instead of "kubectl-prune")");
  CHECK(WhyForeign({.id = "", .tooling = "a/b/v1"}, "t") ==
        start + R"(is managed by tooling "a/b" instead of "kubectl-prune")");
  CHECK(WhyForeign({.id = "other", .tooling = "kubectl-prune/v9"}, "t") ==
        start + R"(has incorrect value for label "applyset.kubernetes.io/id" (got: other, want: )" +
            TemplateApplySetId("t") + ")");
}

}  // namespace apply_set_parent_test
}  // namespace migrate::populate
