#include <algorithm>
#include <catch2/catch.hpp>

#include "plugin/report/pages.h"

namespace plugin::report {
namespace restore_page_test {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreReport;

CrdRestore RestoredCrd(std::uint64_t restored, std::uint64_t unchanged = 0) {
  CrdRestore crd;
  crd.name = "widgets.demo.example.com";
  crd.counts[RestoreClass::kRestored] = restored;
  crd.counts[RestoreClass::kUnchanged] = unchanged;
  crd.pruned_by = "backup/widgets.crd.json";
  return crd;
}

Page PageWith(const CrdRestore& crd) {
  RestoreReport report;
  report.backup = "backup/widgets.ndjson";
  report.crds = {crd};
  return PageOf(report);
}

std::string RemarksOf(const Section& section) {
  std::string text;
  for (const Remark& remark : section.remarks) text += remark.text + "\n";
  return text;
}

TEST_CASE("A restore says in a sentence what came of it", "[plugin][restore_page]") {
  SECTION("all is back") {
    const Page page = PageWith(RestoredCrd(3, 1));
    CHECK(page.answer == "3 objects have back what pruning took");
    CHECK(page.tone == Tone::kGood);
    CHECK(page.sections.at(0).verdict == "restored");
    CHECK(page.sections.at(0).answer == "4 objects: 3 restored, 1 unchanged");
  }
  SECTION("all was back before") {
    const Page page = PageWith(RestoredCrd(0, 4));
    CHECK(page.answer == "Nothing was missing");
    CHECK(page.tone == Tone::kGood);
  }
  SECTION("none was chosen") {
    CrdRestore crd = RestoredCrd(0);
    crd.counts[RestoreClass::kNotChosen] = 7;
    CHECK(PageWith(crd).answer == "No object of the backup was chosen");
  }
  SECTION("a dry run") {
    CrdRestore crd = RestoredCrd(1);
    crd.dry_run = DryRun::kClient;
    CHECK(PageWith(crd).answer == "1 object would get back what pruning took (dry run)");
    crd.outcome = Outcome::kFailures;
    crd.counts[RestoreClass::kGone] = 1;
    crd.failures = {{.name = "w", .restore_class = RestoreClass::kGone, .message = "deleted"}};
    const Page page = PageWith(crd);
    CHECK(page.answer == "1 object would be restored, 1 object not, of 2 (dry run)");
    CHECK(page.sections.at(0).verdict == "dry run: not all of it");
  }
  SECTION("nothing") { CHECK(PageOf(RestoreReport()).answer == "Nothing to restore"); }
}

TEST_CASE("What was not chosen counts for nothing in the answer, and failures are told",
          "[plugin][restore_page]") {
  CrdRestore crd = RestoredCrd(3);
  crd.outcome = Outcome::kFailures;
  crd.counts[RestoreClass::kConflict] = 1;
  crd.counts[RestoreClass::kNotChosen] = 90;
  crd.failures = {{.namespace_ = "shop",
                   .name = "w1",
                   .restore_class = RestoreClass::kConflict,
                   .message = "a list",
                   .paths = {"spec.l"}}};
  const Page page = PageWith(crd);
  CHECK(page.answer == "3 objects restored, 1 object not, of 4");
  CHECK(page.tone == Tone::kBad);
  CHECK(RemarksOf(page.sections.at(0)).find("Next: of an object in conflict") == 0);
  CHECK(page.sections.at(0).tables.at(0).rows.at(0).back() == ".spec.l");
}

TEST_CASE("Objects that were not tried are a warning", "[plugin][restore_page]") {
  CrdRestore crd = RestoredCrd(1);
  crd.outcome = Outcome::kInterrupted;
  crd.counts[RestoreClass::kNotTried] = 2;
  const Page page = PageWith(crd);
  CHECK(page.tone == Tone::kWarning);
  const std::vector<Segment>& segments = page.sections.at(0).bar.segments;
  REQUIRE(segments.size() == 2);
  CHECK(segments[1].tone == Tone::kWarning);
  CHECK(page.sections.at(0).result == Result::kError);
}

TEST_CASE("Tallies have words for one and for many", "[plugin][restore_page]") {
  const Page page = PageWith(RestoredCrd(1));
  CHECK(page.tallies.at(0).name == "CRD");
  CHECK(page.tallies.at(1).name == "object");
  CHECK(PageOf(RestoreReport()).tallies.at(0).name == "CRDs");
}

}  // namespace restore_page_test
}  // namespace plugin::report
