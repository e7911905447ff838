#include "migrate/check/crd_names.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"

namespace migrate::check {
namespace {

CrdIdentity Identity(const std::string& plural, const std::string& group,
                     const std::string& short_name) {
  CrdIdentity crd{plural + "." + group, group, {}};
  crd.names.plural = plural;
  crd.names.singular = "widget";
  crd.names.kind = "Widget";
  crd.names.short_names = {short_name};
  crd.served_versions = {"v1"};
  return crd;
}

TEST_CASE("A CRD is named in every form that kubectl takes", "[migrate][crd_names]") {
  const CrdIdentity crd = Identity("widgets", "demo.example.com", "wd");
  const std::string argument =
      GENERATE("widgets.demo.example.com", "widgets", "widget", "Widget", "WIDGETS", "wd",
               "widget.demo.example.com", "wd.demo.example.com", "widgets.v1.demo.example.com",
               "Widget.V1.demo.example.com", "crd/widgets.demo.example.com",
               "customresourcedefinitions.apiextensions.k8s.io/widgets.demo.example.com");
  CAPTURE(argument);
  CHECK(IsNamed(crd, argument));
}

TEST_CASE("What is not its name does not name a CRD", "[migrate][crd_names]") {
  const CrdIdentity crd = Identity("widgets", "demo.example.com", "");
  const std::string argument = GENERATE(
      "", "widge", "widgets.demo", "widgets.example.com", "widgets.v2.demo.example.com",
      "widgets.v1", "v1.demo.example.com", "widgets.demo.example.com.", "pod/widgets", "crd/");
  CAPTURE(argument);
  CHECK_FALSE(IsNamed(crd, argument));
}

TEST_CASE("An argument has to name one CRD", "[migrate][crd_names]") {
  const std::vector<CrdIdentity> crds = {Identity("widgets", "b.example.com", "wb"),
                                         Identity("widgets", "a.example.com", "wa")};
  CHECK_NOTHROW(RequireEachNamesOne({"wb", "widgets.a.example.com"}, crds));
  CHECK_THROWS_WITH(RequireEachNamesOne({"wx"}, crds), "no CustomResourceDefinition named \"wx\"");
  CHECK_THROWS_WITH(RequireEachNamesOne({"wx"}, crds, " here"),
                    "no CustomResourceDefinition named \"wx\" here");
  CHECK_THROWS_WITH(
      RequireEachNamesOne({"Widget"}, crds),
      "\"Widget\" is ambiguous; name one of: widgets.a.example.com, widgets.b.example.com");
}

TEST_CASE("Of a name that is none it is asked what was meant", "[migrate][crd_names]") {
  std::vector<CrdIdentity> crds = {Identity("widgets", "a.example.com", ""),
                                   Identity("valves", "a.example.com", "")};
  crds[1].names.singular = "valve";
  crds[1].names.kind = "Valve";
  const auto meant = [&crds](const std::string& argument) {
    return "no CustomResourceDefinition named \"" + argument + "\"; did you mean ";
  };
  for (const char* argument : {"widgest", "wigdet", "WIDGE", "widgets.a.exampel.com",
                               "crd/widgets.a.example.con", "widgetts.a.example.com"}) {
    CHECK_THROWS_WITH(RequireEachNamesOne({argument}, crds),
                      meant(argument) + "widgets.a.example.com?");
  }
  CHECK_THROWS_WITH(RequireEachNamesOne({"pumps"}, crds),
                    "no CustomResourceDefinition named \"pumps\"");
}

TEST_CASE("A resource that is built in is told as that", "[migrate][crd_names]") {
  const std::vector<CrdIdentity> crds = {Identity("pods", "pods.example.com", ""),
                                         Identity("podz", "a.example.com", "")};
  const std::vector<CrdIdentity> others = {crds[1]};
  CHECK_NOTHROW(RequireEachNamesOne({"pods"}, crds));
  for (const std::string argument : {"pods", "po", "Pod", "deploy", "deployments.apps"}) {
    CHECK_THROWS_WITH(RequireEachNamesOne({argument}, others),
                      "no CustomResourceDefinition named \"" + argument + "\"; " +
                          (argument.starts_with("deploy") ? "deployments" : "pods") +
                          " are built into Kubernetes, where unknown fields are never kept");
  }
  CHECK_THROWS_WITH(RequireEachNamesOne({"pods.example.com"}, others),
                    !Catch::Contains("built into"));
  CHECK_THROWS_WITH(RequireEachNamesOne({"podx"}, others),
                    Catch::EndsWith("mean podz.a.example.com?"));
}

TEST_CASE("What is ignored may be absent, but not two CRDs", "[migrate][crd_names]") {
  const std::vector<CrdIdentity> crds = {Identity("widgets", "b.example.com", "wb"),
                                         Identity("widgets", "a.example.com", "wa")};
  CHECK_NOTHROW(RequireNoneNamesTwo({"wb", "widgets.a.example.com", "wx"}, crds));
  CHECK_THROWS_WITH(
      RequireNoneNamesTwo({"widgets"}, crds),
      "\"widgets\" is ambiguous; name one of: widgets.a.example.com, widgets.b.example.com");
}

TEST_CASE("Namesakes are one CRD", "[migrate][crd_names]") {
  const CrdIdentity crd = Identity("widgets", "demo.example.com", "wd");
  CHECK_NOTHROW(RequireEachNamesOne({"widgets"}, {crd, crd}));
}

}  // namespace
}  // namespace migrate::check
