#include "kube/schema/pattern_checks.h"

#include <utility>

#include "kube/go/go_regexp.h"

namespace kube::schema {
namespace {

// In bytes: some 200 patterns, or three large ones.
constexpr std::size_t kMostMemory = std::size_t{64} << 20;
// What a pattern takes beside its program, as a rule.
constexpr std::size_t kMemoryOfPattern = std::size_t{64} << 10;
constexpr std::int64_t kFewSteps = 16'384;
constexpr std::size_t kMostRemembered = 256;

}  // namespace

// One of the two is there.
struct PatternChecks::Pattern {
  explicit Pattern(std::string_view pattern) : error(go::GoRegexpError(pattern)) {
    if (!error) matcher.emplace(pattern);
  }

  /// Some nanoseconds each at the most.
  std::int64_t StepsFor(std::string_view text) const {
    return matcher ? matcher->StepsFor(text) : 0;
  }
  std::size_t Memory() const { return kMemoryOfPattern + (matcher ? matcher->MostMemory() : 0); }

  std::optional<std::string> error;
  std::optional<go::GoMatcher> matcher;
  // The objects of a List have mostly the same image, class or version.
  std::string matched_last{};
};

/// Adds the time while it lives to what was used.
class PatternChecks::Stopwatch {
 public:
  explicit Stopwatch(PatternChecks& checks) : checks_(checks), start_(checks.cpu_time_()) {}
  ~Stopwatch() { checks_.used_ += checks_.cpu_time_() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  PatternChecks& checks_;
  const std::chrono::nanoseconds start_;
};

PatternChecks::PatternChecks(CpuClock cpu_time) : cpu_time_(std::move(cpu_time)) {}

PatternChecks::PatternChecks(PatternChecks&&) noexcept = default;
PatternChecks::~PatternChecks() = default;

PatternChecks::Pattern& PatternChecks::Find(std::string_view pattern) {
  const auto found = patterns_.find(pattern);
  if (found != patterns_.end()) return *found->second;
  auto made = std::make_unique<Pattern>(pattern);
  memory_ += made->Memory();
  if (memory_ > kMostMemory) {
    patterns_.clear();
    memory_ = made->Memory();
  }
  return *patterns_.emplace(pattern, std::move(made)).first->second;
}

std::optional<std::string> PatternChecks::Mismatch(std::string_view pattern,
                                                   std::string_view text) {
  if (used_ >= limit_) {
    ++undecided_;
    return std::nullopt;
  }
  // To ask for the time takes longer than most texts.
  const auto known = patterns_.find(pattern);
  if (known != patterns_.end() && !text.empty() && known->second->matched_last == text) {
    return std::nullopt;
  }
  const std::int64_t steps =
      known == patterns_.end() ? kFewSteps + 1 : known->second->StepsFor(text);
  if (steps <= kFewSteps) {
    used_ += std::chrono::nanoseconds(steps);
    return Describe(*known->second, pattern, text);
  }
  const Stopwatch stopwatch(*this);
  return Describe(Find(pattern), pattern, text);
}

std::optional<std::string> PatternChecks::Describe(Pattern& found, std::string_view pattern,
                                                   std::string_view text) {
  std::string detail;
  if (found.error) {
    detail = ", but pattern is invalid: " + *found.error;
  } else {
    const std::optional<bool> matches = found.matcher->Matches(text);
    if (!matches) ++undecided_;
    if (matches == true && text.size() <= kMostRemembered) found.matched_last = text;
    if (matches.value_or(true)) return std::nullopt;
  }
  return "should match '" + std::string(pattern) + detail + "'";
}

}  // namespace kube::schema
