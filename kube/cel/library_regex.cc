// Regular expressions: matches(), and find() and findAll() of the server's library
// (apiserver/pkg/cel/library/regex.go).
#include <unordered_map>

#include "kube/base/mutex.h"
#include "kube/base/utf8.h"
#include "kube/cel/function.h"
#include "kube/go/go_regexp.h"

namespace kube::cel {
namespace {

constexpr std::string_view kUndecided = "regular expression takes too long to match";
// What takes about as long as to look at a value: so many steps of a matcher, or so many bytes that
// it may have to look at before it finds a match. To compile a byte of a pattern takes far longer.
constexpr std::uint64_t kStepsOfVisit = 16;
constexpr std::uint64_t kBytesOfVisit = 64;
constexpr std::uint64_t kVisitsOfPatternByte = 100;
constexpr std::uint64_t kVisitsOfInstruction = 4;

/// Patterns that were compiled, for all threads. Rules have few; objects may bring any number of
/// others.
class PatternCache {
 public:
  /// Absent: it is not kept.
  std::optional<Pattern> Find(const std::string& pattern) {
    const base::MutexLock lock(mutex_);
    const auto known = patterns_.find(pattern);
    return known == patterns_.end() ? std::nullopt : std::optional(known->second);
  }
  void Keep(const std::string& pattern, const Pattern& compiled) {
    const std::size_t bytes = pattern.size() + compiled.error.size() +
                              (compiled.matcher == nullptr ? 0 : compiled.matcher->MostMemory());
    if (bytes > kMostBytes) return;
    const base::MutexLock lock(mutex_);
    if (bytes_ + bytes > kMostBytes) {
      patterns_.clear();
      bytes_ = 0;
    }
    if (patterns_.emplace(pattern, compiled).second) bytes_ += bytes;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  base::Mutex mutex_;
  std::unordered_map<std::string, Pattern> patterns_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

Pattern Compile(std::string_view pattern) {
  if (auto problem = go::GoRegexpError(pattern)) return {nullptr, *std::move(problem)};
  return {std::make_shared<const go::GoMatcher>(pattern), ""};
}

void CountMatch(Memory& memory, const go::GoMatcher& matcher, std::string_view text) {
  memory.Visit(static_cast<std::uint64_t>(matcher.StepsFor(text)) / kStepsOfVisit);
}

Value IllegalPattern(Memory& memory, const std::string& error) {
  return memory.Error("Illegal regex: " + error);
}

Value Find(Memory& memory, Args args) {
  const Pattern pattern = CompilePattern(memory, args[1].text());
  if (pattern.matcher == nullptr) return IllegalPattern(memory, pattern.error);
  const std::string_view text = args[0].text();
  CountMatch(memory, *pattern.matcher, text);
  const go::GoMatcher::Answer answer = pattern.matcher->Find(text, 0);
  if (!answer.is_decided) return Value::Error(kUndecided);
  if (!answer.span) return Value::String("");
  return Value::String(text.substr(answer.span->begin, answer.span->end - answer.span->begin));
}

/// regexp.FindAllString: matches that follow each other, no empty one right behind another.
Value FindAll(Memory& memory, Args args) {
  const Pattern pattern = CompilePattern(memory, args[1].text());
  if (pattern.matcher == nullptr) return IllegalPattern(memory, pattern.error);
  const std::string_view text = args[0].text();
  CountMatch(memory, *pattern.matcher, text);
  std::int64_t left = MostOf(args, 2);
  const Value list = memory.NewList();
  std::size_t from = 0;
  std::size_t last_end = std::string_view::npos;
  while (left != 0 && from <= text.size()) {
    // Some patterns look at all that follows before they match: so much is counted.
    memory.Visit(1 + (text.size() - from) / kBytesOfVisit);
    const auto [is_decided, span] = pattern.matcher->Find(text, from);
    if (!is_decided) return Value::Error(kUndecided);
    if (!span) break;
    const bool is_empty = span->begin == span->end;
    const bool counts = !is_empty || span->begin != last_end;
    from = span->end;
    // Behind an empty match the next character is skipped.
    if (is_empty) from += from < text.size() ? base::DecodeRune(text.substr(from)).size : 1;
    last_end = span->end;
    if (!counts) continue;
    memory.Append(list, Value::String(text.substr(span->begin, span->end - span->begin)));
    --left;
  }
  return list;
}

std::optional<CallEstimate> EstimateFind(const EstimatedCall& call) {
  std::optional<CallEstimate> estimate = EstimateMatch(call);
  estimate->size = Range{0, call.Size(*call.target).max};
  return estimate;
}

}  // namespace

Pattern CompilePattern(Memory& memory, std::string_view pattern) {
  static PatternCache cache;
  const std::string key(pattern);
  if (auto known = cache.Find(key)) return *std::move(known);
  memory.Visit(pattern.size() * kVisitsOfPatternByte);
  Pattern compiled = Compile(pattern);
  cache.Keep(key, compiled);
  // A short one may stand for a large program: (\\pL{30}){30}.
  if (compiled.matcher != nullptr) {
    memory.Visit(static_cast<std::uint64_t>(compiled.matcher->ProgramSize()) *
                 kVisitsOfInstruction);
  }
  return compiled;
}

Value Matches(Memory& memory, Args args) {
  if (!args[0].is_string()) {
    const bool is_time =
        args[0].kind == Value::Kind::kDuration || args[0].kind == Value::Kind::kTimestamp;
    return Value::Error(is_time ? kNoOverload : "no such overload: matches");
  }
  if (!args[1].is_string()) return Value::Error(kNoOverload);
  const Pattern pattern = CompilePattern(memory, args[1].text());
  if (pattern.matcher == nullptr) return memory.Error(pattern.error);
  return MatchText(memory, *pattern.matcher, args[0].text());
}

Value MatchText(Memory& memory, const go::GoMatcher& matcher, std::string_view text) {
  CountMatch(memory, matcher, text);
  const std::optional<bool> matches = matcher.Matches(text);
  return matches ? Value::Bool(*matches) : Value::Error(kUndecided);
}

std::span<const Overload> RegexLibrary() {
  static const Overload rows[] = {
      {"find", "string_find_string", true, "string, string", "string", Find, EstimateFind,
       CostMatch, true},
      {"findAll", "string_find_all_string", true, "string, string", "list(string)", FindAll,
       EstimateFind, CostMatch, true},
      {"findAll", "string_find_all_string_int", true, "string, string, int", "list(string)",
       FindAll, EstimateFind, CostMatch, true},
  };
  return rows;
}

}  // namespace kube::cel
