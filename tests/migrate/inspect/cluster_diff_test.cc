#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "kube/crd/crd.h"
#include "migrate/check/object_diff.h"
#include "tests/support/change_recorder.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace cluster_diff_test {

using test_support::ChangeRecorder;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeObjectText;
using test_support::TempFolder;
using Changes = std::map<std::string, std::string>;
using Strings = std::vector<std::string>;

const std::string kPreserves = R"(,"preserveUnknownFields":true)";

// Two CRDs that preserve unknown fields, and one that prunes. v1 knows spec.a, v1beta1 spec.b.
struct World {
  World() {
    cluster.server.Add(FakeCrdText("widgets", kPreserves));
    cluster.server.Add(FakeCrdText("gizmos", kPreserves));
    cluster.server.Add(FakeCrdText("gadgets"));
    cluster.server.Add(FakeObjectText("widgets", "one", R"({"a":"1","b":"2"})"));
    cluster.server.Add(FakeObjectText("widgets", "two", R"({"a":"1"})"));
    cluster.server.Add(FakeObjectText("gizmos", "one", R"({"c":12345678901234567890123})"));
    cluster.server.Add(FakeObjectText("gadgets", "one", R"({"c":1})"));
  }

  DiffReport Diff(const DiffOptions& options) {
    return DiffCluster(options, cluster.session(), recorder);
  }

  FakeCluster cluster;
  ChangeRecorder recorder;
};

TEST_CASE("Objects of every CRD that preserves unknown fields are compared",
          "[migrate][cluster_diff]") {
  World world;
  const DiffReport report = world.Diff({});
  CHECK(report.errors.empty());
  CHECK(report.objects == 3);
  CHECK(world.recorder.changes ==
        Changes{{"v1 Kindgizmos shop/one", R"({"c":1.2345678901234568e+22} -> {})"},
                {"v1 Kindwidgets shop/one", R"({"a":"1","b":"2"} -> {"a":"1"})"}});
  CHECK(report.notes.size() == 1);  // gadgets prune already
}

TEST_CASE("The schema of another version can be the one that prunes", "[migrate][cluster_diff]") {
  World world;
  world.Diff({.targets = {{"widgets", ""}}, .preview = {.version = "v1beta1"}});
  CHECK(world.recorder.changes ==
        Changes{{"v1beta1 Kindwidgets shop/one", R"({"a":"1","b":"2"} -> {"b":"2"})"},
                {"v1beta1 Kindwidgets shop/two", R"({"a":"1"} -> {})"}});
}

TEST_CASE("An unknown version is an error that lists those that there are",
          "[migrate][cluster_diff]") {
  World world;
  const DiffReport report =
      world.Diff({.targets = {{"widgets", ""}}, .preview = {.version = "v9"}});
  CHECK(report.errors ==
        Strings{"widgets.demo.example.com: there is no version \"v9\"; there is: v1, v1beta1"});
  CHECK(report.objects == 0);
}

TEST_CASE("An object is compared by its name, in all namespaces or in one",
          "[migrate][cluster_diff]") {
  World world;
  const std::string namespace_ = GENERATE("", "shop");
  CAPTURE(namespace_);
  const DiffReport report =
      world.Diff({.targets = {{"widgets", "one"}}, .objects = {.namespace_ = namespace_}});
  CHECK(report.errors.empty());
  CHECK(report.objects == 1);
  CHECK(world.recorder.changes.size() == 1);
}

TEST_CASE("An object that is not there is an error", "[migrate][cluster_diff]") {
  World world;
  CHECK(world.Diff({.targets = {{"widgets", "nine"}}}).errors ==
        Strings{"widgets.demo.example.com \"nine\" not found"});
  CHECK(world.Diff({.targets = {{"widgets", "nine"}}, .objects = {.namespace_ = "shop"}}).errors ==
        Strings{"Error from server (NotFound): widgets.demo.example.com \"nine\" not found"});
}

TEST_CASE("A CRD that is named with and without an object has all its objects compared",
          "[migrate][cluster_diff]") {
  World world;
  CHECK(world.Diff({.targets = {{"widgets", "one"}, {"Kindwidgets", ""}}}).objects == 2);
}

TEST_CASE("A proposed CRD prunes the objects of one that prunes already",
          "[migrate][cluster_diff]") {
  World world;
  const TempFolder folder;
  std::string crd = FakeCrdText("gadgets");
  crd.replace(crd.find("\"a\""), 3, "\"c\"");
  const DiffReport report = world.Diff({.filenames = {folder.Write("crd.json", crd)}});
  CHECK(report.errors.empty());
  CHECK(report.notes.empty());
  CHECK(report.objects == 1);
}

TEST_CASE("A named CRD that the files do not have is compared as it is, with a note",
          "[migrate][cluster_diff]") {
  World world;
  const TempFolder folder;
  const DiffReport report =
      world.Diff({.targets = {{"widgets", ""}},
                  .filenames = {folder.Write("crd.json", FakeCrdText("gadgets"))}});
  CHECK(report.errors.empty());
  CHECK(report.notes == Strings{"widgets.demo.example.com: the files of -f give no CRD of this "
                                "name, so the cluster's was taken"});
  CHECK(report.objects > 0);
}

