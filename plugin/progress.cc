#include "plugin/progress.h"

#include <chrono>
#include <utility>

#include "plugin/terminal.h"

namespace plugin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Runs that end at once need no line at all.
constexpr milliseconds kFirstOnTerminal = seconds(1);
constexpr milliseconds kEachOnTerminal(200);
constexpr milliseconds kEachElsewhere = seconds(10);

// Back to the start of the line, and nothing in it.
constexpr std::string_view kEraseLine = "\r\033[K";

}  // namespace

Progress::Progress(bool is_terminal, Write write, const kube::Clock& clock)
    : is_terminal_(is_terminal),
      write_(std::move(write)),
      clock_(clock),
      next_(clock.Now() + (is_terminal ? kFirstOnTerminal : kEachElsewhere)) {}

void Progress::Show(const std::string& what, const migrate::ListProgress& progress) {
  const kube::Clock::TimePoint now = clock_.Now();
  if (now < next_) return;
  next_ = now + (is_terminal_ ? kEachOnTerminal : kEachElsewhere);
  const std::string text = ProgressText(what, progress);
  if (is_terminal_) {
    write_(std::string(kEraseLine) + text);
    has_line_ = true;
  } else {
    write_(text + "\n");
  }
}

void Progress::WriteLine(const std::string& line) {
  Clear();
  write_(Printable(line) + "\n");
}

void Progress::Clear() {
  if (has_line_) write_(kEraseLine);
  has_line_ = false;
}

std::string ProgressText(const std::string& what, const migrate::ListProgress& progress) {
  std::string text = "reading " + what + ": " + std::to_string(progress.items);
  if (progress.items_known > progress.items) {
    text += " of " + std::to_string(progress.items_known);
  }
  if (progress.lists > 1) {
    text += ", " + std::to_string(progress.lists_done) + " of " + std::to_string(progress.lists) +
            " lists done";
  }
  return text;
}

}  // namespace plugin
