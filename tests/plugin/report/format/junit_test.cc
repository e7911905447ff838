#include <catch2/catch.hpp>

#include "plugin/report/renderers.h"

namespace {

using namespace plugin::report;
using namespace plugin::report;

Section SectionWith(const char* name, Result result) {
  return {.name = name, .verdict = "a verdict", .result = result, .answer = "an answer"};
}

std::string Xml(std::string_view text) {
  std::string out;
  AppendXml(out, text);
  return out;
}

}  // namespace

TEST_CASE("A case for each CRD, and what it ended in", "[plugin][page]") {
  Page page{.command = "check", .answer = "x"};
  page.run = {.cluster = "https://c:6443",
              .context = "",
              .time = "2026-11-25T10:00:00Z",
              .version = "v0.1.0"};
  page.seconds = 1.5;
  page.sections = {
      SectionWith("a.example.com", Result::kPassed), SectionWith("b.example.com", Result::kFailed),
      SectionWith("c.example.com", Result::kError), SectionWith("d.example.com", Result::kSkipped)};
  page.sections[1].tables = {{"Fields", {{"Path"}, {"Objects"}}, {{".spec.a", "3"}}}};
  CHECK(PrintJunit(page) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="kubectl prune check" tests="4" failures="1" errors="1" skipped="1" time="1.5" timestamp="2026-11-25T10:00:00">
    <properties>
      <property name="Cluster" value="https://c:6443"/>
      <property name="Time" value="2026-11-25T10:00:00Z"/>
      <property name="Version" value="v0.1.0"/>
    </properties>
    <testcase classname="kubectl-prune.check" name="a.example.com"/>
    <testcase classname="kubectl-prune.check" name="b.example.com">
      <failure message="an answer" type="a verdict">an answer
Fields:
  .spec.a | 3
</failure>
    </testcase>
    <testcase classname="kubectl-prune.check" name="c.example.com">
      <error message="an answer" type="a verdict">an answer
</error>
    </testcase>
    <testcase classname="kubectl-prune.check" name="d.example.com">
      <skipped message="an answer"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("What went wrong of the whole is a case of its own", "[plugin][page]") {
  Page page{.command = "check", .answer = "x"};
  page.remarks = {{Tone::kPlain, "a note"}, {Tone::kBad, "a.yaml:1:2: no"}, {Tone::kBad, "more"}};
  const std::string xml = PrintJunit(page);
  CHECK(xml.find("tests=\"1\" failures=\"0\" errors=\"1\"") != std::string::npos);
  CHECK(
      xml.find("<error message=\"a.yaml:1:2: no\" type=\"unknown\">a.yaml:1:2: no\nmore</error>") !=
      std::string::npos);
}

TEST_CASE("What ended a CRD in an error is its message", "[plugin][page]") {
  Page page{.command = "restore", .answer = "x"};
  page.sections = {SectionWith("a.example.com", Result::kError),
                   SectionWith("b.example.com", Result::kFailed)};
  for (Section& section : page.sections)
    section.remarks = {{Tone::kPlain, "a note"}, {Tone::kBad, "the reason"}, {Tone::kBad, "more"}};
  const std::string xml = PrintJunit(page);
  CHECK(xml.find("<error message=\"the reason\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"an answer\"") != std::string::npos);
}

TEST_CASE("XML has no character that XML 1.0 cannot hold", "[plugin][page]") {
  CHECK(Xml("<a href=\"x\">&") == "&lt;a href=&quot;x&quot;&gt;&amp;");
  CHECK(Xml(std::string_view("\x00\x01\x1B\x7F", 4)) == "^@^A^[^?");
  CHECK(Xml("\xEF\xBF\xBE\xEF\xBF\xBF") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // U+FFFE, U+FFFF
  CHECK(Xml("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a lone surrogate
  CHECK(Xml("]]>") == "]]&gt;");
  CHECK(Xml("a\nb") == "a\nb");
}
