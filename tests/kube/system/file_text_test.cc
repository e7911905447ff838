#include "kube/base/file_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/temp_folder.h"

namespace kube::base {
namespace {

TEST_CASE("A file is read whole", "[kube][file_text]") {
  const test_support::TempFolder folder;
  const std::string text(100'000, 'x');
  const auto read = ReadFileText(folder.Write("a", text));
  REQUIRE(read);
  CHECK(*read == text);
}

// Expected values: what Go's os.ReadFile says.
TEST_CASE("What cannot be read is told in Go's words", "[kube][file_text]") {
  const test_support::TempFolder folder;
  const std::string gone = folder.path() + "/gone";
  REQUIRE_FALSE(ReadFileText(gone));
  CHECK(ReadFileText(gone).error().missing);
  CHECK(ReadFileText(gone).error().message == "open " + gone + ": no such file or directory");
  CHECK(OpenProblem(gone) == "open " + gone + ": no such file or directory");
  REQUIRE_FALSE(ReadFileText(folder.path()));
  CHECK_FALSE(ReadFileText(folder.path()).error().missing);
  CHECK(ReadFileText(folder.path()).error().message ==
        "read " + folder.path() + ": is a directory");
  CHECK(OpenProblem(folder.path()).empty());
}

TEST_CASE("A file without an end is given up", "[kube][file_text]") {
  REQUIRE_FALSE(ReadFileText("/dev/zero"));
  CHECK(ReadFileText("/dev/zero").error().message == "read /dev/zero: more than 64 MiB");
}

}  // namespace
}  // namespace kube::base
