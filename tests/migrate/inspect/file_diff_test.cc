#include <catch2/catch.hpp>
#include <map>

#include "kube/base/result.h"
#include "migrate/check/object_diff.h"
#include "tests/support/change_recorder.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace file_diff_test {

using test_support::ChangeRecorder;
using test_support::FakeCrdText;
using test_support::FakeObjectText;
using test_support::TempFolder;
using Changes = std::map<std::string, std::string>;
using Strings = std::vector<std::string>;

// v1 knows spec.a, v1beta1 spec.b.
struct Files {
  Files() {
    folder.Write("crd.json", FakeCrdText("widgets"));
    folder.Write("one.json", FakeObjectText("widgets", "one", R"({"a":"1","b":2.50})"));
    folder.Write("two.json", FakeObjectText("widgets", "two", R"({"a":"1"})"));
  }

  DiffReport Diff(DiffOptions options = {}) {
    options.filenames = {folder.path()};
    return DiffFiles(options, recorder);
  }

  TempFolder folder;
  ChangeRecorder recorder;
};

TEST_CASE("Objects of files are compared with what is left of them", "[migrate][file_diff]") {
  Files files;
  const DiffReport report = files.Diff();
  CHECK(report.objects == 2);
  CHECK(report.errors.empty());
  CHECK(files.recorder.changes ==
        Changes{{"v1 Kindwidgets shop/one", R"({"a":"1","b":2.5} -> {"a":"1"})"}});
}

TEST_CASE("Metadata that a file has not is no difference", "[migrate][file_diff]") {
  Files files;
  files.Diff({.targets = {{"widgets", "two"}}});
  CHECK(files.recorder.changes.empty());
}

TEST_CASE("Of two objects of one name in files the last counts", "[migrate][file_diff]") {
  Files files;
  files.folder.Write("three.json", FakeObjectText("widgets", "one", R"({"a":"1"})"));
  files.Diff();
  CHECK(files.recorder.changes.empty());
}

TEST_CASE("An object that no file holds is an error", "[migrate][file_diff]") {
  Files files;
  const DiffReport report = files.Diff({.targets = {{"widgets", "one"}, {"widgets", "nine"}}});
  CHECK(report.objects == 1);
  CHECK(report.errors == Strings{"widgets.demo.example.com \"nine\" not found in the files"});
}

TEST_CASE("A version that the CRD of a file has not is an error", "[migrate][file_diff]") {
  Files files;
  CHECK(files.Diff({.preview = {.version = "v9"}}).errors ==
        Strings{"widgets.demo.example.com: there is no version \"v9\"; there is: v1, v1beta1"});
}

TEST_CASE("An object of a file that the server could not read is an error",
          "[migrate][file_diff]") {
  Files files;
  files.folder.Write("bad.json", FakeObjectText("widgets", "bad", R"({"a":1e999})"));
  const DiffReport report = files.Diff();
  REQUIRE(report.errors.size() == 1);
  CHECK_THAT(report.errors[0], Catch::Contains("bad.json:1:"));
  CHECK_THAT(report.errors[0],
             Catch::EndsWith("json: cannot unmarshal number 1e999 into Go value of "
                             "type float64"));
}

TEST_CASE("A name that no CRD of the files has is an error", "[migrate][file_diff]") {
  Files files;
  CHECK_THROWS_AS(files.Diff({.targets = {{"gizmos", ""}}}), kube::base::Error);
}

}  // namespace file_diff_test
}  // namespace migrate::check
