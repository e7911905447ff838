#include "kube/cel/pattern.h"

#include <mutex>
#include <unordered_map>

namespace kube::cel {
namespace {

// Rules have few; objects may bring any number of others.
constexpr std::size_t kMostPatterns = 256;

struct Compiled {
  std::shared_ptr<const go::GoMatcher> matcher;
  std::string error;
};

}  // namespace

std::shared_ptr<const go::GoMatcher> CompilePattern(std::string_view pattern, std::string& error) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Compiled> patterns;
  const std::string key(pattern);
  const std::lock_guard lock(mutex);
  auto known = patterns.find(key);
  if (known == patterns.end()) {
    if (patterns.size() >= kMostPatterns) patterns.clear();
    Compiled compiled;
    if (auto problem = go::GoRegexpError(pattern)) {
      compiled.error = *std::move(problem);
    } else {
      compiled.matcher = std::make_shared<const go::GoMatcher>(pattern);
    }
    known = patterns.emplace(key, std::move(compiled)).first;
  }
  error = known->second.error;
  return known->second.matcher;
}

Value MatchPattern(Memory& memory, std::string_view pattern, std::string_view text) {
  std::string error;
  const auto matcher = CompilePattern(pattern, error);
  if (matcher == nullptr) return memory.Error(error);
  const std::optional<bool> matches = matcher->Matches(text);
  if (!matches) return Value::Error("regular expression takes too long to match");
  return Value::Bool(*matches);
}

}  // namespace kube::cel
