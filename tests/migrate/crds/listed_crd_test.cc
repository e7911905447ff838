#include <catch2/catch.hpp>

#include "migrate/check/cluster_crds.h"

namespace migrate::check {
namespace listed_crd_test {

TEST_CASE("An item of a list is read as what the list is of", "[migrate][crds]") {
  kube::json::Document list;
  REQUIRE_FALSE(list.Parse(
      R"({"metadata":{"name":"a.b"},"spec":{"group":"b","version":"v1","preserveUnknownFields":true,)"
      R"("names":{"plural":"a","kind":"A"}}})"));
  std::string api_version = ApiVersionOfTarget("/apis/apiextensions.k8s.io/v1beta1/crds");
  CHECK(api_version == "apiextensions.k8s.io/v1beta1");
  CHECK(NameOfItem(list.root()) == "a.b");
  const auto crd = ReadListedCrd(list.root(), api_version);
  api_version.assign(api_version.size(), 'x');
  REQUIRE(crd);
  CHECK(crd->is_v1beta1());
  CHECK(crd->preserve_unknown_fields);
  CHECK(crd->document->root().FindText("apiVersion") == "apiextensions.k8s.io/v1beta1");
  CHECK(list.root().Find("kind") == nullptr);
}

TEST_CASE("What is no CRD has an error", "[migrate][crds]") {
  kube::json::Document list;
  REQUIRE_FALSE(list.Parse("5"));
  CHECK(NameOfItem(list.root()).empty());
  CHECK_FALSE(ReadListedCrd(list.root(), "apiextensions.k8s.io/v1"));
}

}  // namespace listed_crd_test
}  // namespace migrate::check
