#include "kube/schema/go_regexp.h"

#include <re2/re2.h>

#include "kube/schema/go_regexp_parser.h"

namespace kube::schema {
namespace {

// Enough for the largest program that Go compiles. RE2 takes it only as it needs it.
constexpr std::int64_t kMaxMemory = std::int64_t{256} << 20;

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options MakeOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  options.set_never_capture(true);
  return options;
}

}  // namespace

std::optional<std::string> GoRegexpError(std::string_view pattern) {
  return ParseGoRegexp(pattern).error;
}

GoMatcher::GoMatcher(std::string_view pattern)
    : expression_(std::make_unique<const RE2>(ParseGoRegexp(pattern).re2, MakeOptions())) {}

GoMatcher::~GoMatcher() = default;

bool GoMatcher::Matches(std::string_view text) const {
  return !expression_->ok() || RE2::PartialMatch(ToPiece(text), *expression_);
}

}  // namespace kube::schema
