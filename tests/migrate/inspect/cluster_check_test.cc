#include "migrate/check/cluster_check.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace cluster_check_test {

using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using Strings = std::vector<std::string>;

const std::string kPreserves = R"(,"preserveUnknownFields":true)";
const std::string kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

report::CheckReport Check(FakeCluster& cluster, const CheckOptions& options = {}) {
  return CheckCluster(options, {cluster.client, cluster.clock, &cluster.stop});
}

// Three CRDs: widgets lose a field, gizmos lose nothing, gadgets prune already.
void AddThree(FakeCluster& cluster) {
  cluster.server.Add(FakeCrdText("widgets", kPreserves));
  cluster.server.Add(FakeCrdText("gizmos", kPreserves));
  cluster.server.Add(FakeCrdText("gadgets"));
  cluster.server.Add(FakeObjectText("widgets", "one", R"({"a":"1","extra":true})"));
  cluster.server.Add(FakeObjectText("gizmos", "one", "{}"));
  cluster.server.Add(FakeObjectText("gadgets", "one", "{}"));
}

Strings Verdicts(const report::CheckReport& report) {
  constexpr const char* kNames[] = {"unknown", "blocked", "loses-fields",
                                    "invalid", "ready",   "pruning"};
  Strings verdicts;
  for (const report::CrdReport& crd : report.crds) {
    verdicts.push_back(crd.name.substr(0, crd.name.find('.')) + " " +
                       kNames[static_cast<int>(crd.verdict)]);
  }
  return verdicts;
}

bool Asked(const FakeCluster& cluster, const std::string& target) {
  return std::ranges::any_of(cluster.server.requests(), [&target](const auto& request) {
    return request.target.substr(0, request.target.find('?')) == target;
  });
}

TEST_CASE("Without names all CRDs are checked, and the objects read that tell something",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report) == Strings{"gadgets pruning", "gizmos ready", "widgets loses-fields"});
  CHECK(report.crds[0].objects_skipped);
  CHECK_FALSE(Asked(cluster, "/apis/demo.example.com/v1/gadgets"));
  REQUIRE(report.crds[2].versions[0].pruned_fields.size() == 1);
  CHECK(report.crds[2].versions[0].pruned_fields[0].path == "spec.extra");
  CHECK(report.crds[2].versions[0].pruned_fields[0].examples == Strings{"shop/one"});
}

TEST_CASE("One list serves all versions while unknown fields are preserved",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const report::CheckReport report = Check(cluster, {.crd_names = {"widgets.demo.example.com"}});
  CHECK(report.crds[0].versions[1].objects == 1);
  CHECK(report.crds[0].versions[1].pruned_fields.size() == 2);
  CHECK_FALSE(Asked(cluster, "/apis/demo.example.com/v1beta1/widgets"));
}

TEST_CASE("A CRD that is named in full needs no list of CRDs", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const report::CheckReport report =
      Check(cluster, {.crd_names = {"crd/gadgets.demo.example.com"}});
  CHECK(Verdicts(report) == Strings{"gadgets pruning"});
  CHECK_FALSE(report.crds[0].objects_skipped);
  CHECK_FALSE(Asked(cluster, kCrds));
}

TEST_CASE("Other names are looked for among all CRDs", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  CHECK(Verdicts(Check(cluster, {.crd_names = {"kindwidgets"}})) ==
        Strings{"widgets loses-fields"});
  CHECK(Verdicts(Check(cluster, {.crd_names = {"kindwidgets.demo.example.com"}})) ==
        Strings{"widgets loses-fields"});
  CHECK_THROWS_WITH(Check(cluster, {.crd_names = {"nothing"}}),
                    "no CustomResourceDefinition named \"nothing\"");
  CHECK_THROWS_WITH(Check(cluster, {.crd_names = {"nothing.demo.example.com"}}),
                    "no CustomResourceDefinition named \"nothing.demo.example.com\"");
}

TEST_CASE("Selectors choose CRDs and objects on the server", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const report::CheckReport report = Check(
      cluster,
      {.crd_names = {"widgets.demo.example.com"},
       .objects = {
           .namespace_ = "lab", .label_selector = "app=a b", .field_selector = "metadata.name=x"}});
  CHECK(report.crds[0].object_count == 0);
  CHECK(report.object_filter ==
        R"(namespace "lab", label selector "app=a b", field selector "metadata.name=x")");
  const Strings lines = cluster.server.RequestLines();
  CHECK(std::ranges::count(
            lines,
            "GET /apis/demo.example.com/v1/namespaces/lab/widgets"
            "?labelSelector=app%3Da%20b&fieldSelector=metadata.name%3Dx&limit=500") == 1);
  Check(cluster, {.crd_selector = "x=y"});
  CHECK(cluster.server.RequestLines().back() == "GET " + kCrds + "?labelSelector=x%3Dy&limit=500");
}

