#include "kube/meta/path_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/meta/object_path.h"

namespace kube::meta {
namespace path_text_test {

// A name as it is, an index in brackets; "any" behind what means all.
std::string Read(const std::string& text) {
  const auto steps = ParsePathText(text);
  if (!steps) return "error: " + steps.error();
  std::string read;
  for (const WrittenStep& step : *steps) {
    read += step.is_index ? "[" + step.name + "]" : "/" + step.name;
    if (step.is_any) read += "any";
  }
  return read;
}

TEST_CASE("A path that a person has written is taken apart", "[kube][path_text]") {
  CHECK(Read(".spec.legacyMode") == "/spec/legacyMode");
  CHECK(Read("spec.ports[0].proto") == "/spec/ports[0]/proto");
  CHECK(Read("spec.ports[*].env.*") == "/spec/ports[*]any/env/*any");
  CHECK(Read("files['a.xml'].x") == "/files/a.xml/x");
  CHECK(Read("['*'][3]") == "/*[3]");
  CHECK(Read(R"(['it\'s \\'])") == R"(/it's \)");
}

TEST_CASE("What is no path is said", "[kube][path_text]") {
  CHECK(Read("") == "error: it names nothing");
  CHECK(Read(".") == "error: it names nothing");
  CHECK(Read("a..b") == "error: a name in it is empty");
  CHECK(Read("a.") == "error: a name in it is empty");
  CHECK(Read("a['b") == "error: a [' has no '] behind it");
  CHECK(Read("a[x]") == "error: behind a [ comes a number or * and a ], or 'NAME']");
  CHECK(Read("a[") == "error: behind a [ comes a number or * and a ], or 'NAME']");
  std::string deep = "a";
  for (int i = 0; i < 200; ++i) deep += ".a";
  CHECK(Read(deep) == "error: it is too long");
}

TEST_CASE("It reads back what tables show", "[kube][path_text]") {
  for (const std::string name :
       {"plain", "a.b/c", "it's", "\\", "*", "[x]", "(y)", "a b", "\"q\""}) {
    std::string path = "spec";
    AppendPathName(path, name);
    CHECK(Read(path) == "/spec/" + name);
  }
}

}  // namespace path_text_test
}  // namespace kube::meta
