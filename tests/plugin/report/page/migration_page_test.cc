#include <algorithm>
#include <catch2/catch.hpp>

#include "plugin/report/pages.h"

namespace {

using namespace plugin::report;
using migrate::report::CrdMigration;
using migrate::report::ForetoldLoss;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::report::Outcome;

CrdMigration Migrated() {
  CrdMigration crd;
  crd.name = "widgets.demo.example.com";
  crd.counts[ObjectClass::kRewritten] = 90;
  crd.counts[ObjectClass::kUnchanged] = 10;
  crd.verified = true;
  crd.stored_before = {"v1beta1", "v1"};
  crd.stored_after = {"v1"};
  return crd;
}

Page PageWith(std::vector<CrdMigration> crds) {
  MigrationReport report;
  report.crds = std::move(crds);
  return PageOf(report);
}

std::string FactOf(const Section& section, const std::string& name) {
  const auto found = std::ranges::find(section.facts, name, &Fact::name);
  return found == section.facts.end() ? "" : found->value;
}

}  // namespace

TEST_CASE("A migration that was proven says so", "[plugin][page]") {
  const Page page = PageWith({Migrated()});
  CHECK(page.answer == "1 CRD was migrated, 100 objects: a last pass rewrote none");
  CHECK(page.tone == Tone::kGood);
  const Section& section = page.sections.at(0);
  CHECK(section.answer == "100 objects: 90 rewritten, 10 unchanged");
  CHECK(FactOf(section, "Proof") == "a last pass over all objects rewrote none");
  CHECK(FactOf(section, "Stored versions") == "v1beta1, v1 -> v1");
}

TEST_CASE("The classes of objects fill the bar", "[plugin][page]") {
  CrdMigration crd = Migrated();
  crd.counts[ObjectClass::kDenied] = 25;
  const Bar bar = PageWith({crd}).sections.at(0).bar;
  CHECK(bar.total == 125);
  REQUIRE(bar.segments.size() == 3);
  CHECK(bar.segments[1].from == 90);
  CHECK(bar.segments[2].name == "denied");
  CHECK(bar.segments[2].from == 100);
  CHECK(bar.segments[2].tone == Tone::kBad);
}

TEST_CASE("Failures are told object by object, and how to try them again", "[plugin][page]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kFailures;
  crd.verified = false;
  crd.counts[ObjectClass::kInvalid] = 1;
  crd.failures = {{.namespace_ = "shop",
                   .name = "w1",
                   .object_class = ObjectClass::kInvalid,
                   .code = 422,
                   .reason = "Invalid",
                   .message = "spec.a: Required value"}};
  const Page page = PageWith({crd});
  CHECK(page.answer == "1 of 1 CRD not wholly migrated, 1 object failed");
  const Section& section = page.sections.at(0);
  CHECK(section.result == Result::kFailed);
  CHECK(section.tables.at(0).rows.at(0) == std::vector<std::string>{"shop", "w1", "invalid", "422",
                                                                    "Invalid",
                                                                    "spec.a: Required value"});
  CHECK(section.remarks.at(0).text.find("migrate widgets.demo.example.com --retry-failed") !=
        std::string::npos);
}

TEST_CASE("In a fleet, commands of a section lead to its cluster", "[plugin][page]") {
  CrdMigration crd = Migrated();
  crd.outcome = Outcome::kFailures;
  crd.failures.emplace_back().name = "w1";
  crd.failures.back().object_class = ObjectClass::kInvalid;
  migrate::report::FleetMigrationReport fleet;
  for (const char* name : {"prod-a", "prod b"}) {
    fleet.clusters.emplace_back().name = name;
    fleet.clusters.back().migration.crds = {crd};
  }
  const Page page = PageOf(fleet);
  REQUIRE(page.sections.size() == 2);
  CHECK_THAT(page.sections[0].remarks.at(0).text,
             Catch::EndsWith("--retry-failed --context=prod-a"));
  CHECK_THAT(page.sections[1].remarks.at(0).text,
             Catch::EndsWith("--retry-failed --context='prod b'"));
}

TEST_CASE("What was lost, and that it was agreed to", "[plugin][page]") {
  CrdMigration crd = Migrated();
  crd.pruning_enabled = true;
  crd.backup = "/backup/widgets.json";
  crd.foretold_loss = ForetoldLoss{.objects = 100,
                                   .objects_losing_fields = 12,
                                   .pruned_fields = {{.path = "spec.a",
                                                      .objects = 12,
                                                      .types = {"string"},
                                                      .managers = {"helm"},
                                                      .last_written = "2026-11-21T02:56:00Z",
                                                      .examples = {"a/b"}}},
                                   .plan = {"12 of 100 objects would lose 1 field"},
                                   .is_agreed = true};
  const Section section = PageWith({crd}).sections.at(0);
  CHECK(FactOf(section, "Foretold loss") == "1 field in 12 of 100 objects, agreed to");
  CHECK(FactOf(section, "Backup") == "/backup/widgets.json");
  const auto lost = std::ranges::find(
      section.tables, "Fields that pruning has taken, as it was foretold", &Table::title);
  REQUIRE(lost != section.tables.end());
  CHECK(lost->rows.at(0).at(0) == ".spec.a");
  CHECK(section.tables.back().rows.at(0).at(0) == "12 of 100 objects would lose 1 field");
}

TEST_CASE("CRDs that were left out are sections, too", "[plugin][page]") {
  MigrationReport report;
  report.left_out = {{.name = "x.example.com", .reason = migrate::report::LeftOutReason::kBlocked}};
  const Page page = PageOf(report);
  CHECK(page.answer == "Nothing to migrate");
  CHECK(page.sections.at(0).result == Result::kSkipped);
}
