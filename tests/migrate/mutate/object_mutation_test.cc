#include "migrate/check/object_mutation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace object_mutation_test {

using test_support::TempFolder;

std::string ErrorOf(const std::vector<std::string>& filenames) {
  try {
    ReadMutations(filenames);
  } catch (const kube::base::Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Mutations of several files are one", "[migrate][mutate]") {
  const TempFolder folder;
  const std::string a = folder.Write("a.yaml", "x: {a: 1}\n");
  const std::string b = folder.Write("b.json", R"_({"x": {"z": "(x.a)"}})_");
  const auto both = ReadMutations({a, b});
  CHECK(both->sources() == a + " and " + b);
  CHECK(both->fingerprint() == ReadMutations({a, b})->fingerprint());
  CHECK(both->fingerprint() != ReadMutations({b, a})->fingerprint());
  kube::json::Arena arena;
  const auto changed = both->Apply(kube::json::Value::Object(), arena);
  REQUIRE(changed);
  REQUIRE(*changed);
  CHECK(kube::json::Print(**changed) == R"({"x":{"a":1,"z":1}})");
  const auto again = both->Apply(**changed, arena);
  CHECK((again && !*again));
  CHECK(ReadMutations({}) == nullptr);
}

TEST_CASE("What is no mutation is said by file and line", "[migrate][mutate]") {
  const TempFolder folder;
  const std::string wrong = folder.Write("wrong.yaml", "spec:\n  a: 1\n  a: 2\n");
  CHECK(ErrorOf({wrong}) == wrong + ":3: spec.a: is there twice");
  const std::string empty = folder.Write("empty.yaml", "# nothing\n");
  CHECK(ErrorOf({empty}) == empty + " holds no mutation tree");
  const std::string missing = folder.path() + "/missing.yaml";
  CHECK(ErrorOf({missing}) ==
        "cannot read the mutation: open " + missing + ": no such file or directory");
}

}  // namespace object_mutation_test
}  // namespace migrate::check