TEST_CASE("Each file that cannot be read is told of once, in the order of the files",
          "[migrate][cluster_diff]") {
  World world;
  const TempFolder folder;
  std::string broken = FakeCrdText("gadgets");
  broken.replace(broken.find(R"("spec":)"), 7, R"("spec":[],"was":)");
  const DiffReport report =
      world.Diff({.filenames = {folder.Write("a.yaml", "a: [b"), folder.Write("b.json", broken),
                                folder.Write("c.json", broken)}});
  REQUIRE(report.errors.size() == 3);
  CHECK(report.errors[0].find("a.yaml:") != std::string::npos);
  CHECK(report.errors[1].find("b.json:1:1: cannot read the Custom") != std::string::npos);
  CHECK(report.errors[2].find("c.json:1:1: cannot read the Custom") != std::string::npos);
}

TEST_CASE("Files without a CRD are an error", "[migrate][cluster_diff]") {
  World world;
  const TempFolder folder;
  const DiffReport report = world.Diff({.filenames = {folder.Write("none.json", "{}")}});
  CHECK_FALSE(report.errors.empty());
}

TEST_CASE("Of a CRD that is not structural it shows what its schema removes",
          "[migrate][cluster_diff]") {
  World world;
  std::string crd = FakeCrdText("hoses", kPreserves);
  crd.replace(crd.find(R"("type":"object",)"), 16, "");
  world.cluster.server.Add(crd);
  world.cluster.server.Add(FakeObjectText("hoses", "one", R"({"a":"1","b":"2"})"));
  const DiffReport report = world.Diff({.targets = {{"hoses", ""}}});
  CHECK(report.errors.empty());
  CHECK(world.recorder.changes ==
        Changes{{"v1 Kindhoses shop/one", R"({"a":"1","b":"2"} -> {"a":"1"})"}});
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].starts_with("hoses.demo.example.com: the API server would refuse it"));
}

TEST_CASE("A schema that nothing can be pruned by is an error, the others are shown",
          "[migrate][cluster_diff]") {
  World world;
  world.cluster.server.Add(FakeCrdText("hoses", kPreserves));
  world.cluster.server.Add(FakeObjectText("hoses", "one", R"({"a":"1","b":"2"})"));
  // apiextensions-apiserver pkg/apiserver/schema/convert.go: this must be true or undefined.
  world.cluster.server.PatchCrd("hoses.demo.example.com", R"({"spec":{"versions":[
      {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
       "properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":false}}}}},
      {"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
       "properties":{"spec":{"type":"object","properties":{"b":{"type":"string"}}}}}}}]}})");
  const DiffReport report = world.Diff({});
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].starts_with("hoses.demo.example.com: nothing can be pruned by the"));
  CHECK(report.errors[0].find("kubectl prune check") != std::string::npos);
  CHECK(report.objects == 3);
  world.recorder.changes.clear();
  const DiffReport other =
      world.Diff({.targets = {{"hoses", ""}}, .preview = {.version = "v1beta1"}});
  CHECK(other.errors.empty());
  CHECK(world.recorder.changes ==
        Changes{{"v1beta1 Kindhoses shop/one", R"({"a":"1","b":"2"} -> {"b":"2"})"}});
}

TEST_CASE("Managed fields are left out unless they are asked for", "[migrate][cluster_diff]") {
  World world;
  CrdCheck check(*kube::crd::ReadCrd([] {
    auto document = std::make_unique<kube::json::Document>();
    REQUIRE_FALSE(document->Parse(FakeCrdText("widgets", kPreserves)));
    return document;
  }()),
                 "", {});
  const bool shown = GENERATE(false, true);
  const auto preview = PruningPreview::Make(check, {.show_managed_fields = shown});
  REQUIRE(preview);
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(
      R"({"apiVersion":"demo.example.com/v1beta1","kind":"Kindwidgets","metadata":{"name":"x",)"
      R"("managedFields":[{"manager":"m"}]},"spec":{}})"));
  const auto change = preview->Preview(object.root(), object.arena());
  REQUIRE(change);
  CHECK((change->now.Find("metadata")->Find("managedFields") != nullptr) == shown);
  CHECK(change->now.FindText("apiVersion") == "demo.example.com/v1");
  CHECK_FALSE(change->differs);
}

TEST_CASE("A run that is stopped says so", "[migrate][cluster_diff]") {
  World world;
  const std::atomic<bool> stop = true;
  world.cluster.run_stop = &stop;
  CHECK(world.Diff({}).is_stopped);
}

TEST_CASE("diff sends nothing but reads", "[migrate][cluster_diff]") {
  World world;
  world.Diff({});
  CHECK(std::ranges::all_of(world.cluster.server.requests(),
                            [](const auto& request) { return request.method == "GET"; }));
}

}  // namespace cluster_diff_test
}  // namespace migrate::check
