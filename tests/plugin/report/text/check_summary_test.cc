#include "plugin/report/check_summary.h"

#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;
using test_reports::Gadgets;
using test_reports::Named;
using test_reports::Report;

TEST_CASE("The summary counts CRDs by verdict", "[plugin][check_summary]") {
  CHECK(Summary(Report({test_reports::Certificates()})) == "1 CRD: 1 already pruning\n");
  CHECK(Summary(Report({test_reports::Widgets(), Gadgets(), Gadgets(), CrdReport()})) ==
        "4 CRDs: 1 could not be checked, 1 would lose fields (1874 of 2014 objects), 2 ready; 1 "
        "needs a storage migration\n");
  CrdReport blocked = Named(test_reports::Widgets(), "z.example.com");
  blocked.verdict = migrate::report::Verdict::kBlocked;
  CHECK_THAT(Summary(Report({test_reports::Widgets(), blocked})),
             Catch::StartsWith("2 CRDs: 1 blocked (1874 objects would lose fields), 1 would lose "
                               "fields (1874 of 4000 objects)"));
}

TEST_CASE("What is ready comes with its command", "[plugin][check_summary]") {
  CHECK(ReadyNote(Report({test_reports::Widgets(), test_reports::Certificates()})) == "");
  CHECK(ReadyNote(Report({Gadgets()})) ==
        "gadgets.demo.example.com loses nothing when pruning is turned on\n"
        "Next: kubectl prune migrate gadgets.demo.example.com --enable-pruning\n");
  CHECK(ReadyNote(Report({Gadgets(), Gadgets(), Named(Gadgets(), "z.example.com")})) ==
        "3 CRDs lose nothing when pruning is turned on\n"
        "Next: kubectl prune migrate gadgets.demo.example.com z.example.com --enable-pruning\n");
}

TEST_CASE("What is ready in a file has to be applied before", "[plugin][check_summary]") {
  CheckReport report = Report({Gadgets()});
  report.crds[0].source = "gadgets.yaml";
  CHECK_THAT(ReadyNote(report),
             Catch::EndsWith("Next: kubectl apply -f gadgets.yaml && kubectl prune migrate "
                             "gadgets.demo.example.com --enable-pruning\n"));
  report.crds[0].source = "<stdin>";
  CHECK_THAT(ReadyNote(report), Catch::Contains("Next: kubectl apply -f FILE && kubectl"));
  report.crds.push_back(report.crds[0]);
  report.crds[1].source = "more.yaml";
  CHECK_THAT(ReadyNote(report), Catch::Contains("Next: kubectl apply -f FILE... && kubectl"));
}

TEST_CASE("A step has what it needs above its command, and what it changes below",
          "[plugin][check_summary]") {
  CheckReport report;
  report.steps = {{"migrate a", "kubectl prune migrate a", "it is old",
                   "the webhook of \033a answers", "rewrites 3 objects", 0.2},
                  {"look", "kubectl get a", ""}};
  CHECK(Steps(report) ==
        "Plan:\n"
        "  1. migrate a (it is old)\n"
        "       before: the webhook of ^[a answers\n"
        "       kubectl prune migrate a\n"
        "       rewrites 3 objects, about 1 s\n"
        "  2. look\n"
        "       kubectl get a\n");
}

TEST_CASE("Many ready CRDs are counted, not named", "[plugin][check_summary]") {
  CheckReport report;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    report.crds.push_back(Named(Gadgets(), name));
  }
  CHECK(ReadyNote(report) ==
        "6 CRDs lose nothing when pruning is turned on\n"
        "Next: kubectl prune migrate NAME... --enable-pruning\n");
}

TEST_CASE("Ready without objects is no promise", "[plugin][check_summary]") {
  CheckReport report = Report({Gadgets()});
  report.crds[0].source = "gadgets.yaml";
  report.crds[0].object_count = 0;
  CHECK(ReadyNote(report) ==
        "gadgets.demo.example.com was checked without objects, which may lose fields\n"
        "Next: check all objects before pruning is turned on\n");
}

TEST_CASE("Objects without a CRD are counted by kind", "[plugin][check_summary]") {
  CheckReport report;
  CHECK(Notes(report, /*all=*/false) == "");
  report.unknown_kinds = {{"apps/v1", "Deployment", 12},
                          {"v1",
                           "Po\x1B"
                           "d",
                           1}};
  CHECK(Notes(report, /*all=*/false) ==
        "note: no CRD is known for 13 objects: Deployment in apps/v1 (12), Po^[d in v1 (1)\n");
  for (int i = 0; i < 20; ++i) report.unknown_kinds.push_back({"z/v1", "Z" + std::to_string(i), 1});
  const std::string note = Notes(report, /*all=*/false);
  CHECK(note.ends_with("Z7 in z/v1 (1) and 12 more kinds\n"));
  CHECK(note.find("33 objects") != std::string::npos);
  CHECK(Notes(report, /*all=*/true).ends_with("Z19 in z/v1 (1)\n"));
}

TEST_CASE("What the report cannot vouch for is told in lines", "[plugin][check_summary]") {
  CheckReport report = Report({Gadgets()});
  report.crds[0].note = "some may be invalid";
  report.object_filter = "namespace \"shop\"";
  report.file_objects = 2;
  CHECK(Notes(report, /*all=*/false) ==
        "note: gadgets.demo.example.com: some may be invalid\n"
        "note: not all objects were read, only those of namespace \"shop\"\n"
        "note: 2 objects in files not looked at, as the files have no CRD for them\n");
}

}  // namespace
}  // namespace plugin::report
