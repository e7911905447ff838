#include <catch2/catch.hpp>

#include "plugin/report/renderers.h"

namespace {

using namespace plugin::report;
using namespace plugin::report;

Page PageWithRows(std::size_t sections, std::size_t rows) {
  Page page{.command = "check", .answer = "All of them would lose fields"};
  for (std::size_t i = 0; i < sections; ++i) {
    Section section{.name = "c" + std::to_string(i) + ".example.com", .verdict = "loses-fields"};
    Table table{"Fields", {{"Path", CellKind::kCode}, {"Objects", CellKind::kNumber}}};
    for (std::size_t j = 0; j < rows; ++j) {
      table.rows.push_back({".spec.field" + std::to_string(j), "3"});
    }
    section.tables.push_back(table);
    page.sections.push_back(section);
  }
  return page;
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Markdown text is no markup, link, mention or reference", "[plugin][page]") {
  // Of CommonMark 2.5 and GitHub's rules for mentions.
  CHECK(MarkdownText("a|b") == "a&#124;b");
  CHECK(MarkdownText("<img>") == "&#60;img&#62;");
  CHECK(MarkdownText("*x* _y_ `z`") == "&#42;x&#42; &#95;y&#95; &#96;z&#96;");
  CHECK(MarkdownText("@team") == "&#64;&#8203;team");
  CHECK(MarkdownText("see #12") == "see &#35;&#8203;12");
  CHECK(MarkdownText("GH-12") == "GH&#45;&#8203;12");
  CHECK(MarkdownText("http://x") == "http&#58;//x");
  CHECK(MarkdownText("www.x.org") == "www&#46;x.org");
  CHECK(MarkdownText("- x") == "&#45;&#8203; x");
  CHECK(MarkdownText("a\nb") == "a&#92;nb");
  CHECK(MarkdownText(":x: y: z") == "&#58;x: y: z");
  CHECK(MarkdownText("12 of 400 objects, 3 lost") == "12 of 400 objects, 3 lost");
}

TEST_CASE("Code stays in backquotes where it can, and has references where it cannot",
          "[plugin][page]") {
  CHECK(MarkdownCode(".spec.ports[*].proto") == "`.spec.ports[*].proto`");
  CHECK(MarkdownCode("@team <b>") == "`@team <b>`");
  CHECK(MarkdownCode("a`b") == "<code>a&#96;b</code>");
  CHECK(MarkdownCode("a|b") == "<code>a&#124;b</code>");
  CHECK(MarkdownCode("a\nb") == "<code>a&#92;nb</code>");
  CHECK(MarkdownCode("") == "");
}

TEST_CASE("Long cells are cut between characters", "[plugin][page]") {
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "\xC3\xBC";
  const std::string cut = MarkdownText(umlauts);
  CHECK(cut.size() == 403);
  CHECK(cut.ends_with("\xC3\xBC..."));
}

TEST_CASE("What fits is whole", "[plugin][page]") {
  const std::string text = PrintMarkdown(PageWithRows(2, 30));
  CHECK(CountOf(text, "`.spec.field") == 60);
  CHECK(text.find("Left out") == std::string::npos);
}

TEST_CASE("Long tables end after their first rows, and the end says how much is missing",
          "[plugin][page]") {
  const std::string text = PrintMarkdown(PageWithRows(3, 5000));
  CHECK(text.size() <= kMarkdownBytes);
  const std::size_t shown = CountOf(text, "`.spec.field");
  CHECK(shown == 600);  // 200 of each
  CHECK(CountOf(text, "\n... and 4800 more\n") == 3);
  CHECK(text.find("_Left out, as a comment holds no more: 14400 rows.") != std::string::npos);
  CHECK(text.find("`kubectl prune check -o html`") != std::string::npos);
}

TEST_CASE("No command that writes is named as the place where all is told", "[plugin][page]") {
  Page page = PageWithRows(3, 5000);
  page.command = GENERATE("restore", "migrate");
  const std::string text = PrintMarkdown(page);
  CHECK(text.find("14400 rows. A run with `-o html` or `-o json`") != std::string::npos);
  CHECK(text.find("kubectl prune " + page.command + " -o") == std::string::npos);
}

TEST_CASE("Where even one row a table is too much, whole CRDs are missing, and counted",
          "[plugin][page]") {
  const std::string text = PrintMarkdown(PageWithRows(600, 4));
  CHECK(text.size() <= kMarkdownBytes);
  const std::size_t told = CountOf(text, "### `c");
  CHECK(told > 0);
  CHECK(text.find(" rows and all that is said of " + std::to_string(600 - told) + " CRDs") !=
        std::string::npos);
}

TEST_CASE("Nothing is longer than allowed, whatever is long", "[plugin][page]") {
  const auto sections = GENERATE(1U, 40U, 2000U);
  Page page = PageWithRows(sections, 3);
  const std::string longest(sections > 100 ? 1'000 : 100'000, '@');
  page.answer = longest;
  page.remarks.assign(500, {Tone::kBad, longest});
  page.steps.assign(300, {longest, longest, longest, longest, longest});
  for (Section& section : page.sections) {
    section.name = section.answer = longest;
    section.facts.assign(5, {longest, longest});
    section.remarks.assign(5, {Tone::kBad, longest});
  }
  CHECK(PrintMarkdown(page).size() <= kMarkdownBytes);
}

TEST_CASE("Steps are numbered, and their commands are whole and code", "[plugin][page]") {
  Page page{.command = "check", .answer = "x"};
  page.steps.assign(10, {"Apply", "kubectl apply -f 'a|b.yaml'", "it is needed"});
  page.steps.push_back(
      {"Migrate", "kubectl prune migrate a", "", "it answers", "rewrites 3 objects"});
  const std::string text = PrintMarkdown(page);
  CHECK(text.find("\n1. Apply (it is needed)\n\n       kubectl apply -f 'a|b.yaml'\n") !=
        std::string::npos);
  CHECK(text.find("\n11. Migrate; before: it answers; rewrites 3 objects\n\n") !=
        std::string::npos);
  CHECK(text.find("\n10. Apply (it is needed)\n\n        kubectl apply -f 'a|b.yaml'\n") !=
        std::string::npos);
}
