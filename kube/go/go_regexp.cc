#include "kube/go/go_regexp.h"

#include <re2/re2.h>

#include <cstdint>

#include "kube/go/go_regexp_parser.h"

namespace kube::go {
namespace {

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

// RE2's parser takes up to 15 KiB and 30 us a byte, beside the memory below.
constexpr std::size_t kLongestPattern = 8192;
// In bytes; taken only as it is needed, and kept. The first is enough for nearly all.
constexpr std::int64_t kUsualMemory = std::int64_t{256} << 10;
constexpr std::int64_t kMaxMemory = std::int64_t{16} << 20;
// Each takes 3 to 10 ns where the automaton does not help.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 28;

RE2::Options MakeOptions(std::int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  options.set_never_capture(true);
  return options;
}

}  // namespace

std::optional<std::string> GoRegexpError(std::string_view pattern) {
  return ParseGoRegexp(pattern).error;
}

GoMatcher::GoMatcher(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) return;
  const std::string re2 = ParseGoRegexp(pattern).re2;
  for (const std::int64_t memory : {kUsualMemory, kMaxMemory}) {
    expression_ = std::make_unique<const RE2>(re2, MakeOptions(memory));
    if (expression_->ok()) return;
    expression_.reset();  // it may be large
  }
}

GoMatcher::~GoMatcher() = default;

std::optional<bool> GoMatcher::Matches(std::string_view text) const {
  if (expression_ == nullptr) return std::nullopt;
  if (StepsFor(text) > kMostSteps) return std::nullopt;
  return RE2::PartialMatch(ToPiece(text), *expression_);
}

GoMatcher::Answer GoMatcher::Find(std::string_view text, std::size_t from) const {
  if (expression_ == nullptr || StepsFor(text) > kMostSteps) return {false, std::nullopt};
  re2::StringPiece match;
  if (!expression_->Match(ToPiece(text), from, text.size(), RE2::UNANCHORED, &match, 1)) {
    return {true, std::nullopt};
  }
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return {true, Span{begin, begin + match.size()}};
}

std::int64_t GoMatcher::ProgramSize() const {
  constexpr std::int64_t kInstructionSize = 16;
  return expression_ == nullptr ? kMaxMemory / kInstructionSize : expression_->ProgramSize();
}

std::int64_t GoMatcher::StepsFor(std::string_view text) const {
  const auto size = static_cast<std::int64_t>(text.size());
  return expression_ == nullptr ? 0 : (size + 1) * expression_->ProgramSize();
}

std::size_t GoMatcher::MostMemory() const {
  return expression_ == nullptr ? 0 : static_cast<std::size_t>(expression_->options().max_mem());
}

}  // namespace kube::go
