#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "migrate/rewrite/mutation_pass.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace mutation_backup_test {

namespace fs = std::filesystem;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using Step = MutationBackup::Step;
using Strings = std::vector<std::string>;

const std::string kList = "/apis/demo.example.com/v1/widgets";

std::shared_ptr<const check::ObjectMutation> MutationOf(const std::string& trees) {
  auto mutation = kube::mutation::Mutation::Parse(trees);
  REQUIRE(mutation);
  return std::make_shared<const check::ObjectMutation>(*std::move(mutation), "trees.yaml", "1");
}

/// Three objects, of which the mutation changes two.
struct World {
  World() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    test_support::WriteFakeObject(cluster.server, "widgets", "a", R"({"x":1})");
    test_support::WriteFakeObject(cluster.server, "widgets", "b", R"({"x":2,"n":[null]})");
    test_support::WriteFakeObject(cluster.server, "widgets", "plain", R"({"x":3})");
  }
  kube::client::Session session() { return {cluster.client, cluster.clock, &stop}; }
  // "name spec", by name.
  Strings Lines() const {
    std::ifstream file(options.path);
    Strings lines;
    for (std::string line; std::getline(file, line);) {
      kube::json::Document object;
      REQUIRE_FALSE(object.Parse(line));
      CHECK(object.root().Find("metadata")->Find("resourceVersion") == nullptr);
      lines.push_back(std::string(object.root().Find("metadata")->FindText("name")) + " " +
                      kube::json::Print(*object.root().Find("spec")));
    }
    std::ranges::stable_sort(lines, {}, [](const std::string& line) { return line.substr(0, 1); });
    return lines;
  }

  test_support::TempFolder folder;
  FakeCluster cluster;
  std::atomic<bool> stop = false;
  MutationBackupOptions options{.target = kList, .path = folder.path() + "/backups/w.ndjson"};
  std::shared_ptr<const check::ObjectMutation> mutation = MutationOf("spec: {x: 3}");
};

kube::json::Document Object(const std::string& uid, const std::string& version,
                            const std::string& spec) {
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"metadata":{"name":"late","uid":")" + uid +
                             R"(","resourceVersion":")" + version + R"("},"spec":)" + spec + "}"));
  return object;
}

TEST_CASE("What a mutation changes is kept as it is, before anything is changed",
          "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup(world.options, world.mutation);
  CHECK(backup.Read(world.session()) == Step::kDone);
  CHECK(world.Lines() == Strings{R"(a {"x":1})", R"(b {"n":[null],"x":2})"});
  const report::MutationFacts facts = backup.facts();
  CHECK(facts.sources == "trees.yaml");
  CHECK(facts.objects == 3);
  CHECK(facts.objects_changing == 2);
  CHECK(facts.backup == fs::absolute(world.options.path));
  struct stat status {};
  REQUIRE(stat(world.options.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("What was written since is kept one by one", "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup(world.options, world.mutation);
  CHECK(backup.Read(world.session()) == Step::kDone);
  backup.Keep(Object("late", "77", R"({"x":4})").root());
  backup.Keep(Object("late", "77", R"({"x":4})").root());  // again after a try that failed
  backup.Keep(Object("late", "78", R"({"x":5})").root());
  CHECK(world.Lines() ==
        Strings{R"(a {"x":1})", R"(b {"n":[null],"x":2})", R"(late {"x":4})", R"(late {"x":5})"});
}

TEST_CASE("An object that nobody listed makes the file", "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup(world.options, world.mutation);
  CHECK(backup.facts().backup.empty());
  backup.Keep(Object("late", "77", R"({"x":4})").root());
  CHECK(world.Lines() == Strings{R"(late {"x":4})"});
  CHECK(backup.facts().backup == fs::absolute(world.options.path));
}

TEST_CASE("Where nothing changes there is no file", "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup(world.options, MutationOf("{}"));
  CHECK(backup.Read(world.session()) == Step::kDone);
  CHECK(backup.facts().backup.empty());
  CHECK_FALSE(fs::exists(world.options.path));
}

TEST_CASE("Objects are only counted where no file is wanted", "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup({.target = kList}, world.mutation);
  CHECK(backup.Read(world.session()) == Step::kDone);
  backup.Keep(Object("late", "77", R"({"x":4})").root());
  CHECK(backup.facts().objects_changing == 2);
  CHECK(backup.facts().backup.empty());
}

TEST_CASE("What the server would not keep is told, and leaves no file",
          "[migrate][mutation_backup]") {
  World world;
  world.options.find_unspecified = [](const kube::json::Value& mutated) {
    return mutated.Find("spec")->Find("n") == nullptr ? "" : "spec.n";
  };
  MutationBackup backup(world.options, world.mutation);
  CHECK(backup.Read(world.session()) == Step::kDone);
  CHECK(backup.first_unspecified() == "spec.n");
  CHECK_FALSE(fs::exists(world.options.path));
  CHECK(fs::is_empty(fs::path(world.options.path).parent_path()));
}

TEST_CASE("Objects that cannot be mutated are counted, and one is named",
          "[migrate][mutation_backup]") {
  World world;
  MutationBackup backup(world.options, MutationOf("spec: {x: (spec.n), 'n': (spec.x)}"));
  CHECK(backup.Read(world.session()) == Step::kDone);
  CHECK(backup.refused() == 1);
  CHECK(backup.first_refusal().find("/b: the trees of trees.yaml") != std::string::npos);
}

TEST_CASE("A list that cannot be read leaves nothing behind", "[migrate][mutation_backup]") {
  World world;
  world.cluster.server.AddFault(
      {.target = kList, .answer = test_support::FakeStatus(403, "Forbidden", "not for you")});
  MutationBackup backup(world.options, world.mutation);
  CHECK(backup.Read(world.session()) == Step::kFailed);
  CHECK_FALSE(backup.error().empty());
  CHECK_FALSE(fs::exists(world.options.path));
}

TEST_CASE("The file is of the first second that is free", "[migrate][mutation_backup]") {
  const test_support::TempFolder folder;
  const std::chrono::sys_seconds now{std::chrono::seconds(0)};
  const fs::path first = MutationBackupPath(folder.path(), "ws.example.com", now);
  CHECK(first == folder.path() + "/ws.example.com-before-mutation-19700101T000000Z.ndjson");
  folder.Write(first.filename().string(), "");
  CHECK(MutationBackupPath(folder.path(), "ws.example.com", now) ==
        folder.path() + "/ws.example.com-before-mutation-19700101T000001Z.ndjson");
}

}  // namespace mutation_backup_test
}  // namespace migrate::rewrite