TEST_CASE("Two CRDs are not left out by one name", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  std::string other = FakeCrdText("widgets");
  for (std::size_t at; (at = other.find("demo.example.com")) != std::string::npos;) {
    other.replace(at, 4, "lab1");
  }
  cluster.server.Add(other);
  CHECK_THROWS_WITH(Check(cluster, {.ignored_crds = {"widgets"}}),
                    "\"widgets\" is ambiguous; name one of: widgets.demo.example.com, "
                    "widgets.lab1.example.com");
  CHECK(Check(cluster, {.ignored_crds = {"widgets.lab1.example.com"}}).crds.size() == 3);
}

TEST_CASE("CRDs are left out, and objects are left alone", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const report::CheckReport report =
      Check(cluster, {.ignored_crds = {"gizmos"}, .skip_objects = true});
  CHECK(Verdicts(report) == Strings{"gadgets pruning", "widgets ready"});
  CHECK_FALSE(Asked(cluster, "/apis/demo.example.com/v1/widgets"));
  CHECK_FALSE(Check(cluster, {.all_objects = true}).crds[0].objects_skipped);
}

TEST_CASE("What cannot be read of one CRD leaves the others alone", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  SECTION("no rights to list its objects") {
    cluster.server.Forbid("widgets.demo.example.com");
    const report::CheckReport report = Check(cluster);
    CHECK(Verdicts(report) == Strings{"gadgets pruning", "gizmos ready", "widgets unknown"});
    CHECK_THAT(report.crds[2].error, Catch::Contains("Error from server (Forbidden)"));
    CHECK(report.crds[2].storage_version == "v1");
  }
  SECTION("the CRD is deleted while its objects are read") {
    cluster.server.AddFault({.target = "/apis/demo.example.com/v1/widgets", .before = [&cluster] {
                               cluster.server.Delete(
                                   "customresourcedefinitions.apiextensions.k8s.io",
                                   "widgets.demo.example.com");
                             }});
    const report::CheckReport report = Check(cluster);
    CHECK(Verdicts(report) == Strings{"gadgets pruning", "gizmos ready", "widgets unknown"});
    CHECK_THAT(report.crds[2].error, Catch::Contains("was deleted while its objects were read"));
  }
  SECTION("its objects cannot be converted") {
    cluster.server.AddFault(
        {.target = "/apis/demo.example.com/v1/widgets",
         .answer = test_support::FakeStatus(500, "", "conversion webhook failed: refused")});
    CHECK_THAT(Check(cluster).crds[2].error, Catch::Contains("conversion webhook failed"));
  }
  SECTION("another server has its objects") {
    cluster.server.Add(
        R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",
            "metadata":{"name":"v1.demo.example.com"},
            "spec":{"group":"demo.example.com","version":"v1",
                    "service":{"namespace":"other","name":"server"}}})");
    const report::CheckReport report = Check(cluster);
    CHECK(Verdicts(report) == Strings{"gadgets pruning", "gizmos unknown", "widgets unknown"});
    CHECK_THAT(report.crds[2].error, Catch::Contains("aggregated API server"));
  }
}

TEST_CASE("Pruning that was turned on meanwhile makes what was read worthless",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  FakeFault fault;
  fault.target = "/apis/demo.example.com/v1/widgets";
  std::string why;
  SECTION("by an update") {
    why = "spec.preserveUnknownFields was turned off while its objects were read";
    fault.before = [&cluster] {
      cluster.server.PatchCrd("widgets.demo.example.com",
                              R"({"spec":{"preserveUnknownFields":false}})");
    };
  }
  SECTION("by another CRD of the same name") {
    why = "deleted and created anew while its objects were read";
    fault.before = [&cluster] {
      cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io",
                            "widgets.demo.example.com");
      cluster.server.Add(FakeCrdText("widgets", kPreserves));
    };
  }
  cluster.server.AddFault(fault);
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK_THAT(report.crds[2].error, Catch::Contains(why));
}

