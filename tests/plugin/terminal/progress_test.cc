#include "plugin/terminal/progress.h"

#include <catch2/catch.hpp>

namespace plugin::terminal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeClock : public kube::base::Clock {
 public:
  TimePoint Now() const override { return now; }
  TimePoint now{};
};

struct Written {
  std::string text;
  Progress::Write Write() {
    return [this](std::string_view piece) { text += piece; };
  }
};

migrate::cluster::ListProgress Items(std::uint64_t items, std::uint64_t known) {
  migrate::cluster::ListProgress progress;
  progress.lists = 1;
  progress.items = items;
  progress.items_known = known;
  return progress;
}

TEST_CASE("O5: a terminal sees one line, from the first second on, and none at the end",
          "[plugin][progress]") {
  FakeClock clock;
  Written written;
  Progress progress(true, written.Write(), clock);
  progress.Show("objects", Items(1, 9));
  CHECK(written.text.empty());
  clock.now += seconds(1);
  progress.Show("objects", Items(2, 9));
  clock.now += milliseconds(199);
  progress.Show("objects", Items(3, 9));
  clock.now += milliseconds(1);
  progress.Show("objects", Items(4, 9));
  progress.Clear();
  CHECK(written.text == "\r\033[Kreading objects: 2 of 9\r\033[Kreading objects: 4 of 9\r\033[K");
}

TEST_CASE("A run that ends by an exception leaves no live line", "[plugin][progress]") {
  FakeClock clock;
  Written written;
  {
    Progress progress(true, written.Write(), clock);
    clock.now += seconds(1);
    progress.Show("objects", Items(2, 9));
  }
  CHECK(written.text == "\r\033[Kreading objects: 2 of 9\r\033[K");
}

migrate::rewrite::SweepProgress Rewritten(std::uint64_t rewritten) {
  migrate::rewrite::SweepProgress progress;
  progress.listed = progress.expected = 100;
  progress.counts[migrate::report::ObjectClass::kRewritten] = rewritten;
  progress.counts[migrate::report::ObjectClass::kNotTried] = 100 - rewritten;
  return progress;
}

TEST_CASE("O4: No name steers the terminal from a live line", "[plugin][progress]") {
  const bool is_terminal = GENERATE(true, false);
  FakeClock clock;
  Written written;
  Progress progress(is_terminal, written.Write(), clock);
  const std::string name = "\x1B[2Jw\r\a\xE2\x80\xAE";
  clock.now += seconds(10);
  progress.Show(name, Items(2, 9));
  clock.now += seconds(10);
  progress.Show(name, Rewritten(40));
  CHECK(written.text.find("^[[2Jw\\r^G\\u202e: 2 of 9") != std::string::npos);
  CHECK(written.text.find("\x1B[2J") == std::string::npos);
  CHECK(written.text.find("w\r") == std::string::npos);
  CHECK(written.text.find_first_of("\a\xE2") == std::string::npos);
}

TEST_CASE("The rate of a sweep counts what was done since it is watched", "[plugin][progress]") {
  FakeClock clock;
  Written written;
  Progress progress(false, written.Write(), clock);
  progress.Show("widgets", Rewritten(40));  // by an earlier run
  clock.now += seconds(10);
  progress.Show("widgets", Rewritten(60));
  progress.Show("verifying widgets", Rewritten(0));  // is watched from here on
  clock.now += seconds(10);
  progress.Show("verifying widgets", Rewritten(50));
  CHECK(written.text ==
        "widgets: 60 of 100 objects, 2/s, ETA 20s: rewritten 60\n"
        "verifying widgets: 50 of 100 objects, 5/s, ETA 10s: rewritten 50\n");
}

TEST_CASE("A long line of a sweep does not wrap on a terminal", "[plugin][progress]") {
  FakeClock clock;
  Written written;
  Progress progress(true, written.Write(), clock);
  clock.now += seconds(1);
  progress.Show("widgets", Rewritten(0));
  progress.Clear();
  CHECK(written.text == "\r\033[K\033[?7lwidgets  [>              ] 0/100  0%\033[?7h\r\033[K");
}

TEST_CASE("O5: elsewhere there is a line every ten seconds", "[plugin][progress]") {
  FakeClock clock;
  Written written;
  Progress progress(false, written.Write(), clock);
  for (int i = 0; i < 25; ++i) {
    progress.Show("CRDs", Items(1, 0));
    clock.now += seconds(1);
  }
  progress.Clear();
  CHECK(written.text == "reading CRDs: 1\nreading CRDs: 1\n");
}

TEST_CASE("A line of its own does not stand in the live one", "[plugin][progress]") {
  FakeClock clock;
  Written written;
  Progress progress(true, written.Write(), clock);
  clock.now += seconds(1);
  progress.Show("objects", Items(2, 2));
  progress.WriteLine("Warning: v1beta1 is \033deprecated");
  CHECK(written.text == "\r\033[Kreading objects: 2\r\033[KWarning: v1beta1 is ^[deprecated\n");
}

TEST_CASE("Progress tells how many of several lists are done", "[plugin][progress]") {
  migrate::cluster::ListProgress progress = Items(10, 30);
  progress.lists = 4;
  progress.lists_done = 1;
  CHECK(ProgressText("objects", progress) == "reading objects: 10 of 30, 1 of 4 lists done");
}

}  // namespace
}  // namespace plugin::terminal
