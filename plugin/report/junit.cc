#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "kube/json/json.h"
#include "migrate/report/program_name.h"
#include "plugin/report/renderers.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::string_view kInvalid = "\xEF\xBF\xBD";  // U+FFFD

// U+FFFE and U+FFFF are UTF-8, and no characters of XML (production 2 of XML 1.0).
bool IsNoCharacter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

}  // namespace

void AppendXml(std::string& out, std::string_view text) {
  const std::string printable = terminal::PrintableLines(text);
  for (std::size_t i = 0; i < printable.size(); ++i) {
    const char c = printable[i];
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (IsNoCharacter(std::string_view(printable).substr(i))) {
      out += kInvalid;
      i += 2;
    } else {
      out += c;
    }
  }
}

namespace {

// Who reads the log of a pipeline wants the first of many.
constexpr std::size_t kRowsOfATable = 50;

struct Case {
  std::string name, message, type, text;
  Result result = Result::kPassed;
};

std::string RowText(const std::vector<std::string>& row) {
  std::string text;
  for (const std::string& cell : row) {
    if (!cell.empty()) text.append(text.empty() ? "  " : " | ").append(cell);
  }
  return text + "\n";
}

std::string TableText(const Table& table) {
  std::string text = table.title + ":\n";
  const std::size_t shown = std::min(table.rows.size(), kRowsOfATable);
  for (std::size_t i = 0; i < shown; ++i) text += RowText(table.rows[i]);
  const std::size_t left_out = table.rows.size() - shown;
  return left_out == 0 ? text : text + "  ... and " + std::to_string(left_out) + " more\n";
}

std::string TextOf(const Section& section) {
  std::string text = section.answer + "\n";
  for (const Remark& remark : section.remarks) text += remark.text + "\n";
  for (const Table& table : section.tables) text += TableText(table);
  return text;
}

// What ended a section says more than how far it had come.
std::string MessageOf(const Section& section) {
  const auto error = std::ranges::find(section.remarks, Tone::kBad, &Remark::tone);
  const bool has_error = section.result == Result::kError && error != section.remarks.end();
  return has_error ? error->text : section.answer;
}

std::vector<Case> CasesOf(const Page& page) {
  std::vector<Case> cases;
  for (const Section& section : page.sections) {
    cases.push_back(
        {section.name, MessageOf(section), section.verdict, TextOf(section), section.result});
  }
  std::vector<std::string> errors;
  for (const Remark& remark : page.remarks) {
    if (remark.tone == Tone::kBad) errors.push_back(remark.text);
  }
  if (!errors.empty()) {
    cases.push_back({"(what was read)", errors.front(), "unknown", kube::base::Join(errors, "\n"),
                     Result::kError});
  }
  return cases;
}

std::string CountOfTests(const std::vector<Case>& cases, Result result) {
  return std::to_string(std::ranges::count(cases, result, &Case::result));
}

class JunitPrinter {
 public:
  explicit JunitPrinter(const Page& page) : page_(page), cases_(CasesOf(page)) {}

  std::string Print() {
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    AppendSuite();
    AppendProperties();
    for (const Case& one : cases_) AppendCase(one);
    return std::move(out_) + "  </testsuite>\n</testsuites>\n";
  }

 private:
  void AppendAttribute(std::string_view name, std::string_view value) {
    out_.append(" ").append(name).append("=\"");
    AppendXml(out_, value);
    out_ += "\"";
  }

  void AppendSuite() {
    out_ += "  <testsuite";
    AppendAttribute("name", migrate::report::OwnCommand(page_.command));
    AppendAttribute("tests", std::to_string(cases_.size()));
    AppendAttribute("failures", CountOfTests(cases_, Result::kFailed));
    AppendAttribute("errors", CountOfTests(cases_, Result::kError));
    AppendAttribute("skipped", CountOfTests(cases_, Result::kSkipped));
    AppendAttribute("time", kube::json::FormatFloat(std::round(page_.seconds * 1000) / 1000));
    // Its schema has no place for a zone; UTC is what it means.
    std::string_view time = page_.run.time;
    if (time.ends_with('Z')) time.remove_suffix(1);
    if (!time.empty()) AppendAttribute("timestamp", time);
    out_ += ">\n";
  }

  void AppendProperties() {
    const std::vector<Fact> facts = RunFactsOf(page_);
    if (facts.empty()) return;
    out_ += "    <properties>\n";
    for (const Fact& fact : facts) {
      out_ += "      <property";
      AppendAttribute("name", fact.name);
      AppendAttribute("value", fact.value);
      out_ += "/>\n";
    }
    out_ += "    </properties>\n";
  }

  void AppendCase(const Case& one) {
    out_ += "    <testcase";
    AppendAttribute("classname", "kubectl-prune." + page_.command);
    AppendAttribute("name", one.name);
    if (one.result == Result::kPassed) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    if (one.result == Result::kSkipped) {
      AppendSkipped(one);
    } else {
      AppendOutcome(one, one.result == Result::kFailed ? "failure" : "error");
    }
    out_ += "    </testcase>\n";
  }

  void AppendSkipped(const Case& one) {
    out_ += "      <skipped";
    AppendAttribute("message", one.message);
    out_ += "/>\n";
  }

  void AppendOutcome(const Case& one, std::string_view element) {
    out_.append("      <").append(element);
    AppendAttribute("message", one.message);
    AppendAttribute("type", one.type);
    out_ += ">";
    AppendXml(out_, one.text);
    out_.append("</").append(element).append(">\n");
  }

  const Page& page_;
  const std::vector<Case> cases_;
  std::string out_;
};

}  // namespace

std::string PrintJunit(const Page& page) { return JunitPrinter(page).Print(); }

}  // namespace plugin::report
