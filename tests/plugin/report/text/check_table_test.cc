#include "plugin/report/check_table.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::Verdict;
using test_reports::Report;

const CheckTableOptions kPlain = {.now = test_reports::kNow};

std::string FirstLines(const std::string& text, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

TEST_CASE("O1: Few CRDs are listed by name, and explained below", "[plugin][check_table]") {
  const CheckReport report =
      Report({test_reports::Certificates(), test_reports::Gizmos(), test_reports::Widgets()});
  const std::string out = PrintCheckTable(report, kPlain);
  CHECK(
      FirstLines(out, 6) ==
      "NAME                           PRESERVES   STRUCTURAL   OBJECTS   LOSING-FIELDS   VERDICT\n"
      "certificates.cert-manager.io   false       yes          <none>    <none>          pruning\n"
      "gizmos.demo.example.com        true        no (1)       12        <unknown>       blocked\n"
      "widgets.demo.example.com       true        yes          2000      1874            "
      "loses-fields\n"
      "\n"
      "gizmos.demo.example.com is not structural:\n");
  CHECK(out.find("\n\nwidgets.demo.example.com would lose 2 fields in 1874 of 2000 objects:\n") !=
        std::string::npos);
}

TEST_CASE("O1: The flag -o wide adds columns", "[plugin][check_table]") {
  CheckReport report = Report({test_reports::Widgets()});
  report.crds[0].source = "widgets.yaml";
  CHECK(
      FirstLines(PrintCheckTable(report, {.wide = true, .now = test_reports::kNow}), 4) ==
      "NAME                       PRESERVES   STRUCTURAL   OBJECTS   LOSING-FIELDS   VERDICT      "
      "  MIGRATION-NEEDED   STORAGE-VERSION   STORED-VERSIONS   SERVED-VERSIONS   SOURCE\n"
      "widgets.demo.example.com   true        yes          2000      1874            loses-fields "
      "  true               v1                v1beta1,v1        v1,v1beta1        widgets.yaml\n"
      "\n"
      "widgets.demo.example.com (widgets.yaml) would lose 2 fields in 1874 of 2000 objects:\n");
}

TEST_CASE("G2: The flag --no-headers prints rows and nothing else", "[plugin][check_table]") {
  CheckReport report;
  for (int i = 10; i < 50; ++i) {
    report.crds.push_back(test_reports::Named(test_reports::Gadgets(), "g" + std::to_string(i)));
  }
  const std::string out = PrintCheckTable(report, {.rows_only = true, .now = test_reports::kNow});
  CHECK(FirstLines(out, 1) == "g10   true   yes   7   0   ready\n");
  CHECK(std::ranges::count(out, '\n') == 40);
}

TEST_CASE("Of many CRDs the answer comes first", "[plugin][check_table]") {
  CheckReport report;
  for (int i = 100; i < 380; ++i) {
    report.crds.push_back(
        test_reports::Named(test_reports::Certificates(), "c" + std::to_string(i)));
  }
  report.crds.push_back(test_reports::Named(test_reports::Gadgets(), "d"));
  report.crds.push_back(test_reports::Named(test_reports::Gizmos(), "e"));
  report.crds.push_back(test_reports::Named(test_reports::Widgets(), "f"));
  report.crds.push_back(test_reports::Named(test_reports::Gizmos(), "g"));
  CHECK(FirstLines(PrintCheckTable(report, kPlain), 9) ==
        "284 CRDs: 2 blocked, 1 would lose fields (1874 of 2031 objects), 1 ready, 280 already "
        "pruning; 1 needs a storage migration\n"
        "\n"
        "NAME   PRESERVES   STRUCTURAL   OBJECTS   LOSING-FIELDS   VERDICT\n"
        "e      true        no (1)       12        <unknown>       blocked\n"
        "g      true        no (1)       12        <unknown>       blocked\n"
        "f      true        yes          2000      1874            loses-fields\n"
        "d      true        yes          7         0               ready\n"
        "... and 280 CRDs without findings, already pruning (-o wide shows them)\n"
        "\n");
  const std::string wide = PrintCheckTable(report, {.wide = true, .now = test_reports::kNow});
  CHECK(wide.find("\nc379 ") != std::string::npos);
  CHECK(wide.find("... and") == std::string::npos);
}

TEST_CASE("Of many CRDs one that breaks objects by what it changes is not left out",
          "[plugin][check_table]") {
  CheckReport report;
  for (int i = 0; i < 20; ++i) report.crds.push_back(test_reports::Certificates());
  const auto print_with = [&report](std::uint64_t objects) {
    report.crds[7].changes.emplace().changes = {{.version = "v1",
                                                 .path = "spec.a",
                                                 .kind = "listType",
                                                 .from = "atomic",
                                                 .to = "set",
                                                 .breaking = true,
                                                 .objects = objects}};
    return PrintCheckTable(report, kPlain);
  };
  CHECK(print_with(2).find("listType: atomic -> set") != std::string::npos);
  // This is for who asks for it.
  CHECK(print_with(0).find("listType: atomic -> set") == std::string::npos);
}

TEST_CASE("Many CRDs without any finding are a summary", "[plugin][check_table]") {
  CheckReport report;
  for (int i = 0; i < 20; ++i) report.crds.push_back(test_reports::Certificates());
  CHECK(PrintCheckTable(report, kPlain) ==
        "20 CRDs: 20 already pruning\n\n"
        "... and 20 CRDs without findings, already pruning (-o wide shows them)\n");
}

TEST_CASE("Counts say what is known and what is not", "[plugin][check_table]") {
  CrdReport crd = test_reports::Gadgets();
  SECTION("Nothing is lost") {
    const CheckReport report = Report({crd});
    CHECK(PrintCheckTable(report, {.rows_only = true, .now = {}}) ==
          "gadgets.demo.example.com   true   yes   7   0   ready\n");
  }
  SECTION("Objects of a CRD that preserves were not read") {
    crd.objects_skipped = true;
    const CheckReport report = Report({crd});
    CHECK(PrintCheckTable(report, {.rows_only = true, .now = {}}) ==
          "gadgets.demo.example.com   true   yes   <none>   <unknown>   ready\n");
  }
  SECTION("The CRD could not be read") {
    const CheckReport report = Report({test_reports::Named(CrdReport(), "a")});
    CHECK(PrintCheckTable(report, {.rows_only = true, .now = {}}) ==
          "a   <unknown>   <unknown>   <unknown>   <unknown>   unknown\n");
  }
}

TEST_CASE("CRDs of the same name are told apart by file", "[plugin][check_table]") {
  CheckReport report = Report({test_reports::Gizmos(), test_reports::Gizmos(),
                               test_reports::Named(test_reports::Gizmos(), "z.example.com")});
  report.crds[0].source = "a.yaml";
  report.crds[1].source = "b.yaml";
  report.crds[2].source = "c.yaml";
  const std::string out = PrintCheckTable(report, kPlain);
  CHECK(out.find("\ngizmos.demo.example.com (a.yaml) is not structural:\n") != std::string::npos);
  CHECK(out.find("\ngizmos.demo.example.com (b.yaml) is not structural:\n") != std::string::npos);
  CHECK(out.find("\nz.example.com is not structural:\n") != std::string::npos);
}

TEST_CASE("The note on a CRD comes before those on all", "[plugin][check_table]") {
  CheckReport report = Report({test_reports::Certificates()});
  report.crds[0].note = "not known\x1B";
  report.object_filter = "namespace \"shop\"";
  CHECK_THAT(PrintCheckTable(report, kPlain),
             Catch::EndsWith("\nnote: certificates.cert-manager.io: not known^[\nnote: not all "
                             "objects were read, only those of namespace \"shop\"\n"));
}

TEST_CASE("CRDs that a signal kept from being read are told in one line", "[plugin][check_table]") {
  CheckReport report;
  for (const char* name : {"a", "b"}) {
    report.crds.push_back(test_reports::Named(CrdReport(), name));
    report.crds.back().error = "interrupted";
    report.crds.back().is_interrupted = true;
  }
  CHECK(PrintCheckTable(report, kPlain) ==
        "NAME   PRESERVES   STRUCTURAL   OBJECTS     LOSING-FIELDS   VERDICT\n"
        "a      <unknown>   <unknown>    <unknown>   <unknown>       unknown\n"
        "b      <unknown>   <unknown>    <unknown>   <unknown>       unknown\n"
        "\n"
        "interrupted: the objects of 2 CRDs were not read\n");
}

TEST_CASE("Of a check that was stopped nothing is promised", "[plugin][check_table]") {
  CheckReport report = Report({test_reports::Gadgets()});
  report.not_all_crds_read = true;
  CHECK_THAT(PrintCheckTable(report, kPlain),
             Catch::EndsWith("\nSome of the input could not be read (see the errors): what was not "
                             "read may lose fields\n"));
}

TEST_CASE("Notes on all CRDs come last", "[plugin][check_table]") {
  CheckReport report = Report({test_reports::Gadgets()});
  report.unknown_kinds = {{"v1", "Pod", 1}};
  CHECK(PrintCheckTable(report, kPlain) ==
        "NAME                       PRESERVES   STRUCTURAL   OBJECTS   LOSING-FIELDS   VERDICT\n"
        "gadgets.demo.example.com   true        yes          7         0               ready\n"
        "\n"
        "gadgets.demo.example.com loses nothing when pruning is turned on\n"
        "Next: kubectl prune migrate gadgets.demo.example.com --enable-pruning\n"
        "note: no CRD is known for 1 object: Pod in v1 (1)\n");
  report.crds.clear();
  CHECK(PrintCheckTable(report, kPlain) == "note: no CRD is known for 1 object: Pod in v1 (1)\n");
}

}  // namespace
}  // namespace plugin::report
