#include "migrate/populate/population_notes.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace template_notes_test {

using namespace population_test;

const GroupKind kWidget = {"demo.example.com", "Kindwidgets"};
const GroupKind kGadget = {"demo.example.com", "Kindgadgets"};
const std::string kPath = "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every";

/// A cluster with the template "every", of which nothing is there.
struct Noted : World {
  Noted() {
    PutTemplate("every", {Widget("w")});
    ReadTemplateAgain();
  }
  void ReadTemplateAgain() {
    auto entry = ReadTemplateEntry(*cluster.server.Stored(kTemplates, "every"));
    state.input.PutTemplate(std::move(entry));
  }
  NamespaceOutcome::OfTemplate& Outcome(const std::string& namespace_) {
    return state.outcomes[namespace_].templates["every"];
  }
  /// In so many namespaces there is a widget.
  void Populate(int namespaces) {
    for (int i = 0; i < namespaces; ++i) {
      Outcome("n" + std::to_string(i)) = {.selects = true, .types = {kWidget}};
    }
  }
  Names Note() {
    first_request = cluster.server.requests().size();
    NoteInTemplates(
        state, writer, "2026-01-01T00:00:00Z",
        [this](const std::string& error, bool) { lines.push_back(error); }, cluster.session());
    return Requests();
  }
  /// A kind of which it is not known what there is.
  void HideGadgets() {
    cluster.server.AddFault(
        {.target = "/gadgets?", .times = 0, .answer = FakeStatus(403, "Forbidden", "not you")});
    const auto kinds = *ClusterKinds::Read({"demo.example.com"}, cluster.session());
    state.members.Read({kGadget}, kinds, {}, cluster.session());
    REQUIRE(state.members.unlisted().contains(kGadget));
  }
  ClusterTemplate& known() { return state.input.known.at("every"); }

  PopulationState state;
  const TemplateWriter writer{"v0.1.0", false, std::chrono::minutes(3), cluster.session()};
};

TEST_CASE("The extent of a template is what all namespaces have of it", "[migrate][population]") {
  Noted noted;
  noted.Outcome("a") = {.selects = true, .types = {kWidget}};
  noted.Outcome("b") = {.selects = false, .types = {kGadget}};
  noted.Outcome("c") = {.selects = true};
  noted.state.outcomes["d"].templates["other"] = {.selects = true, .types = {kWidget}};
  const ApplySetExtent extent = ExtentOf("every", noted.state);
  CHECK(extent.types == std::set<GroupKind>{kGadget, kWidget});
  CHECK(extent.namespaces == std::set<std::string>{"a", "b"});
  CHECK(ExtentOf("nosuch", noted.state).types.empty());
}

TEST_CASE("A kind that cannot be listed stays in the extent, and where it may be",
          "[migrate][population]") {
  Noted noted;
  noted.Outcome("a") = {.selects = true, .types = {kWidget}};
  noted.HideGadgets();
  SECTION("a template that has not had it is not concerned") {
    noted.known().apply_set.types = {kWidget};
    noted.known().apply_set.namespaces = {"b"};
    const ApplySetExtent extent = ExtentOf("every", noted.state);
    CHECK(extent.types == std::set<GroupKind>{kWidget});
    CHECK(extent.namespaces == std::set<std::string>{"a"});
  }
  SECTION("as the template says") {
    noted.known().apply_set.types = {kGadget, {"demo.example.com", "Kindgone"}};
    noted.known().apply_set.namespaces = {"b"};
    const ApplySetExtent extent = ExtentOf("every", noted.state);
    CHECK(extent.types == std::set<GroupKind>{kGadget, kWidget});
    CHECK(extent.namespaces == std::set<std::string>{"a", "b"});
  }
}

TEST_CASE("Groups are those of objects, and of what templates say that they had",
          "[migrate][population]") {
  Noted noted;
  noted.known().apply_set.types = {{"", "ConfigMap"}, {"rbac.authorization.k8s.io", "Role"}};
  CHECK(GroupsOf(noted.state.input) ==
        std::set<std::string>{"", "demo.example.com", "rbac.authorization.k8s.io"});
}

