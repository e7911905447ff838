#include <algorithm>
#include <catch2/catch.hpp>

#include "plugin/report/pages.h"
#include "tests/support/test_reports.h"

namespace {

using namespace plugin::report;
using namespace test_reports;
using migrate::report::CrdReport;
using migrate::report::Verdict;

Section SectionOf(const CrdReport& crd) { return PageOf(Report({crd})).sections.at(0); }

std::uint64_t TallyOf(const Page& page, const std::string& name) {
  const auto found = std::ranges::find(page.tallies, name, &Tally::name);
  REQUIRE(found != page.tallies.end());
  return found->count;
}

const Table& TableOf(const Section& section, const std::string& title) {
  const auto found = std::ranges::find(section.tables, title, &Table::title);
  REQUIRE(found != section.tables.end());
  return *found;
}

}  // namespace

TEST_CASE("A page opens with the answer of the first screen", "[plugin][page]") {
  const Page page = PageOf(Report({Certificates(), Gadgets(), Gizmos(), Widgets()}));
  CHECK(page.answer ==
        "3 of 4 CRDs need something: 1 would lose fields (1874 of 2019 objects), 1 is blocked, 1 "
        "can have pruning turned on");
  CHECK(page.tone == Tone::kBad);
  CHECK(TallyOf(page, "CRDs") == 4);
  CHECK(TallyOf(page, "objects") == 2019);
  CHECK(TallyOf(page, "objects losing fields") == 1874);
}

TEST_CASE("Where nothing was found the answer says so", "[plugin][page]") {
  CHECK(PageOf(Report({Gadgets()})).answer ==
        "1 of 1 CRD needs something: 1 can have pruning turned on");
  CHECK(PageOf(Report({Gadgets()})).tone == Tone::kGood);
  CHECK(PageOf(Report({Certificates()})).answer == "The one CRD needs nothing");
  CHECK(PageOf(Report({})).answer == "No CRD was checked");
}

TEST_CASE("That objects were not looked at is part of the answer", "[plugin][page]") {
  CrdReport crd = Gadgets();
  crd.objects_skipped = true;
  CHECK(PageOf(Report({crd})).answer ==
        "1 of 1 CRD needs something: 1 was checked without all its objects");
  CHECK(SectionOf(crd).result == Result::kSkipped);
  CHECK(SectionOf(crd).bar.total == 0);
}

TEST_CASE("A bar has the objects that lose fields, that are invalid, and the rest",
          "[plugin][page]") {
  CrdReport crd = Widgets();
  const Bar losing = SectionOf(crd).bar;
  CHECK(losing.total == 2000);
  REQUIRE(losing.segments.size() == 2);
  CHECK(losing.segments[0].name == "clean");
  CHECK(losing.segments[0].from == 1874);
  CHECK(losing.segments[0].count == 126);
  CHECK(losing.segments[1].count == 1874);

  crd.versions[0].validity = migrate::report::ValidityReport{.objects = 100, .fields = {}};
  const Bar both = SectionOf(crd).bar;
  REQUIRE(both.segments.size() == 3);
  CHECK(both.segments[0].name == "clean at least");
  CHECK(both.segments[0].count == 26);
  CHECK(both.segments[2].name == "invalid");
  CHECK(both.segments[2].from == 1900);

  crd.versions[0].validity->objects = 500;  // more than are left
  CHECK(SectionOf(crd).bar.segments[0].name == "losing fields");
}

TEST_CASE("An object that cannot be looked at is not called clean", "[plugin][page]") {
  const Bar bar = SectionOf(Gizmos()).bar;
  REQUIRE(bar.segments.size() == 1);
  CHECK(bar.segments[0].name == "not known");
  CHECK(bar.segments[0].tone == Tone::kPlain);
}

TEST_CASE("Fields are told by objects, and by writer", "[plugin][page]") {
  const Section section = SectionOf(Widgets());
  const Table& fields = TableOf(section, "Fields that pruning would remove");
  REQUIRE(fields.rows.size() == 2);
  CHECK(fields.rows[0] == std::vector<std::string>{".spec.legacyMode", "1874", "boolean",
                                                   "helm, old-operator", "2026-11-21T02:56:00Z",
                                                   "default/w000000, default/w000001",
                                                   "v1, v1beta1"});
  const Table& writers = TableOf(section, "These fields by writer");
  REQUIRE(writers.rows.size() == 3);
  CHECK(writers.rows[0] == std::vector<std::string>{"helm", "1", "1874", "2026-11-21T02:56:00Z"});
  CHECK(writers.rows[2] ==
        std::vector<std::string>{"kubectl-edit", "1", "12", "2025-10-05T03:00:00Z"});
  REQUIRE(section.last_writes.size() == 2);
  CHECK(section.last_writes[0].time == "2025-10-05T03:00:00Z");
  CHECK(section.last_writes[1].fields == 1);
}

TEST_CASE("Whom a guard has seen to write is told beside who wrote", "[plugin][page]") {
  const std::string title =
      "What a guard has seen written that would be lost by the schema of then";
  CrdReport crd = Widgets();
  CHECK(std::ranges::count(SectionOf(crd).tables, title, &Table::title) == 0);
  crd.guard_writers = {{.crd = crd.name,
                        .user = "jo",
                        .manager = "helm",
                        .path = "spec.legacyMode",
                        .requests = 5,
                        .added = 3,
                        .denied = 1,
                        .moved = 2,
                        .last_seen = "2026-01-01T00:00:00Z",
                        .example_object = "shop/a"}};
  const std::vector<std::string> row = {".spec.legacyMode",     "jo",    "helm", "5", "3", "1", "2",
                                        "2026-01-01T00:00:00Z", "shop/a"};
  CHECK(TableOf(SectionOf(crd), title).rows.at(0) == row);
}

TEST_CASE("Structural problems have their hints", "[plugin][page]") {
  const Section section = SectionOf(Gizmos());
  const Table& problems = TableOf(section, "Structural problems");
  REQUIRE(problems.rows.size() == 1);
  CHECK(problems.rows[0].back() == "give spec a type, as a rule \"type: object\"");
  CHECK(section.result == Result::kFailed);
  CHECK(section.remarks.back().text ==
        "Next: fix the CRD (kubectl prune suggest gizmos.demo.example.com prints how). Then: "
        "kubectl prune check gizmos.demo.example.com");
}

TEST_CASE("A CRD that could not be checked is an error", "[plugin][page]") {
  CrdReport crd;
  crd.name = "x.example.com";
  crd.verdict = Verdict::kUnknown;
  crd.error = "no answer";
  const Section section = SectionOf(crd);
  CHECK(section.result == Result::kError);
  CHECK(section.remarks.at(0).text == "no answer");
}

TEST_CASE("A refused apply is a failure though the verdict is ready", "[plugin][page]") {
  CrdReport crd = Gadgets();
  crd.apply = migrate::report::ApplyReport{.accepted = false, .message = "no"};
  const Page page = PageOf(Report({crd}));
  CHECK(page.answer == "1 of 1 CRD needs something: 1 is blocked");
  CHECK(page.sections.at(0).result == Result::kFailed);
}

TEST_CASE("What went wrong of the whole is on top", "[plugin][page]") {
  migrate::report::CheckReport report = Report({Gadgets()});
  report.file_errors = {"a.yaml:1:1: no"};
  report.not_all_crds_read = true;
  const Page page = PageOf(report);
  CHECK(page.tone == Tone::kBad);
  CHECK(page.remarks.at(1).text == "a.yaml:1:1: no");
}
