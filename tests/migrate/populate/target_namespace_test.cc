#include "migrate/populate/target_namespace.h"

#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace target_namespace_test {

using populate_test::ParseJson;
using Errors = std::vector<std::string>;

kube::base::Result<TargetNamespace, Errors> Read(const std::string& metadata) {
  return ReadNamespace(
      ParseJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":)" + metadata + "}").root());
}

TEST_CASE("A Namespace has its labels and its creator", "[migrate][populate]") {
  const auto read = Read(R"({"name":"a","labels":{"tenant":"team"},
      "annotations":{"authorization.k8s.io/creator":"jo@example.com"}})");
  REQUIRE(read);
  CHECK(read->name == "a");
  CHECK(read->labels ==
        kube::meta::Labels{{"kubernetes.io/metadata.name", "a"}, {"tenant", "team"}});
  CHECK(read->creator == "jo@example.com");
  CHECK_FALSE(read->OptsOut());
}

TEST_CASE("A Namespace without labels and creator", "[migrate][populate]") {
  for (const auto& read :
       {*Read(R"({"name":"a"})"),
        *Read(R"({"name":"a","annotations":{"authorization.k8s.io/creator":""}})"),
        NamespaceNamed("a")}) {
    CHECK(read.name == "a");
    CHECK(read.labels == kube::meta::Labels{{"kubernetes.io/metadata.name", "a"}});
    CHECK_FALSE(read.creator);
  }
}

// SetDefaults_Namespace of core/v1 sets it whatever was there.
TEST_CASE("The label of a Namespace's name cannot be another one", "[migrate][populate]") {
  const auto read = Read(R"({"name":"a","labels":{"kubernetes.io/metadata.name":"b"}})");
  REQUIRE(read);
  CHECK(read->labels.at("kubernetes.io/metadata.name") == "a");
}

TEST_CASE("A Namespace opts out by its label or its annotation", "[migrate][populate]") {
  const auto [metadata, opts_out] = GENERATE(table<std::string, bool>({
      {R"("labels":{"policy/namespace-template-opt-out":"true"})", true},
      {R"("labels":{"policy/namespace-template-opt-out":"false"})", false},
      {R"("labels":{"policy/namespace-template-opt-out":""})", false},
      {R"("annotations":{"policy/namespace-template-opt-out":"true"})", true},
      {R"("annotations":{"policy/namespace-template-opt-out":"yes"})", false},
      {R"("annotations":{"policy/namespace-template-opt-out":"true"},
          "labels":{"policy/namespace-template-opt-out":"false"})",
       true},
  }));
  CAPTURE(metadata);
  CHECK(Read(R"({"name":"a",)" + metadata + "}")->OptsOut() == opts_out);
}

TEST_CASE("Selectors of webhooks see the label alone", "[migrate][populate]") {
  const auto read =
      Read(R"({"name":"a","annotations":{"policy/namespace-template-opt-out":"true"}})");
  CHECK_FALSE(read->OptsOutByLabel());
  CHECK(Read(R"({"name":"a","labels":{"policy/namespace-template-opt-out":"true"}})")
            ->OptsOutByLabel());
}

TEST_CASE("A Namespace that no server takes is refused in its words", "[migrate][populate]") {
  CHECK(Read("{}").error() == Errors{"metadata.name: Required value: name is required"});
  CHECK(Read(R"({"name":"a.b"})").error() ==
        Errors{"metadata.name: Invalid value: \"a.b\": must not contain dots"});
  CHECK(Read(R"({"name":"a","namespace":"b"})"));  // the server clears it
  CHECK(Read(R"({"name":"a","labels":{"b":"c d"}})")
            .error()
            .front()
            .starts_with("metadata.labels: Invalid value: \"c d\""));
  CHECK(Read("5").error().front().starts_with("json: cannot unmarshal number"));
}

TEST_CASE("Which objects are Namespaces", "[migrate][populate]") {
  CHECK(IsNamespace(ParseJson(R"({"apiVersion":"v1","kind":"Namespace"})").root()));
  CHECK_FALSE(IsNamespace(ParseJson(R"({"apiVersion":"x.io/v1","kind":"Namespace"})").root()));
  CHECK_FALSE(IsNamespace(ParseJson(R"({"apiVersion":"v1","kind":"Node"})").root()));
  CHECK_FALSE(IsNamespace(ParseJson("[]").root()));
}

}  // namespace target_namespace_test
}  // namespace migrate::populate
