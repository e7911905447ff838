#include "migrate/populate/target_namespace.h"
#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace initializers_test {

using Names = std::vector<std::string>;

kube::base::Result<InitializationConfiguration, Names> Read(const std::string& spec) {
  return ReadInitializationConfiguration(
      populate_test::ParseJson(R"({"metadata":{"name":"net"},"spec":)" + spec + "}").root());
}

TEST_CASE("A configuration has a name, a selector and initializers", "[migrate][populate]") {
  const auto read = Read(R"({"namespaces":{"labelSelector":{"matchLabels":{"tenant":"team"}}},
      "initializers":[{"name":"mesh"},{"name":"dns"},{"name":"mesh"}]})");
  REQUIRE(read);
  CHECK(read->name == "net");
  CHECK(read->selector.size() == 1);
  CHECK(read->initializers == Names{"dns", "mesh"});
}

TEST_CASE("A configuration without a selector, or with one that is misspelt, is refused",
          "[migrate][populate]") {
  for (const char* spec :
       {"{}", "5", R"({"namespaces":{}})", R"({"namespaces":{"labelSelector":5}})"}) {
    CAPTURE(spec);
    CHECK(Read(spec).error() == Names{"spec.namespaces.labelSelector: Required value"});
  }
  CHECK(Read(R"({"namespaces":{"labelSelector":{"matchLabel":{}}}})").error() ==
        Names{"spec.namespaces.labelSelector.matchLabel: Forbidden: no selector has such a field"});
}

TEST_CASE("The names of initializers are read in whatever order, each once",
          "[migrate][populate]") {
  CHECK(ReadInitializers("").empty());
  CHECK(ReadInitializers(",,").empty());
  CHECK(ReadInitializers("b,a,b,") == Names{"a", "b"});
}

TEST_CASE("What is the name of no initializer counts for none", "[migrate][populate]") {
  const std::string longest(253, 'a');
  CHECK(ReadInitializers(longest + "," + longest + "a,a b,A,a.,\x1b[2J,a.b") ==
        Names{"a.b", longest});
  CHECK(Read(R"({"namespaces":{"labelSelector":{}},"initializers":[{"name":"a,b"},{"name":"c"}]})")
            ->initializers == Names{"c"});
}

}  // namespace initializers_test
}  // namespace migrate::populate
