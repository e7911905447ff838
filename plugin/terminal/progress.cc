#include "plugin/terminal/progress.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugin/terminal/sweep_progress.h"
#include "plugin/terminal/terminal.h"

namespace plugin::terminal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Runs that end at once need no line at all.
constexpr milliseconds kFirstOnTerminal = seconds(1);
constexpr milliseconds kEachOnTerminal(200);
constexpr milliseconds kEachElsewhere = seconds(10);

// Back to the start of the line, and nothing in it.
constexpr char kEraseLine[] = "\r\033[K";
constexpr char kNoWrap[] = "\033[?7l", kWrap[] = "\033[?7h";

}  // namespace

Progress::Progress(bool is_terminal, Write write, const kube::base::Clock& clock)
    : is_terminal_(is_terminal),
      write_(std::move(write)),
      clock_(clock),
      next_(clock.Now() + (is_terminal ? kFirstOnTerminal : kEachElsewhere)) {}

void Progress::Show(const std::string& what, const migrate::cluster::ListProgress& progress) {
  if (IsDue()) Put(Printable(ProgressText(what, progress)));
}

void Progress::ShowText(const std::string& text) {
  if (!IsDue()) return;
  // A line that goes on in the next one could not be written over.
  Put(is_terminal_ ? kNoWrap + Printable(text) + kWrap : Printable(text));
}

void Progress::Show(const std::string& what, const migrate::rewrite::SweepProgress& progress) {
  const double rate = RateOf(what, DoneOf(progress));
  ShowText(is_terminal_ ? SweepLine(what, progress, rate) : SweepText(what, progress, rate));
}

bool Progress::IsDue() {
  const kube::base::Clock::TimePoint now = clock_.Now();
  if (now < next_) return false;
  next_ = now + (is_terminal_ ? kEachOnTerminal : kEachElsewhere);
  return true;
}

void Progress::Put(const std::string& text) {
  if (is_terminal_) {
    write_(kEraseLine + text);
    has_line_ = true;
  } else {
    write_(text + "\n");
  }
}

// What an earlier run has done of it was not done at this rate.
double Progress::RateOf(const std::string& what, std::uint64_t done) {
  const kube::base::Clock::TimePoint now = clock_.Now();
  if (sweep_.what != what) sweep_ = {what, now, done};
  const double seconds = std::chrono::duration<double>(now - sweep_.time).count();
  return seconds > 0 ? static_cast<double>(done - std::min(done, sweep_.done)) / seconds : 0;
}

void Progress::WriteLine(const std::string& line) {
  Clear();
  write_(Printable(line) + "\n");
}

void Progress::Ask(const std::string& question) {
  Clear();
  write_(Printable(question));
}

void Progress::Clear() {
  if (has_line_) write_(kEraseLine);
  has_line_ = false;
}

std::string ProgressText(const std::string& what, const migrate::cluster::ListProgress& progress) {
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

}  // namespace plugin::terminal
