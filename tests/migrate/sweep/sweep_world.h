#pragma once

#include <functional>
#include <string>
#include <vector>

#include "migrate/rewrite/sweep.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
/// What the tests of Sweep, SweepAgain and SweepNamed share.
namespace sweep_test {

using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;

inline const std::string kResource = "widgets.demo.example.com";
inline const std::string kWidgets = "/apis/demo.example.com/v1/widgets";
inline const std::string kInShop = "/apis/demo.example.com/v1/namespaces/shop/widgets/";

/// Thrown in the middle of a sweep: as far as its files go, the process is killed.
struct Killed {};

/// A cluster whose widgets prune: in etcd those with an odd number have a field too many.
struct World {
  explicit World(int count = 10) {
    cluster.server.Add(test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":false)"));
    for (int i = 0; i < count; ++i) Add(i, i % 2 == 1);
    options.chunk_size = 4;
  }

  static std::string Name(int number) { return "w" + std::to_string(1000 + number); }
  void Add(int number, bool is_dirty) {
    cluster.server.Add(test_support::FakeObjectText(
        "widgets", Name(number), is_dirty ? R"({"a":"x","old":1})" : R"({"a":"x"})"));
  }
  /// Another writer stores what has a field too many, by a server that does not prune.
  void AddDirt(int number) {
    test_support::WriteFakeObject(cluster.server, "widgets", Name(number), R"({"old":1})");
  }
  void Delete(int number) { cluster.server.Delete(kResource, "shop/" + Name(number)); }

  SweepResult Run() { return Sweep(target, options, folder.path(), "run", cluster.session()); }
  SweepResult Verify() {
    return SweepAgain(target, options, folder.path(), "run", "again", cluster.session());
  }
  SweepResult RunNamed(const std::vector<ObjectName>& names) {
    return SweepNamed(target, options, folder.path(), names, "named", cluster.session());
  }

  /// A fault of all requests whose target has `part` in it.
  static FakeFault Always(const std::string& part) { return {.target = part, .times = 0}; }
  void AnswerAlways(int object, int code, const std::string& reason, const std::string& message) {
    FakeFault fault = Always(kInShop + Name(object));
    fault.answer = FakeStatus(code, reason, message);
    cluster.server.AddFault(fault);
  }
  /// Runs `action` before the `first` request is answered whose target has `part` in it.
  void Before(const std::string& part, int first, std::function<void()> action) {
    cluster.server.AddFault({.target = part, .first = first, .before = std::move(action)});
  }
  int Requests(const std::string& start) const {
    int count = 0;
    for (const std::string& line : cluster.server.RequestLines()) {
      count += line.starts_with(start) ? 1 : 0;
    }
    return count;
  }
  std::string Spec(int number) const {
    const auto* stored = cluster.server.Stored(kResource, "shop/" + Name(number));
    return stored == nullptr ? "none" : kube::json::Print(*stored->Find("spec"));
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  SweepOptions options;
};

/// The classes that have objects, as "rewritten 5, unchanged 5".
inline std::string Text(const report::ClassCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
    const auto object_class = static_cast<report::ObjectClass>(i);
    if (counts[object_class] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(report::ClassName(object_class)) + " " +
            std::to_string(counts[object_class]);
  }
  return text;
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
