#include "plugin/report/problem_list.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::Problem;

constexpr std::size_t kShownOfASort = 10;
// A hostile CRD can make every problem a sort of its own.
constexpr std::size_t kShownAtMost = 40;

// What problems of one sort share: the end of the server's string, without path and bad value.
std::string_view SortOf(const Problem& problem) {
  const std::string_view message = problem.message;
  const std::size_t colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

struct Selection {
  std::vector<const Problem*> shown;
  std::map<std::string_view, std::uint64_t> left_out;  ///< by sort
};

Selection Select(const std::vector<Problem>& problems, bool all) {
  // Two more take no more lines than saying that they are left out.
  if (problems.size() <= kShownOfASort + 2) all = true;
  Selection selection;
  std::map<std::string_view, std::size_t> seen;
  for (const Problem& problem : problems) {
    const std::string_view sort = SortOf(problem);
    const bool fits = seen[sort]++ < kShownOfASort && selection.shown.size() < kShownAtMost;
    if (all || fits) {
      selection.shown.push_back(&problem);
    } else {
      ++selection.left_out[sort];
    }
  }
  return selection;
}

std::size_t WidestVersion(const std::vector<const Problem*>& problems) {
  std::size_t width = 0;
  for (const Problem* problem : problems) {
    width = std::max(width, terminal::CharacterCount(terminal::Printable(problem->version)));
  }
  return width;
}

void AppendMessage(std::string& out, const Problem& problem, std::size_t version_width) {
  const std::string version = terminal::Printable(problem.version);
  out += "  ";
  out += version;
  if (version_width > 0) out.append(version_width - terminal::CharacterCount(version) + 2, ' ');
  terminal::AppendPrintable(out, problem.message);
  out += '\n';
}

void AppendHint(std::string& out, const Problem& problem, std::size_t version_width) {
  if (problem.hint.empty()) return;
  out.append(version_width + 4, ' ').append("hint: ");
  terminal::AppendPrintable(out, problem.hint);
  out += '\n';
}

void AppendLeftOut(std::string& out, const Selection& selection) {
  std::uint64_t others = 0;
  for (const auto& [sort, count] : selection.left_out) {
    // Sorts that are shown nowhere above are counted together: there may be very many.
    if (selection.left_out.size() > kShownOfASort) {
      others += count;
      continue;
    }
    out.append("  ... and ").append(std::to_string(count)).append(" more: ");
    terminal::AppendPrintable(out, sort);
    out += '\n';
  }
  if (others > 0) out.append("  ... and ").append(std::to_string(others)).append(" more\n");
  if (!selection.left_out.empty()) out += "  (-o wide or -o json shows all)\n";
}

}  // namespace

void AppendProblems(std::string& out, const std::vector<Problem>& problems, bool all) {
  const Selection selection = Select(problems, all);
  const std::size_t width = WidestVersion(selection.shown);
  for (std::size_t i = 0; i < selection.shown.size(); ++i) {
    const Problem& problem = *selection.shown[i];
    AppendMessage(out, problem, width);
    const bool last = i + 1 == selection.shown.size();
    if (last || selection.shown[i + 1]->hint != problem.hint) AppendHint(out, problem, width);
  }
  AppendLeftOut(out, selection);
}

}  // namespace plugin::report