std::string UidOf(FakeCluster& cluster) {
  const auto crd = cluster.client.Get(kCrds + "/widgets.demo.example.com");
  REQUIRE(crd);
  return std::string((*crd)->root().Find("metadata")->FindText("uid"));
}

// A fault of the last look at the CRD of widgets, which only comes once its objects were read.
FakeFault LastLookFault(test_support::FakeAnswer answer) {
  return {.target = kCrds + "/widgets.demo.example.com", .answer = std::move(answer)};
}

TEST_CASE("A CRD that cannot be read again may have changed, so that nothing is known",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const auto [answer, why] = GENERATE(table<test_support::FakeAnswer, std::string>({
      {test_support::FakeText(500, "text/plain", "no"),
       "Error from server (InternalError): an error on the server (\"no\") has prevented the "
       "request from succeeding"},
      {test_support::FakeText(200, "application/json", R"({"kind":"List","items":[{},{}]})"),
       "the server's answer is a list in the place of one object"},
  }));
  cluster.server.AddFault(LastLookFault(answer));
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK(report.crds[2].error ==
        "cannot tell whether the CustomResourceDefinition changed while its objects were read: " +
            why);
}

TEST_CASE("Who may only list CRDs gets a report with a note", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.AddFault(
      LastLookFault(test_support::FakeStatus(403, "Forbidden", "not for alice")));
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets loses-fields");
  CHECK(report.crds[2].note ==
        "it is not known whether it changed while its objects were read: Error from server "
        "(Forbidden): not for alice");
  CHECK(report.crds[1].note.empty());
}

TEST_CASE("A check that is stopped while CRDs are read says so", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  test_support::TempFolder folder;
  CheckOptions options;
  FakeFault fault;
  fault.before = [&cluster] { cluster.stop = true; };
  SECTION("while the versions are asked for") { fault.target = "/apis/apiextensions.k8s.io"; }
  SECTION("in their list") { fault.target = kCrds; }
  SECTION("in their list, and others are proposed") {
    fault.target = kCrds;
    options.filenames = {folder.Write("crd.json", FakeCrdText("widgets"))};
    options.crd_selector = "app=a";
  }
  fault.latency = std::chrono::hours(1);
  SECTION("while there is no answer") {
    fault.target = "/apis/apiextensions.k8s.io";
    fault.latency = std::chrono::hours(1);
    fault.before = nullptr;
    cluster.stop = true;
  }
  cluster.server.AddFault(fault);
  const report::CheckReport report = Check(cluster, options);
  CHECK(report.not_all_crds_read);
  CHECK(report.crds.empty());
}

TEST_CASE("A check that is stopped while objects are read has all CRDs",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.AddFault({.target = "/apis/demo.example.com/v1/widgets",
                           .before = [&cluster] { cluster.stop = true; }});
  const report::CheckReport report = Check(cluster);
  CHECK_FALSE(report.not_all_crds_read);
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK(report.crds[2].error == "interrupted");
  CHECK(report.crds[2].is_interrupted);
}

TEST_CASE("What was read before a check was stopped is shown, with a note",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  FakeFault fault = LastLookFault({});
  fault.answer.reset();
  fault.before = [&cluster] { cluster.stop = true; };
  cluster.server.AddFault(fault);
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets loses-fields");
  CHECK(report.crds[2].note ==
        "it is not known whether it changed while its objects were read: interrupted");
}

TEST_CASE("What was found before a stop is shown as not all", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.Add(FakeObjectText("widgets", "two", R"({"extra":true})"));
  cluster.server.AddFault({.target = "/apis/demo.example.com/v1/widgets",
                           .first = 2,
                           .before = [&cluster] { cluster.stop = true; }});
  const report::CheckReport report = Check(cluster, {.objects = {.chunk_size = 1}});
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK(report.crds[2].error == "interrupted after 1 object");
  CHECK_FALSE(report.crds[2].is_interrupted);
  CHECK(report.crds[2].objects_losing_fields == 1);
}

TEST_CASE("Objects of another kind in a list are not counted as the CRD's",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  const auto [object, kind] = GENERATE(table<std::string, std::string>({
      {R"({"apiVersion":"v1","kind":"Kindwidgets"})", R"("Kindwidgets" in "v1")"},
      {R"({"apiVersion":"demo.example.com/v1","kind":"Pod"})", R"("Pod" in "demo.example.com/v1")"},
      {"1", R"("" in "")"},
  }));
  cluster.server.AddFault(
      {.target = "/apis/demo.example.com/v1/widgets",
       .answer = test_support::FakeText(
           200, "application/json",
           R"({"kind":"KindwidgetsList","metadata":{},"items":[)" + object + "]}")});
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK(report.crds[2].error == "the server's list holds another kind of objects: " + kind);
}

