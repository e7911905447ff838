#include "plugin/report/data/upgrade_way.h"

#include <catch2/catch.hpp>

namespace plugin::report::data {
namespace upgrade_way_test {

using Strings = std::vector<std::string>;
using migrate::report::CheckReport;
using migrate::report::CrdReport;

/// A proposal with one version for a CRD that has the same one and prunes.
CrdReport Proposal(const std::string& name, const std::string& source) {
  CrdReport crd;
  crd.name = name;
  crd.source = source;
  crd.storage_version = "v1";
  crd.stored_versions = {"v1"};
  crd.versions.emplace_back().name = "v1";
  crd.apply.emplace().accepted = true;
  migrate::report::ReplacedCrd& replaced = crd.replaced.emplace();
  replaced.storage_version = "v1";
  replaced.versions = replaced.served_versions = {"v1"};
  return crd;
}

Strings Commands(const std::vector<CrdReport>& crds, const WayFiles& files) {
  CheckReport report;
  report.crds = crds;
  Strings commands;
  for (const auto& step : FindUpgradeWay(report, files)) commands.push_back(step.command);
  return commands;
}

// That each way leads where it says is shown by tests/cluster/way_test.py.
TEST_CASE("Nothing proposed, no way", "[plugin][upgrade_way]") {
  CrdReport live = Proposal("a.g", "");
  live.apply.reset();
  CHECK(Commands({live}, {}).empty());
}

TEST_CASE("Files are named as they were given, for a shell", "[plugin][upgrade_way]") {
  CHECK(Commands({Proposal("a.g", "my crds/a.yaml")}, {{"my crds"}, true}) ==
        Strings{"kubectl apply -R -f 'my crds'"});
  CHECK(Commands({Proposal("a.g", "<stdin>")}, {{"-"}}) == Strings{"kubectl apply -f -"});
}

TEST_CASE("A name that is none for a shell stays a word", "[plugin][upgrade_way]") {
  CrdReport crd = Proposal("a;b", "a.yaml");
  crd.error = "broken";
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check 'a;b' -f a.yaml"});
}

TEST_CASE("What the server refuses for reasons of its own has to be mended first",
          "[plugin][upgrade_way]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.apply->accepted = false;
  crd.apply->message = "a policy says no";
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
  crd.apply->not_asked_because = "forbidden";  // that is our own rules, which know no policy
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl apply -f a.yaml"});
}

TEST_CASE("A file that is held up takes no other with it", "[plugin][upgrade_way]") {
  CrdReport stuck = Proposal("a.g", "a.yaml");
  stuck.problems.push_back({"v1", "spec", "is not structural", ""});
  CHECK(Commands({stuck, Proposal("b.g", "a.yaml"), Proposal("c.g", "c.yaml")}, {{"crds"}}) ==
        Strings{"kubectl prune check a.g -f a.yaml", "kubectl apply -f c.yaml"});
}

}  // namespace upgrade_way_test
}  // namespace plugin::report::data
