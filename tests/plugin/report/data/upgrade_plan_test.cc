#include "plugin/report/upgrade_plan.h"

#include <catch2/catch.hpp>

#include "migrate/report/program_name.h"

namespace plugin::report {
namespace upgrade_plan_test {

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

Strings Commands(const std::vector<CrdReport>& crds, const PlanFiles& files) {
  CheckReport report;
  report.crds = crds;
  Strings commands;
  for (const auto& step : FindUpgradePlan(report, files).steps) commands.push_back(step.command);
  return commands;
}

// That each way leads where it says is shown by tests/cluster/way_test.py.
TEST_CASE("Nothing proposed, no way", "[plugin][upgrade_plan]") {
  CrdReport live = Proposal("a.g", "");
  live.apply.reset();
  CHECK(Commands({live}, {}).empty());
}

TEST_CASE("Files are named as they were given, for a shell", "[plugin][upgrade_plan]") {
  CHECK(Commands({Proposal("a.g", "my crds/a.yaml")}, {{"my crds"}, true}) ==
        Strings{"kubectl apply -R -f 'my crds'"});
  CHECK(Commands({Proposal("a.g", "<stdin>")}, {{"-"}}) == Strings{"kubectl apply -f -"});
}

TEST_CASE("A name that is none for a shell stays a word", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a;b", "a.yaml");
  crd.error = "broken";
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check 'a;b' -f a.yaml"});
}

TEST_CASE("What the server refuses for reasons of its own has to be fixed first",
          "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.apply->accepted = false;
  crd.apply->message = "a policy says no";
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
  crd.apply->not_asked_because = "forbidden";  // that is our own rules, which know no policy
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl apply -f a.yaml"});
}

TEST_CASE("A file that is held up takes no other with it", "[plugin][upgrade_plan]") {
  CrdReport stuck = Proposal("a.g", "a.yaml");
  stuck.apply->accepted = false;
  stuck.apply->causes = {"spec.scope: Required value"};
  CHECK(Commands({stuck, Proposal("b.g", "a.yaml"), Proposal("c.g", "c.yaml")}, {{"crds"}}) ==
        Strings{"kubectl prune check a.g -f a.yaml", "kubectl apply -f c.yaml"});
}

TEST_CASE("Beside what is held up nothing is applied again", "[plugin][upgrade_plan]") {
  CrdReport stuck = Proposal("a.g", "a.yaml");
  stuck.apply->accepted = false;
  stuck.apply->causes = {"spec.scope: Required value"};
  CrdReport done = Proposal("b.g", "b.yaml");
  done.apply->is_unchanged = true;
  const std::string fix = "kubectl prune check a.g -f a.yaml";
  CHECK(Commands({stuck, done, Proposal("c.g", "c.yaml")}, {{"crds"}}) ==
        Strings{fix, "kubectl apply -f c.yaml"});
  CHECK(Commands({stuck, done}, {{"crds"}}) == Strings{fix});
  CheckReport report;
  report.crds = {stuck, done};
  report.has_others_in_files = true;
  CHECK(FindUpgradePlan(report, {{"crds"}}).steps.back().command == "kubectl apply -f b.yaml");
}

TEST_CASE("What only pruning needs is a decision, and the file is applied",
          "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.is_v1beta1 = crd.preserve_unknown_fields = true;
  crd.replaced->preserve_unknown_fields = crd.apply->preserves_unknown_fields = true;
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl apply -f a.yaml", "kubectl prune migrate a.g --enable-pruning"});
  const std::string field = "spec.versions[0].schema.openAPIV3Schema";
  crd.admission_problems = {{"", field, field + ": Required value", ""}};
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl prune suggest a.g -f a.yaml", "kubectl apply -f a.yaml"});
}

TEST_CASE("A file of v1beta1 brings pruning, and moves the storage version before",
          "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.is_v1beta1 = crd.replaced->preserve_unknown_fields = true;
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl prune migrate a.g --enable-pruning -f a.yaml", "kubectl apply -f a.yaml"});
  crd.versions.emplace_back().name = crd.storage_version = "v2";
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl prune check a.g -f a.yaml --print-transitional | kubectl apply -f -",
                "kubectl prune migrate a.g --enable-pruning", "kubectl apply -f a.yaml"});
}

