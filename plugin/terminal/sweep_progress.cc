#include "plugin/terminal/sweep_progress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plugin::terminal {
namespace {

using migrate::report::ClassCounts;
using migrate::report::ObjectClass;
using migrate::rewrite::SweepProgress;

constexpr std::size_t kBarWidth = 15;
constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute;
// Whatever takes longer is not foreseen.
constexpr double kLongestEta = 1000.0 * kHour;

std::string Bar(std::uint64_t done, std::uint64_t expected) {
  const std::size_t filled = static_cast<std::size_t>(
      static_cast<double>(kBarWidth) * static_cast<double>(done) / static_cast<double>(expected));
  std::string bar(std::min(filled, kBarWidth), '=');
  if (bar.size() < kBarWidth) bar += '>';
  bar.resize(kBarWidth, ' ');
  return "[" + bar + "]";
}

// As kubectl shows ages: two units at most.
std::string Eta(double seconds_left) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds_left));
  if (whole < 2 * kMinute) return std::to_string(whole) + "s";
  if (whole < kHour) {
    return std::to_string(whole / kMinute) + "m" + std::to_string(whole % kMinute) + "s";
  }
  return std::to_string(whole / kHour) + "h" + std::to_string(whole % kHour / kMinute) + "m";
}

// The pieces behind the number of objects, each with `separator` before it.
std::string Speed(const SweepProgress& progress, double rate, const std::string& separator) {
  std::string text;
  if (rate <= 0) return text;
  const auto shown = static_cast<std::uint64_t>(std::llround(rate));
  text += separator + (shown > 0 ? std::to_string(shown) + "/s" : "<1/s");
  const std::uint64_t done = DoneOf(progress);
  const std::uint64_t here = progress.expected > done ? progress.expected - done : 0;
  const std::uint64_t left_over = here + progress.passes_after * progress.expected;
  if (left_over == 0) return text;
  const double left = static_cast<double>(left_over) / rate;
  if (left < kLongestEta) text += separator + "ETA " + Eta(left);
  return text;
}

}  // namespace

std::uint64_t DoneOf(const SweepProgress& progress) {
  if (progress.counts.Total() == 0) return progress.listed;
  return progress.counts.Total() - progress.counts[ObjectClass::kNotTried];
}

std::string ClassesText(const ClassCounts& counts) {
  std::string text;
  counts.ForEach([&](ObjectClass object_class, std::uint64_t count) {
    if (object_class == ObjectClass::kNotTried) return;
    text.append(text.empty() ? "" : ", ").append(migrate::report::ClassName(object_class));
    text.append(" ").append(std::to_string(count));
  });
  return text;
}

std::string SweepLine(const std::string& what, const SweepProgress& progress, double rate) {
  const std::uint64_t done = DoneOf(progress);
  std::string line = what + "  ";
  if (progress.expected > 0) {
    line += Bar(done, progress.expected) + " " + std::to_string(done) + "/" +
            std::to_string(progress.expected) + "  " +
            std::to_string(done * 100 / progress.expected) + "%";
  } else {
    line += std::to_string(done);
  }
  line += Speed(progress, rate, "  ");
  const std::string classes = ClassesText(progress.counts);
  return classes.empty() ? line : line + "  " + classes;
}

std::string SweepText(const std::string& what, const SweepProgress& progress, double rate) {
  std::string text = what + ": " + std::to_string(DoneOf(progress));
  if (progress.expected > 0) text += " of " + std::to_string(progress.expected);
  text += " objects" + Speed(progress, rate, ", ");
  const std::string classes = ClassesText(progress.counts);
  return classes.empty() ? text : text + ": " + classes;
}

}  // namespace plugin::terminal
