#include "kube/base/utf8.h"
#include "kube/go/go_regexp.h"
#include "tests/fuzz/fuzz.h"

// A pattern in the first line is refused in Go's words, or can be held against the next.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  const std::string_view pattern = fuzz::TakeLine(text);
  if (const auto error = kube::go::GoRegexpError(pattern)) {
    fuzz::Require(error->starts_with("error parsing regexp: "));
    return 0;
  }
  kube::go::GoMatcher(pattern).Matches(text);
  return 0;
}
