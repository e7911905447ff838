#include "kube/schema/go_regexp.h"

#include <re2/re2.h>

#include "kube/schema/go_regexp_parser.h"

namespace kube::schema {
namespace {

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options MakeOptions(std::int64_t max_memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_memory);
  options.set_never_capture(true);
  return options;
}

}  // namespace

std::optional<std::string> GoRegexpError(std::string_view pattern) {
  return ParseGoRegexp(pattern).error;
}

GoMatcher::GoMatcher(std::string_view pattern, std::int64_t max_memory)
    : expression_(
          std::make_unique<const RE2>(ParseGoRegexp(pattern).re2, MakeOptions(max_memory))) {}

GoMatcher::~GoMatcher() = default;

bool GoMatcher::Matches(std::string_view text) const {
  return !expression_->ok() || RE2::PartialMatch(ToPiece(text), *expression_);
}

}  // namespace kube::schema
