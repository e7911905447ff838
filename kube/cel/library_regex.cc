// find() and findAll() (apiserver/pkg/cel/library/regex.go).
#include "kube/base/rune.h"
#include "kube/cel/function.h"
#include "kube/cel/pattern.h"

namespace kube::cel {
namespace {

using Args = std::span<const Value>;

Value IllegalPattern(Memory& memory, const std::string& error) {
  return memory.Error("Illegal regex: " + error);
}

Value Find(Memory& memory, Args args) {
  std::string error;
  const auto matcher = CompilePattern(args[1].text(), error);
  if (matcher == nullptr) return IllegalPattern(memory, error);
  const auto span = matcher->Find(args[0].text(), 0);
  if (!span) return Value::String("");
  return Value::String(args[0].text().substr(span->begin, span->end - span->begin));
}

/// regexp.FindAllString: matches that follow each other, no empty one right behind another.
Value FindAll(Memory& memory, Args args) {
  std::string error;
  const auto matcher = CompilePattern(args[1].text(), error);
  if (matcher == nullptr) return IllegalPattern(memory, error);
  const std::string_view text = args[0].text();
  std::int64_t left = args.size() == 3 ? args[2].integer : -1;
  const Value list = memory.NewList();
  std::size_t from = 0;
  std::size_t last_end = std::string_view::npos;
  while (left != 0 && from <= text.size()) {
    const auto span = matcher->Find(text, from);
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
