#include "tests/bench/measure.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

[[noreturn]] void RunInChild(int out, const std::function<Counts()>& work) {
  int status = 1;
  try {
    const Counts counts = work();
    if (write(out, &counts, sizeof(counts)) == sizeof(counts)) status = 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  _exit(status);
}

Cost MeasureOnce(const std::function<Counts()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) RunInChild(ends[1], work);
  close(ends[1]);
  Counts counts;
  const bool counted = read(ends[0], &counts, sizeof(counts)) == sizeof(counts);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!counted || status != 0) throw std::runtime_error("the measured process failed");
  return {Seconds(usage.ru_utime) + Seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024, counts.objects, counts.unknown_fields};
}

}  // namespace

Cost Measure(int repeat, const std::function<Counts()>& work) {
  Cost best = MeasureOnce(work);
  for (int i = 1; i < repeat; ++i) {
    const Cost cost = MeasureOnce(work);
    if (cost.cpu_seconds < best.cpu_seconds) best = cost;
  }
  return best;
}

}  // namespace bench
