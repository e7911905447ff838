#pragma once

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "migrate/restore/restore.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::restore {
/// What the tests of Restore share.
namespace restore_test {

using test_support::FakeFault;
using test_support::FakeStatus;

inline const std::string kWidgets = "widgets.demo.example.com";
inline const std::string kInShop = "/apis/demo.example.com/v1/namespaces/shop/widgets/";

/// Thrown in the middle of a restore: as far as its files go, the process is killed.
struct Killed {};

class Lines : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  std::vector<std::string> lines;
};

/// The CRD of widgets, v1, with the status subresource. `known` are more properties of spec.
inline std::string WidgetsCrd(const std::string& known, const std::string& more = "") {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
         R"("name":"widgets.demo.example.com"},"spec":{"group":"demo.example.com",)"
         R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{)"
         R"("name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{)"
         R"("openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{)"
         R"("a":{"type":"integer"}, "l":{"type":"array","items":{"type":"object","properties":{)"
         R"("n":{"type":"string"},"o":{"type":"integer"}}}})" +
         known +
         R"(}},"status":{"type":"object","properties":{"phase":{"type":"string"},)"
         R"("since":{"type":"integer"}}}}}}}],"preserveUnknownFields":false)" +
         more + "}}";
}
inline const std::string kFixed = R"(,"old":{"type":"integer","nullable":true})";

/// A cluster whose widgets lost spec.old and, some of them, status.since and spec.l[*].o, and whose
/// schema was fixed since; and the backup of then.
struct World {
  explicit World(int count = 6) {
    cluster.server.Add(WidgetsCrd(kFixed));
    options.backup = (std::filesystem::path(folder.path()) / "widgets-1.ndjson").string();
    std::ofstream file(options.backup);
    for (int i = 0; i < count; ++i) {
      cluster.server.Add(Widget(Name(i), "u-" + Name(i), Pruned(i)));
      file << Widget(Name(i), "u-" + Name(i), Whole(i)) << "\n";
    }
    std::string crd = WidgetsCrd("");
    const std::string of_elements = R"(,"o":{"type":"integer"})",
                      of_status = R"(,"since":{"type":"integer"})";
    crd.erase(crd.find(of_elements), of_elements.size());
    crd.erase(crd.find(of_status), of_status.size());
    std::ofstream(std::filesystem::path(folder.path()) / "widgets-1.crd.json") << crd;
    options.names_objects = true;
  }

  static std::string Name(int number) { return "w" + std::to_string(100 + number); }
  static std::string Widget(const std::string& name, const std::string& uid,
                            const std::string& rest) {
    return R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":")" + name +
           R"(","namespace":"shop","uid":")" + uid + R"("},)" + rest + "}";
  }
  static std::string Whole(int i) {
    return R"("spec":{"a":)" + std::to_string(i) + R"(,"old":7,"l":[{"n":"x","o":1},{"n":"y"}]})" +
           (i % 2 ? R"(,"status":{"phase":"p","since":3})" : R"(,"status":{"phase":"p"})");
  }
  static std::string Pruned(int i) {
    return R"("spec":{"a":)" + std::to_string(i) +
           R"(,"l":[{"n":"x"},{"n":"y"}]},"status":{"phase":"p"})";
  }
  /// Somebody writes the object, whose uid stays.
  void Write(int number, const std::string& rest) {
    cluster.server.Add(Widget(Name(number), "u-" + Name(number), rest));
  }
  void Delete(int number) { cluster.server.Delete(kWidgets, "shop/" + Name(number)); }
  void ForgetCrd() {
    std::filesystem::remove(std::filesystem::path(folder.path()) / "widgets-1.crd.json");
  }

  report::CrdRestore Run() {
    const report::RestoreReport report = Restore(options, {cluster.session(), observer});
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  std::string ErrorOfRun() {
    try {
      Run();
    } catch (const kube::base::Error& error) {
      return error.what();
    }
    return "";
  }

  /// A fault of all requests whose target has `part` in it.
  static FakeFault Always(const std::string& part) { return {.target = part, .times = 0}; }
  void Before(const std::string& part, int first, std::function<void()> action) {
    cluster.server.AddFault({.target = part, .first = first, .before = std::move(action)});
  }
  /// How many requests begin so: "PATCH".
  int Requests(const std::string& start) const {
    int count = 0;
    for (const std::string& line : cluster.server.RequestLines()) {
      count += line.starts_with(start) ? 1 : 0;
    }
    return count;
  }
  /// spec and status, as etcd holds them.
  std::string Stored(int number) const {
    const auto* stored = cluster.server.Stored(kWidgets, "shop/" + Name(number));
    if (stored == nullptr) return "none";
    const auto* status = stored->Find("status");
    return kube::json::Print(*stored->Find("spec")) + (status ? kube::json::Print(*status) : "");
  }
  /// What Stored is where all is back.
  static std::string WholeStored(int i) {
    return R"({"a":)" + std::to_string(i) + R"(,"l":[{"n":"x","o":1},{"n":"y"}],"old":7})" +
           (i % 2 ? R"({"phase":"p","since":3})" : R"({"phase":"p"})");
  }
  void CheckAllAreBack(int count = 6) const {
    for (int i = 0; i < count; ++i) {
      CAPTURE(i);
      CHECK(Stored(i) == WholeStored(i));
    }
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  Lines observer;
  RestoreOptions options;
};

/// The classes that have objects, as "restored 5, unchanged 5".
inline std::string Text(const report::RestoreCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < report::kRestoreClasses; ++i) {
    const auto restore_class = static_cast<report::RestoreClass>(i);
    if (counts[restore_class] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(report::ClassName(restore_class)) + " " +
            std::to_string(counts[restore_class]);
  }
  return text;
}

}  // namespace restore_test
}  // namespace migrate::restore