TEST_CASE("A template says what it has, once", "[migrate][population]") {
  Noted noted;
  noted.Outcome("b") = {
      .selects = true,
      .types = {kWidget},
      .failures = {{"b", R"(Kindwidgets "y")", "no"}, {"b", R"(Kindwidgets "x")", "no"}}};
  noted.Outcome("a") = {.selects = true, .failures = {{"a", R"(Kindwidgets "z")", "no"}}};
  noted.Outcome("c") = {.selects = false};
  const std::string target = "PATCH " + kPath;
  CHECK(noted.Note() == Names{target + kManager, target + "/status" + kManager});
  CHECK(noted.lines.empty());
  CHECK(noted.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
  CHECK(noted.Annotation("every", "additional-namespaces") == "b");
  CHECK(noted.Status("every") ==
        R"({"failures":[{"message":"no","namespace":"a","object":"Kindwidgets \"z\""},)"
        R"({"message":"no","namespace":"b","object":"Kindwidgets \"x\""},)"
        R"({"message":"no","namespace":"b","object":"Kindwidgets \"y\""}],"namespaces":2,)"
        R"("observedGeneration":1})");
  CHECK(noted.Note().empty());
  noted.ReadTemplateAgain();
  CHECK(noted.Note().empty());
  // What it has no more.
  noted.state.outcomes.erase("b");
  CHECK(noted.Note().size() == 2);
  CHECK(noted.Annotation("every", "contains-group-kinds") == "");
}

TEST_CASE("A template that is left alone says nothing", "[migrate][population]") {
  Noted noted;
  noted.Populate(1);
  noted.state.input.left_alone = {"every"};
  CHECK(noted.Note().empty());
}

TEST_CASE("What cannot be noted is told", "[migrate][population]") {
  Noted noted;
  noted.Populate(1);
  noted.cluster.server.Deny("patch", "namespacetemplates.policy.kubectl-prune.dev");
  noted.Note();
  REQUIRE(noted.lines.size() == 1);
  CHECK_THAT(noted.lines[0],
             Catch::StartsWith("what the template every has cannot be noted in it: ") &&
                 Catch::Contains("forbidden"));
}

TEST_CASE("A thousand namespaces are named", "[migrate][population]") {
  Noted noted;
  noted.Populate(1000);
  noted.Note();
  const std::string names = noted.Annotation("every", "additional-namespaces");
  CHECK(std::ranges::count(names, ',') == 999);
}

TEST_CASE("Of more than a thousand namespaces none is named, and none is added",
          "[migrate][population]") {
  Noted noted;
  noted.Populate(1001);
  CHECK(noted.Note().size() == 2);
  CHECK(noted.Annotation("every", "additional-namespaces") == "");
  CHECK(noted.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
  CHECK_THAT(noted.Status("every"), Catch::Contains(R"("namespaces":1001)"));
  noted.ReadTemplateAgain();
  noted.first_request = noted.cluster.server.requests().size();
  SECTION("of a kind that it has nothing is sent") {
    CHECK_FALSE(noted.writer.Widen(noted.known(), {kWidget}, {"new"}));
    CHECK(noted.Requests().empty());
  }
  SECTION("of another kind that is added alone") {
    CHECK_FALSE(noted.writer.Widen(noted.known(), {kGadget}, {"new"}));
    CHECK(noted.Requests().size() == 1);
    CHECK(noted.Annotation("every", "contains-group-kinds") ==
          "Kindgadgets.demo.example.com,Kindwidgets.demo.example.com");
    CHECK(noted.Annotation("every", "additional-namespaces") == "");
  }
  SECTION("they are named again once they are few enough") {
    noted.state.outcomes.erase("n0");
    noted.Note();
    CHECK_THAT(noted.Annotation("every", "additional-namespaces"), Catch::StartsWith("n1,n10,"));
  }
}

}  // namespace template_notes_test
}  // namespace migrate::populate