TEST_CASE("A CRD that is being deleted at the end had not all its objects left",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.AddFault(LastLookFault(test_support::FakeText(
      200, "application/json",
      R"({"metadata":{"name":"widgets.demo.example.com","uid":")" + UidOf(cluster) +
          R"(","deletionTimestamp":"2026-11-21T00:00:00Z"},"spec":{"preserveUnknownFields":true}})")));
  const report::CheckReport report = Check(cluster);
  CHECK(Verdicts(report)[2] == "widgets unknown");
  CHECK_THAT(report.crds[2].error, Catch::Contains("was deleted while its objects were read"));
}

TEST_CASE("A CRD by its name that is answered by something else is not read, rather than not there",
          "[migrate][cluster_check]") {
  const std::string answer = GENERATE(R"({"kind":"Foo"})", "{}");
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.AddFault(LastLookFault(test_support::FakeText(200, "application/json", answer)));
  const report::CheckReport report = Check(cluster, {.crd_names = {"widgets.demo.example.com"}});
  CHECK(Verdicts(report) == Strings{"widgets unknown"});
  CHECK(report.crds[0].error == "the server's answer is no CustomResourceDefinition of this name");
}

TEST_CASE("The files are read before signals are caught and the server is asked",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  int calls = 0;
  CheckOptions options;
  options.on_files_read = [&] {
    ++calls;
    CHECK(cluster.server.requests().empty());
  };
  Check(cluster, options);
  CHECK(calls == 1);
  options.filenames = {"/nowhere/crd.yaml"};
  CHECK_THROWS(Check(cluster, options));
  CHECK(calls == 1);
}

TEST_CASE("A server without v1beta1, and one without v1, are read alike",
          "[migrate][cluster_check]") {
  const std::string version = GENERATE("v1", "v1beta1");
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.ServeCrdVersions({version});
  CHECK(Verdicts(Check(cluster)) ==
        Strings{"gadgets pruning", "gizmos ready", "widgets loses-fields"});
}

TEST_CASE("CRDs of files are checked against the objects of the cluster",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  test_support::TempFolder folder;
  const std::string fixed = R"(,"preserveUnknownFields":false)";
  const auto file = folder.Write("crds.json", FakeCrdText("gizmos", fixed) + "\n" +
                                                  FakeCrdText("newcomers", fixed) + "\n" +
                                                  FakeObjectText("gizmos", "two", "{\"z\":1}") +
                                                  "\n" + FakeObjectText("others", "one", "{}"));
  const report::CheckReport report = Check(cluster, {.filenames = {file}});
  CHECK(Verdicts(report) == Strings{"gizmos pruning", "newcomers pruning"});
  CHECK(report.crds[0].source == file);
  CHECK(report.crds[0].object_count == 1);
  CHECK(report.file_objects == 1);
  REQUIRE(report.crds[0].file_objects);
  CHECK(report.crds[0].file_objects->objects == 1);
  CHECK(report.crds[0].file_objects->objects_losing_fields == 1);
  CHECK(report.crds[0].file_objects->pruned_fields.at(0).path == "spec.z");
  CHECK_FALSE(report.crds[1].file_objects);
  SECTION("names choose among both") {
    const report::CheckReport named =
        Check(cluster, {.crd_names = {"gizmos", "widgets"}, .filenames = {file}});
    CHECK(Verdicts(named) == Strings{"gizmos pruning", "widgets loses-fields"});
    CHECK(named.crds[1].source.empty());
    CHECK(named.crds[0].note.find("the files of -f") == std::string::npos);
    CHECK(named.crds[1].note ==
          "the files of -f give no CRD of this name, so the cluster's was taken");
    CHECK(named.file_errors.empty());
  }
  SECTION("files without a CRD are an error also beside a name") {
    const auto objects = folder.Write("objects.json", FakeObjectText("gizmos", "two", "{}"));
    const report::CheckReport named =
        Check(cluster, {.crd_names = {"widgets"}, .filenames = {objects}});
    CHECK(Verdicts(named) == Strings{"widgets loses-fields"});
    CHECK(named.file_errors ==
          Strings{"no CustomResourceDefinitions found; name the files that hold them by -f"});
  }
  SECTION("a CRD that cannot be read proposes nothing") {
    std::string text = FakeCrdText("widgets");
    text.replace(text.find(R"("spec":)"), 7, R"("spec":[],"was":)");
    const auto broken = folder.Write("broken.json", text);
    const report::CheckReport named =
        Check(cluster, {.crd_names = {"widgets"}, .filenames = {broken}});
    REQUIRE(named.crds.size() == 2);
    for (const report::CrdReport& crd : named.crds) {
      CHECK(crd.source == (crd.is_file_error ? broken : ""));
      CHECK(crd.note.empty() == crd.is_file_error);
    }
    REQUIRE(named.file_errors.size() == 1);
    CHECK(named.file_errors[0].starts_with(broken + ":1:1: cannot read the Custom"));
  }
}