TEST_CASE("What a server takes has not to be fixed for pruning", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.replaced.reset();
  crd.is_v1beta1 = crd.preserve_unknown_fields = true;
  crd.admission_problems = {{"", "spec.preserveUnknownFields", "cannot set to true", ""}};
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl apply -f a.yaml"});
  crd.apply->preserves_unknown_fields = true;
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl apply -f a.yaml", "kubectl prune migrate a.g --enable-pruning"});
  crd.apply->accepted = false;
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
}

TEST_CASE("What comes beside what the order sees to has to be fixed", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.replaced->preserve_unknown_fields = true;
  crd.apply->accepted = false;
  crd.apply->preserves_unknown_fields = true;
  crd.apply->causes = {
      "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in "
      "the schema"};
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl prune migrate a.g --enable-pruning -f a.yaml", "kubectl apply -f a.yaml"});
  CrdReport more = crd;
  more.apply->causes.emplace_back("spec.versions[0].schema: Required value");
  CHECK(Commands({more}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
  CrdReport says_true = crd;  // which no migration can bring in
  says_true.preserve_unknown_fields = true;
  CHECK(Commands({says_true}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
}

TEST_CASE("A file that turns pruning off again has to be fixed", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.preserve_unknown_fields = crd.apply->preserves_unknown_fields = true;
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
}

TEST_CASE("A conversion webhook stays until objects are migrated", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.replaced->converts_by_webhook = true;
  crd.migration_needed = true;
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl prune check a.g -f a.yaml"});
  crd.migration_needed = false;
  CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{"kubectl apply -f a.yaml"});
}

TEST_CASE("A webhook that comes has to be up before the apply", "[plugin][upgrade_plan]") {
  CheckReport report;
  report.crds = {Proposal("as.g.example.com", "a.yaml")};
  report.crds[0].versions[0].served = true;
  const auto needs = [&report] { return FindUpgradePlan(report, {{"a.yaml"}}).steps.at(0).needs; };
  CHECK(needs().empty());
  report.crds[0].converts_by_webhook = true;
  CHECK(needs() == "the conversion webhook of as.g.example.com is up");
  report.crds[0].replaced->converts_by_webhook = true;
  CHECK(needs().empty());
}

TEST_CASE("An apply that hides fields says so, and what of the files is no CRD",
          "[plugin][upgrade_plan]") {
  CheckReport report;
  report.has_others_in_files = true;
  report.crds = {Proposal("a.g", "a.yaml"), Proposal("b.g", "b.yaml")};
  report.crds[0].object_count = report.crds[0].objects_losing_fields = 2;
  report.crds[1].apply->is_unchanged = true;
  const auto effect = [&report] {
    return FindUpgradePlan(report, {{"a.yaml"}}).steps.back().effect;
  };
  CHECK(effect() ==
        "changes 1 CRD, creates or changes what else the files hold, hides fields of 2 objects "
        "until a "
        "write removes them");
  report.crds[0].objects_losing_fields = 0;
  report.crds[0].apply->is_unchanged = true;
  CHECK(effect() == "creates or changes what else the files hold");
  // A CRD in a file that is held up is not applied.
  report.crds[0].apply->is_unchanged = false;
  report.crds[1].apply->is_unchanged = false;
  report.crds.push_back(report.crds[1]);
  report.crds.push_back(Proposal("c.g", "b.yaml"));
  CHECK(effect() == "changes 1 CRD, creates or changes what else the files hold");
}

// As long as a pass takes on an API server of 1.20 (migration_time.h): 200 objects of 3 ms each,
// 1.7 times as fast as one after the other, and 1.8 times as long where something changes.
TEST_CASE("A step says what it changes, how long that takes, and what it needs",
          "[plugin][upgrade_plan]") {
  CheckReport report;
  report.crds = {Proposal("a.g", "a.yaml"), Proposal("b.g", "a.yaml"), Proposal("c.g", "a.yaml")};
  CrdReport& crd = report.crds[0];
  crd.replaced->preserve_unknown_fields = true;
  crd.replaced->gitops_owner = "Flux (label a/b)";
  crd.object_count = 200;
  crd.objects_losing_fields = 3;
  report.crds[1].replaced.reset();
  report.crds[2].replaced->storage_version = "v0";
  report.crds[2].replaced->converts_by_webhook = report.crds[2].converts_by_webhook = true;
  report.crds[2].stored_versions = {"v0", "v1"};
  report.crds[2].versions.emplace_back().name = "v0";
  report.crds[2].objects_skipped = true;
  const auto plan_of = [&report] {
    auto all = FindUpgradePlan(report, {{"a.yaml"}}).steps;
    all.erase(all.begin());  // what a.g would lose is to be decided
    return all;
  };
  const auto steps = plan_of();
  REQUIRE(steps.size() == 4);
  CHECK(steps[3].EffectWords().empty());  // a later release may drop v0
  CHECK(steps[0].command == "kubectl prune migrate a.g --enable-pruning -f a.yaml");
  CHECK(steps[0].needs == "pause Flux (label a/b) for a.g until its manifest is that of the files");
  CHECK(steps[0].effect ==
        "changes 1 CRD, turns pruning on, removes fields of 3 objects, rewrites 200 objects");
  const double writes = 200 * 0.003 / 1.7 * (1.8 + 1), reads = 5 + 25 * 0.003 / 7;
  CHECK(steps[0].seconds.value() == Approx(writes + reads));
  CHECK_THAT(steps[0].EffectWords(), Catch::EndsWith("rewrites 200 objects, about 6 s"));
  CHECK(steps[1].command == "kubectl apply -f a.yaml");
  CHECK(steps[1].EffectWords() == "creates 1 CRD, changes 2 CRDs");
  CHECK(steps[2].command == "kubectl prune migrate c.g");
  CHECK(steps[2].needs == "the conversion webhook of c.g answers");
  // Nobody has counted them.
  CHECK(steps[2].EffectWords() ==
        "rewrites all objects, and leaves v1 alone in status.storedVersions");
  CHECK(steps[1].needs == steps[0].needs);

  // Those that -l chose are not those that the command rewrites.
  report.object_filter = "label selector \"app=x\"";
  const auto some = plan_of();
  CHECK(some[0].EffectWords() == "changes 1 CRD, turns pruning on, rewrites all objects");
  report.object_filter.clear();

  crd.object_bytes = 1'000'000'000;  // 0.3 us each byte, and a list of all for the backup
  const auto large = plan_of();
  const double each = (0.6 + 300) / 200;
  CHECK(large[0].seconds.value() ==
        Approx(200 * each / 1.7 * (1.8 + 1) + 5 + (300 + 25 * each) / 7));
  CHECK_THAT(large[0].EffectWords(), Catch::EndsWith(", about 10 min"));
}

TEST_CASE("Where nothing else makes a backup objects are kept first", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("as.g.example.com", "a.yaml");
  crd.object_count = crd.objects_losing_fields = 1;
  const migrate::report::ClusterFlagsOfThread flags(" --context=staging");
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl prune suggest as.g.example.com -f a.yaml --context=staging",
                "kubectl get as.v1.g.example.com -A -o json --context=staging > "
                "as.v1.g.example.com-before.json",
                "kubectl apply --context=staging -f a.yaml"});
}

TEST_CASE("A CRD is applied as it was before", "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.apply->server_side_manager = "flux";
  CHECK(Commands({crd}, {{"a.yaml"}}) ==
        Strings{"kubectl apply --server-side --force-conflicts --field-manager=flux -f a.yaml"});
}

TEST_CASE("A step before the apply takes none away that has to be behind it",
          "[plugin][upgrade_plan]") {
  CrdReport crd = Proposal("a.g", "a.yaml");
  crd.storage_version = "v2";
  crd.versions.emplace_back().name = "v2";
  const std::string migrate = "kubectl prune migrate a.g", apply = "kubectl apply -f a.yaml";
  const std::string look = "kubectl get crd a.g -o jsonpath='{.status.storedVersions}'";
  REQUIRE(Commands({crd}, {{"a.yaml"}}) == Strings{apply, migrate, look});
  SECTION("an annotation that goes") {
    crd.apply->accepted = false;
    crd.apply->message = "metadata.annotations: Too long: must have at most 262144 bytes";
    crd.apply->causes = {crd.apply->message};
    crd.replaced->has_last_applied = true;
    CHECK(Commands({crd}, {{"a.yaml"}}) ==
          Strings{"kubectl annotate crd a.g kubectl.kubernetes.io/last-applied-configuration-",
                  "kubectl apply --server-side --force-conflicts -f a.yaml", migrate, look});
  }
  SECTION("a field that would come back") {
    crd.returning_fields = {"spec.a"};
    CHECK(Commands({crd}, {{"a.yaml"}}) == Strings{migrate, apply, migrate, look});
  }
  SECTION("pruning, which a webhook waits for") {
    crd.replaced->preserve_unknown_fields = crd.apply->preserves_unknown_fields = true;
    crd.apply->accepted = false;
    crd.apply->causes = {
        "spec.conversion.strategy: Invalid value: \"Webhook\": must be None if "
        "spec.preserveUnknownFields is true"};
    CHECK(Commands({crd}, {{"a.yaml"}}) ==
          Strings{"kubectl prune check a.g -f a.yaml --print-transitional | kubectl apply -f -",
                  migrate + " --enable-pruning", apply, migrate, look});
    crd.changes.emplace();  // none: the CRD between the releases is there
    CHECK(Commands({crd}, {{"a.yaml"}}) ==
          Strings{migrate + " --enable-pruning", apply, migrate, look});
  }
}

TEST_CASE("What is applied is not applied again, unless something was not read",
          "[plugin][upgrade_plan]") {
  CheckReport report;
  report.crds = {Proposal("a.g", "a.yaml")};
  CHECK_FALSE(IsApplied(report));
  report.crds[0].apply->is_unchanged = true;
  CHECK(IsApplied(report));
  CHECK(FindUpgradePlan(report, {{"a.yaml"}}).steps.empty());
  SECTION("of a file that is broken") { report.file_errors = {"b.yaml:1: no"}; }
  SECTION("beside what is no CRD") { report.has_others_in_files = true; }
  SECTION("before the check was stopped") { report.not_all_crds_read = true; }
  SECTION("of a CRD that differs") { report.crds.push_back(Proposal("b.g", "a.yaml")); }
  CHECK_FALSE(IsApplied(report));
  CHECK_FALSE(FindUpgradePlan(report, {{"a.yaml"}}).steps.empty());
}

TEST_CASE("Of a CRD that is given twice it is not known which counts", "[plugin][upgrade_plan]") {
  CHECK(Commands({Proposal("a.g", "a.yaml"), Proposal("a.g", "b.yaml")}, {{"a.yaml", "b.yaml"}}) ==
        Strings{"kubectl prune check a.g -f a.yaml", "kubectl prune check a.g -f b.yaml"});
}

TEST_CASE("What the cluster shows to be done is told, and how", "[plugin][upgrade_plan]") {
  CrdReport migrated = Proposal("a.g", "a.yaml");
  migrated.verified = {.time = "2026-11-29T10:00:00Z", .objects = 12};
  CrdReport unchanged = Proposal("b.g", "b.yaml");
  unchanged.apply->is_unchanged = true;
  CheckReport report;
  report.crds = {migrated, unchanged};
  // What a pass has verified before the file came is no step of this plan.
  const UpgradePlan plan = FindUpgradePlan(report, {{"crds"}});
  CHECK(plan.done.empty());
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].reason == "1 of 2 CRDs is in the cluster as in the files");

  report.crds[0].apply->is_unchanged = true;
  CHECK(FindUpgradePlan(report, {{"crds"}}).done.empty());  // nothing is left
  report.crds[1].migration_needed = true;
  const auto done = FindUpgradePlan(report, {{"crds"}}).done;
  REQUIRE(done.size() == 2);
  CHECK(done[0].title == "apply the files");
  CHECK(done[1].title == "migrate a.g");
  CHECK(done[1].proof == "verified 2026-11-29 by a pass over 12 objects");
  report.crds.insert(report.crds.begin(), report.crds[0]);
  report.crds[0].name = "a2.g";
  CHECK(FindUpgradePlan(report, {{"crds"}}).done.at(1).title == "migrate 2 CRDs");
}

TEST_CASE("Files are told as applied where nothing of them may be missing",
          "[plugin][upgrade_plan]") {
  CheckReport report;
  report.crds = {Proposal("a.g", "a.yaml")};
  report.crds[0].apply->is_unchanged = true;
  report.crds[0].migration_needed = true;
  const auto is_applied = [&report] { return !FindUpgradePlan(report, {{"crds"}}).done.empty(); };
  CHECK(is_applied());
  report.has_others_in_files = true;
  CHECK_FALSE(is_applied());
  report.has_others_in_files = false;
  report.file_errors = {"b.yaml: broken"};
  CHECK_FALSE(is_applied());
  report.file_errors.clear();
  report.not_all_crds_read = true;
  CHECK_FALSE(is_applied());
  report.not_all_crds_read = false;
  CrdReport stuck = Proposal("b.g", "b.yaml");
  stuck.apply->accepted = false;
  stuck.apply->message = "a policy says no";
  report.crds.push_back(stuck);
  CHECK_FALSE(is_applied());
}

}  // namespace upgrade_plan_test
}  // namespace plugin::report
