// Runs fuzz targets without libFuzzer, in the build that all tests have: each over its seeds, then
// over variants of them. Every run is the same. tests/fuzz/run.sh searches by coverage, and needs
// clang.
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// FUZZ_TARGETS is "TARGET(admission_review) TARGET(api_status) ...", by CMakeLists.txt.
#define TARGET(name) extern "C" int name##_fuzz(const std::uint8_t* data, std::size_t size);
FUZZ_TARGETS
#undef TARGET

// Of ASan and LSan; null in a build without them.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());
extern "C" [[gnu::weak]] void __lsan_do_leak_check();

namespace {

constexpr std::size_t kMostBytes = 8192;
constexpr int kMostSeconds = 10;   // of the processor, for one input
constexpr int kLongestWait = 120;  // in all: other tests may have the processor

using Target = int (*)(const std::uint8_t*, std::size_t);

Target Find(std::string_view name) {
  static const std::map<std::string_view, Target> kTargets = {
#define TARGET(name) {#name, name##_fuzz},
      FUZZ_TARGETS
#undef TARGET
  };
  const auto found = kTargets.find(name);
  return found == kTargets.end() ? nullptr : found->second;
}

// What is being run, for a process that is about to end.
std::string current;
std::string finding;  // the file that keeps it

// May be called in a handler of signals.
void Say(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void KeepInput() {
  if (current.empty()) return;  // of leaks, which are found at the end
  const int file = open(finding.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, current.data(), current.size());
  close(file);
  Say("the input is in ");
  Say(finding);
  Say("\n");
}

void OnTimeout(int) {
  Say("an input takes too long\n");
  KeepInput();
  _exit(1);
}

void LimitTime() {
  const itimerval busy = {{0, 0}, {kMostSeconds, 0}}, waiting = {{0, 0}, {kLongestWait, 0}};
  setitimer(ITIMER_PROF, &busy, nullptr);
  setitimer(ITIMER_REAL, &waiting, nullptr);
}

void Run(Target target, std::string input) {
  current = std::move(input);
  current.resize(std::min(current.size(), kMostBytes));
  // A copy of just this size: a read behind its end is found.
  const std::vector<std::uint8_t> bytes(current.begin(), current.end());
  LimitTime();
  target(bytes.data(), bytes.size());
}

/// The files of a folder in the order of their names; none if there is no such folder.
std::vector<std::string> ReadFolder(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

class Variants {
 public:
  explicit Variants(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  /// One of the seeds with one to four changes.
  std::string Next() {
    std::string text = Seed().substr(0, kMostBytes);
    for (std::size_t left = 1 + Below(4); left > 0; --left) Change(text);
    return text;
  }

 private:
  std::size_t Below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& Seed() { return seeds_[Below(seeds_.size())]; }

  std::string Piece(const std::string& text) {
    const std::size_t begin = Below(text.size());
    return text.substr(begin, 1 + Below(std::min<std::size_t>(text.size() - begin, 64)));
  }

  void Change(std::string& text) {
    // Bytes that mean something in the languages that the targets read.
    static constexpr std::string_view kMarks =
        "\"\\{}[]:,.-+0189eE \n\t/*?$^()|&'#%=;\0\x7f\x80\xc3\xe2\xff";
    const std::size_t place = Below(text.size() + 1);
    switch (Below(6)) {
      case 0:
        text.insert(place, 1, kMarks[Below(kMarks.size())]);
        break;
      case 1:
        text.insert(place, Piece(Seed()));
        break;
      case 2:
        text.insert(place, Piece(text));
        break;
      case 3:
        text.erase(place, 1 + Below(16));
        break;
      case 4:
        text.replace(place, 1, 1, static_cast<char>(random_()));
        break;
      default: {
        const std::string& other = Seed();
        text.replace(place, std::string::npos, other, Below(other.size()), std::string::npos);
      }
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{1};
};

}  // namespace

/// fuzz_seeds NAME RUNS FINDING FOLDER...: an input that fails, or takes too long, is kept in the
/// file FINDING.
int main(int argc, char** argv) {
  const Target target = argc > 4 ? Find(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_seeds NAME RUNS FINDING FOLDER...\n");
    return 2;
  }
  finding = argv[3];
  std::vector<std::string> seeds;
  for (int i = 4; i < argc; ++i) {
    for (std::string& text : ReadFolder(argv[i])) seeds.push_back(std::move(text));
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "error: no seeds for %s\n", argv[1]);
    return 1;
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(KeepInput);
  signal(SIGPROF, OnTimeout);
  signal(SIGALRM, OnTimeout);
  for (const std::string& seed : seeds) Run(target, seed);
  Variants variants(seeds);
  const int runs = std::atoi(argv[2]);
  for (int run = 0; run < runs; ++run) Run(target, variants.Next());
  current.clear();
  if (__lsan_do_leak_check != nullptr) __lsan_do_leak_check();  // as long as `finding` is there
  std::printf("%zu seeds, %d variants\n", seeds.size(), runs);
}
