/// Measures what the dry run of pruning costs beside the least that reading the same bytes costs.
///
///   bench_prune [FOLDER [JSON-MB [YAML-MB]]]     default: the temporary folder, 1000 and 50
///
/// The files are made in FOLDER and removed again. Exit code 1 where a goal is missed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "tests/bench/custom_resources.h"
#include "tests/bench/measure.h"
#include "tests/bench/readers.h"

namespace bench {
namespace {

constexpr double kMaxRatio = 1.6;  ///< CPU, ours by RapidJSON's
constexpr double kMaxMib = 64;
constexpr int kRepeat = 3;

/// A file of custom resources that lives as long as this.
class TestFile {
 public:
  TestFile(const std::filesystem::path& folder, Format format, std::size_t object_bytes,
           std::uint64_t megabytes)
      : path_(folder / ("bench_prune-" + std::to_string(object_bytes))) {
    objects_ = WriteCustomResources(path_.string(), format, object_bytes, megabytes * 1'000'000);
  }
  ~TestFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  std::string path() const { return path_.string(); }
  std::uint64_t objects() const { return objects_; }
  double megabytes() const { return static_cast<double>(std::filesystem::file_size(path_)) / 1e6; }

 private:
  std::filesystem::path path_;
  std::uint64_t objects_ = 0;
};

void Print(const char* name, const Cost& cost, const TestFile& file) {
  std::printf("  %-10s %7.2f CPU s %8.1f MB/s %10.0f objects/s %7.1f MiB\n", name, cost.cpu_seconds,
              file.megabytes() / cost.cpu_seconds,
              static_cast<double>(file.objects()) / cost.cpu_seconds, cost.peak_mib);
}

/// Says whether ours looked at every object, found the unknown fields and kept to its memory.
bool IsGood(const Cost& ours, const TestFile& file) {
  const bool all = ours.objects == file.objects() && ours.unknown_fields >= file.objects() / 8;
  if (!all) std::printf("  MISSED: not every object or unknown field was found\n");
  const bool small = ours.peak_mib <= kMaxMib;
  if (!small) std::printf("  MISSED: more than %.0f MiB resident\n", kMaxMib);
  return all && small;
}

bool BenchJson(const std::filesystem::path& folder, Format format, std::size_t object_bytes,
               std::uint64_t megabytes) {
  const TestFile file(folder, format, object_bytes, megabytes);
  std::printf("JSON%s: %.0f MB, one List of %llu objects of about %zu bytes\n",
              format == Format::kIndentedJson ? ", indented" : "", file.megabytes(),
              static_cast<unsigned long long>(file.objects()), object_bytes);
  const Cost reader = Measure(kRepeat, [&] { return ReadWithRapidJson(file.path()); });
  const Cost ours = Measure(kRepeat, [&] { return PruneJson(file.path()); });
  Print("RapidJSON", reader, file);
  Print("prune", ours, file);
  const double ratio = ours.cpu_seconds / reader.cpu_seconds;
  const bool fast = ratio <= kMaxRatio;
  std::printf("  ratio %.2f (goal: at most %.1f)%s\n", ratio, kMaxRatio, fast ? "" : " MISSED");
  return IsGood(ours, file) && fast;
}

bool BenchYaml(const std::filesystem::path& folder, std::size_t object_bytes,
               std::uint64_t megabytes) {
  const TestFile file(folder, Format::kYaml, object_bytes, megabytes);
  std::printf("YAML: %.0f MB, %llu documents of about %zu bytes\n", file.megabytes(),
              static_cast<unsigned long long>(file.objects()), object_bytes);
  const Cost ours = Measure(kRepeat, [&] { return PruneYaml(file.path()); });
  Print("prune", ours, file);
  return IsGood(ours, file);
}

bool Run(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path();
  const std::uint64_t json_megabytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const std::uint64_t yaml_megabytes = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 50;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool good = true;
  for (const Format format : {Format::kJson, Format::kIndentedJson}) {
    good = BenchJson(folder, format, 1'000, json_megabytes) && good;
    good = BenchJson(folder, format, 50'000, json_megabytes) && good;
  }
  good = BenchYaml(folder, 1'000, yaml_megabytes) && good;
  return BenchYaml(folder, 50'000, yaml_megabytes) && good;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::Run(argc, argv) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