TEST_CASE("Objects below k8s.io are custom resources where no server has the group built in",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  test_support::TempFolder folder;
  const auto in_group = [](std::string text, const std::string& group) {
    for (std::size_t i; (i = text.find("demo.example.com")) != text.npos;)
      text.replace(i, std::string("demo.example.com").size(), group);
    return text;
  };
  const std::string gateway = "gateway.networking.k8s.io";
  const auto file = folder.Write(
      "crds.json",
      in_group(FakeCrdText("routes", R"(,"preserveUnknownFields":false)"), gateway) + "\n" +
          in_group(FakeObjectText("routes", "one", "{\"z\":1}"), gateway) + "\n" +
          in_group(FakeObjectText("routes", "other", "{\"z\":1}"), "networking.k8s.io"));
  const report::CheckReport report = Check(cluster, {.filenames = {file}});
  REQUIRE(report.crds.size() == 1);
  REQUIRE(report.crds[0].file_objects);
  CHECK(report.crds[0].file_objects->objects == 1);
  CHECK(report.crds[0].file_objects->pruned_fields.at(0).path == "spec.z");
  CHECK(report.has_others_in_files);
}

TEST_CASE("A proposal for a CRD that the selector leaves out is left out, not taken for a new one",
          "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  test_support::TempFolder folder;
  const auto file =
      folder.Write("crds.json", FakeCrdText("widgets") + FakeCrdText("newcomers", kPreserves));
  const CheckOptions options{.crd_selector = "app=a", .filenames = {file}};
  SECTION("the server has it") {
    CHECK(Verdicts(Check(cluster, options)) == Strings{"newcomers ready"});
  }
  SECTION("whether the server has it cannot be told") {
    cluster.server.AddFault(
        {.target = kCrds + "/widgets.demo.example.com",
         .answer = test_support::FakeStatus(403, "Forbidden", "not for alice")});
    CHECK(Verdicts(Check(cluster, options)) == Strings{"newcomers ready", "widgets unknown"});
  }
}

TEST_CASE("A server that is not there ends the check", "[migrate][cluster_check]") {
  FakeCluster cluster;
  cluster.server.AddFault({.target = "/", .times = 0, .lost = true});
  CHECK_THROWS_WITH(Check(cluster), "Unable to connect to the server: EOF");
}

TEST_CASE("Who may not list CRDs is told so", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  cluster.server.Forbid("customresourcedefinitions.apiextensions.k8s.io");
  CHECK_THROWS_WITH(Check(cluster), Catch::Contains("Error from server (Forbidden)"));
  const report::CheckReport report = Check(cluster, {.crd_names = {"widgets.demo.example.com"}});
  CHECK(Verdicts(report) == Strings{"widgets unknown"});
}

TEST_CASE("The schemas of each CRD that the cluster has are told", "[migrate][cluster_check]") {
  FakeCluster cluster;
  AddThree(cluster);
  std::map<std::string, report::CrdSchemas> told;
  const auto on_schemas = [&told](const std::string& name, const report::CrdSchemas& schemas) {
    told[name] = schemas;
  };
  Check(cluster, {.crd_names = {"widgets", "gadgets"}, .on_schemas = on_schemas});
  REQUIRE(told.size() == 2);
  CHECK(told["widgets.demo.example.com"].all != 0);
  CHECK(told["widgets.demo.example.com"] == told["gadgets.demo.example.com"]);
}

}  // namespace cluster_check_test
}  // namespace migrate::check
